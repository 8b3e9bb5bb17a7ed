#define _POSIX_C_SOURCE 200809L
#include "loader/modules.h"
#include "loader/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Both under the mutex. */
static struct mxg_modules *used, *kept;

/* A mutex without attributes reports errors of its caller only. */
void mxg_loads_lock(void)
{
    if (pthread_mutex_lock(&mutex) != 0) abort();
}

void mxg_loads_unlock(void)
{
    if (pthread_mutex_unlock(&mutex) != 0) abort();
}

/* ---- Loading. All that follows is under the mutex. ---- */

static mxg_status get_function(const struct mxg_modules *modules, void *module, const char *variant, const char *suffix,
                               void **function)
{
    char name[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
    (void)snprintf(name, sizeof name, "%s%s", variant, suffix); /* fits: a variant's name ends within its field */
    void *found = NULL;
    int code = modules->hip.hipModuleGetFunction(&found, module, name);
    if (code)
        return mxg_fail_hip(&modules->hip, MXG_ERROR_LOAD, code,
                            "hipModuleGetFunction of kernel %s in variant %s failed", name, variant);
    if (!found) return mxg_fail(MXG_ERROR_LOAD, "HIP found kernel %s of variant %s and gave no handle", name, variant);
    *function = found;
    return MXG_OK;
}

/* What a failed load leaves in its out-handle is not looked at. */
static mxg_status load_module(const struct mxg_modules *modules, const struct mxg_pack_entry *entry, void **module)
{
    void *made = NULL;
    const char *name = entry->variant.name;
    int code = modules->hip.hipModuleLoadData(&made, entry->image);
    if (code)
        return mxg_fail_hip(&modules->hip, MXG_ERROR_LOAD, code,
                            "hipModuleLoadData of variant %s (%llu bytes for %s) on device %d failed", name,
                            (unsigned long long)entry->image_bytes, modules->library->arch, modules->device);
    if (!made) return mxg_fail(MXG_ERROR_LOAD, "HIP loaded variant %s and gave no handle", name);
    *module = made;
    return MXG_OK;
}

/* A module that HIP does not unload stays in its place: the next load goes on from there, or the end unloads it. */
static void unload_incomplete(const struct mxg_modules *modules, struct mxg_module *module, const char *name)
{
    int code = modules->hip.hipModuleUnload(module->module);
    if (code)
        mxg_log_hip(&modules->hip, &modules->library->host, code, "hipModuleUnload of variant %s on device %d failed",
                    name, modules->device);
    else
        module->module = NULL;
}

/* On the device. */
static mxg_status load_variant(const struct mxg_modules *modules, const struct mxg_pack_entry *entry,
                               struct mxg_module *module)
{
    const struct mxg_variant *variant = &entry->variant;
    void *kernel = NULL;
    mxg_status status = module->module ? MXG_OK : load_module(modules, entry, &module->module);
    if (status) return status;
    status = get_function(modules, module->module, variant->name, "", &kernel);
    if (!status && variant->reduction == MXG_REDUCTION_SECOND_LAUNCH)
        status = get_function(modules, module->module, variant->name, MXG_REDUCE_SUFFIX, &module->reduce);
    if (status) {
        unload_incomplete(modules, module, variant->name);
        return status;
    }
    atomic_store_explicit(&module->kernel, kernel, memory_order_release);
    mxg_log(&modules->library->host, MXG_LOG_INFO, "loaded %s on device %d", variant->name, modules->device);
    return MXG_OK;
}

static mxg_status load(struct mxg_modules *modules, uint32_t index)
{
    struct mxg_pack_entry *entry = &modules->library->entries[index];
    const struct mxg_host *host = &modules->library->host;
    struct mxg_hip_visit before;
    mxg_status status = mxg_pack_check_blob(modules->library, entry);
    if (status) return status;
    status = mxg_hip_enter_device(&modules->hip, host, modules->device, &before);
    if (status) return mxg_fail_in(status, "variant %s is not loaded", entry->variant.name);
    status = load_variant(modules, entry, &modules->of[index]);
    return mxg_hip_leave_device(&modules->hip, host, modules->device, &before, status);
}

mxg_status mxg_modules_load(struct mxg_modules *modules, uint32_t index)
{
    if (mxg_module_kernel(&modules->of[index])) return MXG_OK;
    mxg_loads_lock();
    mxg_status status = mxg_module_kernel(&modules->of[index]) ? MXG_OK : load(modules, index);
    mxg_loads_unlock();
    return status;
}

/* ---- Unloading. ---- */

static bool any_loaded(const struct mxg_modules *modules)
{
    uint32_t i = 0;
    while (i < modules->library->count && !modules->of[i].module) i++;
    return i < modules->library->count;
}

/* hipDeviceSynchronize breaks off every capture of the process, however relaxed its caller is (clr,
 * CHECK_SUPPORTED_DURING_CAPTURE). Of captures of blocking streams HIP tells before, by what it says of the null stream
 * they would wait for. */
static mxg_status check_no_capture(const struct mxg_hip *hip)
{
    int capturing = MXG_HIP_CAPTURE_NONE;
    int code = hip->hipStreamIsCapturing(NULL, &capturing);
    if (code) return mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipStreamIsCapturing of the null stream failed");
    return capturing == MXG_HIP_CAPTURE_NONE ? MXG_OK : mxg_fail(MXG_ERROR_HIP, "the null stream is being captured");
}

/* On the device. After a failure the others are unloaded nevertheless. */
static mxg_status unload_each(struct mxg_modules *modules)
{
    mxg_status status = MXG_OK;
    for (uint32_t i = 0; i < modules->library->count; i++) {
        struct mxg_module *module = &modules->of[i];
        const char *name = modules->library->entries[i].variant.name;
        if (!module->module) continue;
        int code = modules->hip.hipModuleUnload(module->module);
        if (!code) {
            module->module = NULL;
            mxg_log(&modules->library->host, MXG_LOG_INFO, "unloaded %s from device %d", name, modules->device);
        } else if (!status) {
            status = mxg_fail_hip(&modules->hip, MXG_ERROR_HIP, code,
                                  "hipModuleUnload of variant %s on device %d failed", name, modules->device);
        } else {
            mxg_log_hip(&modules->hip, &modules->library->host, code,
                        "hipModuleUnload of variant %s on device %d failed", name, modules->device);
        }
    }
    return status;
}

/* Nothing is unloaded while work may be in flight. */
static mxg_status wait_and_unload(struct mxg_modules *modules)
{
    int code = modules->hip.hipDeviceSynchronize();
    if (!code) return unload_each(modules);
    return mxg_fail_hip(&modules->hip, MXG_ERROR_HIP, code, "hipDeviceSynchronize of device %d failed",
                        modules->device);
}

static mxg_status unload(struct mxg_modules *modules)
{
    const struct mxg_host *host = &modules->library->host;
    struct mxg_hip_visit before;
    if (!any_loaded(modules)) return MXG_OK;
    mxg_status status = check_no_capture(&modules->hip);
    if (!status) status = mxg_hip_enter_device(&modules->hip, host, modules->device, &before);
    if (!status) {
        status = wait_and_unload(modules);
        status = mxg_hip_leave_device(&modules->hip, host, modules->device, &before, status);
    }
    return status && any_loaded(modules) ? mxg_fail_in(status, "kernels stay loaded on device %d", modules->device)
                                         : status;
}

static void release(struct mxg_modules *modules)
{
    mxg_library *library = modules->library;
    mxg_release(&library->host, modules);
    mxg_library_close(library);
}

/* Its failures are not the caller's. */
static void retry_kept(void)
{
    struct mxg_failure callers;
    if (!kept) return;
    mxg_failure_get(&callers);
    for (struct mxg_modules **link = &kept; *link;) {
        struct mxg_modules *modules = *link;
        if (unload(modules)) mxg_log(&modules->library->host, MXG_LOG_WARNING, "%s", mxg_last_error());
        if (any_loaded(modules)) {
            link = &modules->next;
        } else {
            *link = modules->next;
            release(modules);
        }
    }
    mxg_failure_put(&callers);
}

/* ---- Sharing. ---- */

static struct mxg_modules *find(const mxg_library *library, const struct mxg_hip *hip, int device)
{
    struct mxg_modules *modules = used;
    while (modules && (modules->library != library || modules->device != device ||
                       memcmp(&modules->hip, hip, sizeof *hip) != 0)) /* pointers, without gaps */
        modules = modules->next;
    return modules;
}

static struct mxg_modules *make(mxg_library *library, const struct mxg_hip *hip, int device)
{
    /* Less than the records of the pack: no overflow. */
    const size_t bytes = sizeof(struct mxg_modules) + library->count * sizeof(struct mxg_module);
    struct mxg_modules *made = mxg_allocate(&library->host, 1, bytes);
    if (!made) return NULL;
    mxg_library_retain(library);
    made->library = library, made->hip = *hip, made->device = device;
    for (uint32_t i = 0; i < library->count; i++) atomic_init(&made->of[i].kernel, NULL);
    made->next = used, used = made;
    return made;
}

mxg_status mxg_modules_take(mxg_library *library, const struct mxg_hip *hip, int device, struct mxg_modules **modules)
{
    mxg_loads_lock();
    retry_kept();
    struct mxg_modules *found = find(library, hip, device);
    if (!found) found = make(library, hip, device);
    if (found) found->references++;
    mxg_loads_unlock();
    *modules = found;
    return found ? MXG_OK : mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for %u kernels", library->count);
}

static mxg_status drop(struct mxg_modules *modules)
{
    if (--modules->references > 0) return MXG_OK;
    struct mxg_modules **link = &used;
    while (*link != modules) link = &(*link)->next;
    *link = modules->next;
    mxg_status status = unload(modules);
    if (any_loaded(modules))
        modules->next = kept, kept = modules;
    else
        release(modules);
    return status;
}

mxg_status mxg_modules_drop(struct mxg_modules *modules)
{
    if (!modules) return MXG_OK;
    mxg_loads_lock();
    retry_kept();
    mxg_status status = drop(modules);
    mxg_loads_unlock();
    return status;
}

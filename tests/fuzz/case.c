#define _DEFAULT_SOURCE /* mmap flags */
#include "tests/fuzz/case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A wave may pass the limit by as much again, as it is not looked at after every instruction. */
enum { MAX_WAVE_INSTRUCTIONS = 20000 };

enum { MOST_PRINTED = 10 }; /* failures, by each of the processes that run side by side */

struct run {
    const struct fuzz *fuzz;
    uint64_t number;
    struct results *results;
    struct tally *tally;
    const struct target *target;
    struct emu *emu;
    uint64_t random;
    uint64_t buffer[MOST_BUFFERS];
};

__attribute__((format(printf, 2, 3))) static void fail(struct run *r, const char *format, ...)
{
    va_list values;
    if (++r->results->failures > MOST_PRINTED) return;
    va_start(values, format);
    printf("# case %" PRIu64 " (%s): ", r->number, r->target->name);
    vprintf(format, values);
    printf("\n");
    fflush(stdout);
    va_end(values);
}

__attribute__((format(printf, 2, 3))) static void say(const struct run *r, const char *format, ...)
{
    va_list values;
    if (!r->fuzz->verbose) return;
    va_start(values, format);
    printf("# ");
    vprintf(format, values);
    printf("\n");
    fflush(stdout);
    va_end(values);
}

/* ---- Memory that ends where the image ends ------------------------------------------------------------------------*/

int fence_make(struct fence *fence, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    unsigned char *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return -1;
    fence->first = all + page;
    fence->bytes = inside;
    return 0;
}

/* At the end of the memory, or at its start. */
static unsigned char *fenced_copy(const struct fence *fence, const unsigned char *data, size_t bytes, int at_end)
{
    unsigned char *copy = fence->first + (at_end ? fence->bytes - bytes : 0);
    if (mprotect(fence->first, fence->bytes, PROT_READ | PROT_WRITE)) abort();
    memcpy(copy, data, bytes);
    return copy;
}

/* ---- Launches -----------------------------------------------------------------------------------------------------*/

/* A report of a check begins with its name and a colon; anything else is a refusal of the launch. */
static int count_stop(struct results *results, const char *report)
{
    size_t length = strcspn(report, " :"), n = 0;
    size_t most = sizeof results->stop / sizeof results->stop[0], room = sizeof results->stop[0].name - 1;
    if (report[length] != ':') return 0;
    if (length > room) length = room;
    while (n < most - 1 && results->stop[n].count &&
           (strlen(results->stop[n].name) != length || memcmp(results->stop[n].name, report, length) != 0))
        n++;
    memcpy(results->stop[n].name, report, length);
    results->stop[n].count++;
    return 1;
}

static void set_arguments(const struct run *r, const struct shape *shape, unsigned char arguments[ARGUMENT_BYTES])
{
    memcpy(arguments, shape->arguments, ARGUMENT_BYTES);
    for (unsigned n = 0; n < shape->pointers; n++)
        memcpy(arguments + shape->pointer[n], &r->buffer[n], sizeof r->buffer[n]);
}

/* Mostly as the host of the kernel would do it. */
static void launch_corrupted(struct run *r, const struct emu_kernel *kernel, const struct shape *shape)
{
    static const uint32_t threads[] = {1, 33, 64, 65, 1024};
    unsigned char arguments[ARGUMENT_BYTES];
    struct emu_error error = {""};
    struct emu_stats stats = {0};
    struct emu_launch launch = {.kernel = kernel,
                                .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
                                .block = {shape->threads, 1, 1},
                                .dynamic_lds_bytes = shape->dynamic_lds,
                                .kernarg = arguments,
                                .kernarg_bytes = ARGUMENT_BYTES,
                                .order_seed = r->number,
                                .max_wave_instructions = MAX_WAVE_INSTRUCTIONS};
    const unsigned checks[] = {EMU_CHECK_ALL, EMU_CHECK_ALL, 0, EMU_CHECK_ALL & (unsigned)random_next(&r->random)};
    launch.threads = 1 + (unsigned)random_below(&r->random, 8) / 6;
    launch.order = (enum emu_order)random_below(&r->random, 3);
    launch.checks = checks[random_below(&r->random, 4)];
    set_arguments(r, shape, arguments);
    uint64_t unusual = random_below(&r->random, 32);
    if (unusual == 0) launch.block[0] = threads[random_below(&r->random, sizeof threads / sizeof threads[0])];
    if (unusual == 1) launch.block[1 + r->random % 2] = 2;
    if (unusual == 2) launch.kernarg_bytes = random_below(&r->random, ARGUMENT_BYTES);
    if (unusual == 3) memset(arguments, 0, sizeof arguments);
    int status = emu_launch(r->emu, &launch, &stats, &error);
    say(r, "%s, checks 0x%x: %s", kernel->name, launch.checks, status ? error.text : "ended");
    if (status && !strchr(error.text, ' ')) fail(r, "a launch failed without a sentence: \"%s\"", error.text);
    if (!status && !stats.workgroups) fail(r, "a launch ended without workgroups");
    if (stats.instructions > 2 * MAX_WAVE_INSTRUCTIONS * stats.waves)
        fail(r, "%" PRIu64 " waves executed %" PRIu64 " instructions", stats.waves, stats.instructions);
    if (!status)
        r->tally->ended++;
    else if (count_stop(r->results, error.text))
        r->tally->stopped++;
    else
        r->tally->not_launched++;
}

static void launch_all(struct run *r, const struct emu_object *object)
{
    size_t kernels = emu_object_kernel_count(object);
    if (emu_object_kernel_at(object, kernels)) fail(r, "there is a kernel behind the last of %zu", kernels);
    for (size_t n = 0; n < kernels && n < MOST_LAUNCHES; n++) {
        const struct emu_kernel *kernel = emu_object_kernel_at(object, n);
        if (!emu_object_kernel(object, kernel->name)) fail(r, "kernel %s is not found by its name", kernel->name);
        launch_corrupted(r, kernel, &r->target->shape[n % r->target->shapes]);
    }
}

/* The object as it was, on the device that has seen the corrupted one. */
static void judge(struct run *r)
{
    const struct target *t = r->target;
    struct emu_object *object;
    struct emu_error error = {""};
    unsigned char arguments[ARGUMENT_BYTES];
    target_buffers_free(t, r->emu, r->buffer);
    if (target_buffers_make(t, r->emu, r->buffer) || emu_object_load(r->emu, t->object, t->bytes, &object, &error)) {
        fail(r, "the object as it was is not loaded: %s", error.text);
        return;
    }
    for (unsigned n = 0; n < t->shapes; n++) {
        const struct shape *shape = &t->shape[n];
        struct emu_launch launch = {.kernel = emu_object_kernel_at(object, n),
                                    .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
                                    .block = {shape->threads, 1, 1},
                                    .dynamic_lds_bytes = shape->dynamic_lds,
                                    .kernarg = arguments,
                                    .kernarg_bytes = shape->argument_bytes,
                                    .checks = t->data ? EMU_CHECK_ALL : 0, /* a foreign one got any arguments */
                                    .threads = 1};
        set_arguments(r, shape, arguments);
        if (emu_launch(r->emu, &launch, NULL, &error)) fail(r, "the object as it was: %s", error.text);
    }
    if (!target_is_right(t, r->emu, r->buffer)) fail(r, "the object as it was gives a wrong product");
    emu_object_unload(object);
    r->results->judged++;
}

/* ---- A case -------------------------------------------------------------------------------------------------------*/

/* A stretch of the image that ends where the memory does, decoded from each of its bytes. */
static void decode_end(struct run *r, const struct image *image)
{
    enum { STRETCH = 48 };
    char mnemonic[64];
    if (image->bytes < STRETCH) return;
    const unsigned char *code = fenced_copy(
        &r->fuzz->fence, image->data + random_below(&r->random, image->bytes - STRETCH + 1), STRETCH, 1);
    for (unsigned at = 0; at <= STRETCH; at++) {
        memset(mnemonic, 'x', sizeof mnemonic);
        unsigned length = emu_decode(code + at, STRETCH - at, mnemonic);
        if (length > STRETCH - at) fail(r, "%u bytes decoded, there were %u", length, STRETCH - at);
        if (length && !memchr(mnemonic, 0, sizeof mnemonic)) fail(r, "a mnemonic has no end");
    }
}

static void load_and_launch(struct run *r, const struct image *image)
{
    const struct fence *fence = &r->fuzz->fence;
    struct emu_object *object = NULL;
    struct emu_error error = {""};
    size_t before = emu_allocated_bytes(r->emu);
    int at_end = r->number / r->fuzz->target_count % 2 == 0, unknown = at_end && random_below(&r->random, 8) == 0;
    const unsigned char *copy = fenced_copy(fence, image->data, image->bytes, at_end);
    int status = emu_object_load(r->emu, copy, unknown ? 0 : image->bytes, &object, &error);
    mprotect(fence->first, fence->bytes, PROT_NONE); /* the emulator has what it needs */
    say(r, "load%s: %s", unknown ? " without its size" : "", status ? error.text : "done");
    if (status && (object || !strchr(error.text, ' '))) fail(r, "a load failed without a sentence: \"%s\"", error.text);
    if (status)
        r->tally->not_loaded++;
    else
        launch_all(r, object);
    emu_object_unload(object);
    if (emu_allocated_bytes(r->emu) != before)
        fail(r, "%zu bytes are allocated, before it were %zu", emu_allocated_bytes(r->emu), before);
}

void case_run(const struct fuzz *fuzz, uint64_t number, struct results *results)
{
    struct run r = {.fuzz = fuzz, .number = number, .results = results};
    struct image image = {.data = fuzz->image};
    r.target = &fuzz->targets[number % fuzz->target_count];
    r.random = fuzz->seed * UINT64_C(0x100000001b3) + number;
    r.emu = emu_create((unsigned)random_below(&r.random, EMU_MAX_DEVICES));
    image.bytes = r.target->bytes;
    memcpy(image.data, r.target->object, image.bytes);
    unsigned kind = corrupt(&r.target->places, &image, &r.random);
    r.tally = &results->kind[kind];
    r.tally->cases++;
    say(&r, "%s: %s", r.target->name, corrupt_kind_name(kind));
    if (!r.emu || target_buffers_make(r.target, r.emu, r.buffer)) {
        fail(&r, "no device with its buffers");
    } else {
        decode_end(&r, &image);
        load_and_launch(&r, &image);
        if (random_below(&r.random, 32) == 0) judge(&r);
        target_buffers_free(r.target, r.emu, r.buffer);
        if (emu_allocated_bytes(r.emu)) fail(&r, "%zu bytes stay allocated", emu_allocated_bytes(r.emu));
    }
    emu_destroy(r.emu);
}

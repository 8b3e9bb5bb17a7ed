/* Which code object of an image is for the emulated device: the image is an ELF object or an offload bundle of them. */
#include "tests/emu/hip/hip_state.h"
#include "tests/emu/readable.h"

#include <elf.h>

/* LLVM's AMDGPUUsage, "ELF Code Object". e_flags from ABI version 4 on:
 *
 *     31            12 11    10 9     8 7            0
 *    +----------------+--------+-------+--------------+
 *    |                | sramecc| xnack |  processor   |    features: 0 none, 1 any, 2 off, 3 on
 *    +----------------+--------+-------+--------------+ */
enum {
    MACHINE_AMDGPU = 224,
    OSABI_AMDGPU_HSA = 64,
    ABI_VERSION_V4 = 2,
    PROCESSOR_GFX950 = 0x4f,
    FLAG_OFF = 2,
    FLAG_ON = 3
};

enum { MAX_ENTRIES = 1024 }; /* of a bundle: far more than there are processors */

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char compressed_magic[] = "CCOB";

/* Whether that part is within the image; where its size is not known, whether all up to its end can be read. */
static int is_there(const unsigned char *image, size_t bytes, uint64_t offset, uint64_t length)
{
    if (bytes) return offset <= bytes && length <= bytes - offset;
    return offset <= SIZE_MAX - length && emu_readable(image, offset + length) == offset + length;
}

static int starts_with(const void *image, size_t bytes, const char *magic, size_t length)
{
    return is_there(image, bytes, 0, length) && memcmp(image, magic, length) == 0;
}

/* Whether an object that wants a feature on or off runs where the device has it so; either may leave it open. */
static int feature_fits(enum hip_feature device, unsigned flag)
{
    if (device == HIP_FEATURE_ANY || flag < FLAG_OFF) return 1;
    return (device == HIP_FEATURE_ON) == (flag == FLAG_ON);
}

static const char *flag_name(unsigned flag)
{
    return flag == FLAG_ON ? "on" : flag == FLAG_OFF ? "off" : "as it is";
}

static hipError_t check_object(const void *image, size_t bytes)
{
    const struct hip_config *config = &hip_library.config;
    Elf64_Ehdr header;
    if (!starts_with(image, bytes, ELFMAG, SELFMAG) || !is_there(image, bytes, 0, sizeof header))
        return hip_refuse(hipErrorInvalidImage, "the image is neither an ELF object nor an offload bundle");
    memcpy(&header, image, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != MACHINE_AMDGPU ||
        header.e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
        return hip_refuse(hipErrorInvalidImage, "the image is an ELF object, but not for AMD GPUs and HSA");
    unsigned processor = header.e_flags & 0xff, xnack = header.e_flags >> 8 & 3, sramecc = header.e_flags >> 10 & 3;
    if (!config->gfx950)
        return hip_refuse(hipErrorNoBinaryForGpu, "nothing runs on the emulated device %s; the emulator knows gfx950",
                          config->arch);
    if (processor != PROCESSOR_GFX950)
        return hip_refuse(hipErrorNoBinaryForGpu, "the object is for processor 0x%x, the device is %s (0x%x)",
                          processor, config->arch, PROCESSOR_GFX950);
    if (header.e_ident[EI_ABIVERSION] < ABI_VERSION_V4)
        return hip_refuse(hipErrorInvalidImage, "ABI version %u of the object is older than %d (code object V4)",
                          header.e_ident[EI_ABIVERSION], ABI_VERSION_V4);
    if (!feature_fits(config->xnack, xnack) || !feature_fits(config->sramecc, sramecc))
        return hip_refuse(hipErrorNoBinaryForGpu, "the object wants xnack %s and sramecc %s, the device is %s",
                          flag_name(xnack), flag_name(sramecc), config->arch);
    return hipSuccess;
}

static uint64_t load64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Whether a bundle's entry, such as "hipv4-amdgcn-amd-amdhsa--gfx950:xnack-", is for the device. */
static int entry_fits(const char *id, size_t length)
{
    const struct hip_config *device = &hip_library.config;
    char text[256];
    struct hip_config entry;
    if (length >= sizeof text || length < 3 || memcmp(id, "hip", 3) != 0) return 0;
    memcpy(text, id, length);
    text[length] = 0;
    const char *arch = strstr(text, "-gfx");
    if (!arch || hip_config_arch(&entry, arch + 1) != 0) return 0;
    size_t name = strcspn(entry.arch, ":");
    return name == strcspn(device->arch, ":") && memcmp(entry.arch, device->arch, name) == 0 &&
           (!device->xnack || !entry.xnack || device->xnack == entry.xnack) &&
           (!device->sramecc || !entry.sramecc || device->sramecc == entry.sramecc);
}

/* A bundle: magic, u64 count, and for each entry u64 offset, size and length of the id that follows. */
static hipError_t select_entry(const unsigned char *image, size_t bytes, const void **object, size_t *object_bytes)
{
    uint64_t at = sizeof bundle_magic - 1;
    if (!is_there(image, bytes, at, 8)) return hip_refuse(hipErrorInvalidImage, "the offload bundle is cut off");
    uint64_t count = load64(image + at);
    at += 8;
    if (count > MAX_ENTRIES)
        return hip_refuse(hipErrorInvalidImage, "the offload bundle claims %llu entries", (unsigned long long)count);
    for (uint64_t n = 0; n < count; n++) {
        if (!is_there(image, bytes, at, 24)) return hip_refuse(hipErrorInvalidImage, "the offload bundle is cut off");
        uint64_t offset = load64(image + at), size = load64(image + at + 8), length = load64(image + at + 16);
        at += 24;
        if (length > 4096 || !is_there(image, bytes, at, length) || !is_there(image, bytes, offset, size))
            return hip_refuse(hipErrorInvalidImage, "entry %llu of the offload bundle is not within it",
                              (unsigned long long)n);
        if (size && entry_fits((const char *)image + at, length)) {
            *object = image + offset;
            *object_bytes = size;
            return hipSuccess;
        }
        at += length;
    }
    return hip_refuse(hipErrorNoBinaryForGpu, "none of the %llu entries of the offload bundle is for the device %s",
                      (unsigned long long)count, hip_library.config.arch);
}

hipError_t hip_image_select(const void *image, size_t bytes, const void **object, size_t *object_bytes)
{
    *object = image;
    *object_bytes = bytes;
    if (starts_with(image, bytes, compressed_magic, sizeof compressed_magic - 1)) {
        hip_print("compressed offload bundles are not supported");
        return hipErrorNotSupported;
    }
    if (starts_with(image, bytes, bundle_magic, sizeof bundle_magic - 1)) {
        hipError_t status = select_entry(image, bytes, object, object_bytes);
        if (status != hipSuccess) return status;
    }
    return check_object(*object, *object_bytes);
}

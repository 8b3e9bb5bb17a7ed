/* mxgen's occupancy against the emulator's, and its limits by trying what happens without them. */
#include "gen/machine.h"
#include "gen/occupancy.h"
#include "tests/emu/emu.h"
#include "tests/test.h"

static const uint32_t threads[] = {64, 128, 192, 256, 384, 512, 768, 1024};
static const uint32_t lds_bytes[] = {0, 1, 1088, 8704, 16384, 20480, 32768, 54613, 65536, 81920, 81921, 131072, 163840};
enum { THREADS = sizeof threads / sizeof threads[0], LDS = sizeof lds_bytes / sizeof lds_bytes[0] };

static struct gen_kernel_facts kernel_of(uint32_t vgprs, uint32_t lds, uint32_t workgroup)
{
    return (struct gen_kernel_facts){.vgprs_allocated = vgprs, .lds_bytes = lds, .workgroup_threads = workgroup};
}

/* Of all that can be launched: so many registers that one workgroup fits. */
static void for_each(void (*check)(const struct gen_kernel_facts *kernel))
{
    for (uint32_t vgprs = GEN_VGPR_GRANULE; vgprs <= GEN_SIMD_VGPRS; vgprs += GEN_VGPR_GRANULE)
        for (int t = 0; t < THREADS; t++)
            for (int l = 0; l < LDS; l++) {
                const struct gen_kernel_facts kernel = kernel_of(vgprs, lds_bytes[l], threads[t]);
                if (gen_occupancy_of(&kernel).workgroups > 0) check(&kernel);
            }
}

static void compare(const struct gen_kernel_facts *kernel)
{
    const struct emu_kernel theirs = {.vgprs = kernel->vgprs_allocated, .lds_bytes = kernel->lds_bytes};
    const struct emu_occupancy expected = emu_occupancy(&theirs, kernel->workgroup_threads, 0);
    const struct gen_occupancy got = gen_occupancy_of(kernel);
    if (got.workgroups != expected.workgroups || got.waves != expected.simd_waves)
        test_fail(__FILE__, __LINE__, "%u VGPRs, %u bytes, %u threads: %u workgroups and %u waves, not %u and %u",
                  kernel->vgprs_allocated, kernel->lds_bytes, kernel->workgroup_threads, got.workgroups, got.waves,
                  expected.workgroups, expected.simd_waves);
}

static void agrees_with_the_emulator(void)
{
    for_each(compare);
}

static uint32_t workgroups_with(struct gen_kernel_facts kernel, uint32_t vgprs, uint32_t lds)
{
    kernel.vgprs_allocated = vgprs, kernel.lds_bytes = lds;
    return gen_occupancy_of(&kernel).workgroups;
}

/* What is no limit changes nothing when it is gone; without all limits that can be taken away there are more. */
static void try_limits(const struct gen_kernel_facts *kernel)
{
    const struct gen_occupancy is = gen_occupancy_of(kernel);
    const uint32_t few = GEN_VGPR_GRANULE;
    const int lds = (is.limits & GEN_LIMIT_LDS) != 0, vgprs = (is.limits & GEN_LIMIT_VGPRS) != 0;
    bool good = is.limits != 0;
    if (!lds) good = good && workgroups_with(*kernel, kernel->vgprs_allocated, 0) == is.workgroups;
    if (!vgprs) good = good && workgroups_with(*kernel, few, kernel->lds_bytes) == is.workgroups;
    if (lds && !vgprs && !(is.limits & GEN_LIMIT_WAVES))
        good = good && workgroups_with(*kernel, kernel->vgprs_allocated, 0) > is.workgroups;
    if (is.limits & GEN_LIMIT_WAVES) good = good && workgroups_with(*kernel, few, 0) == is.workgroups;
    const uint32_t waves = is.workgroups * kernel->workgroup_threads / GEN_WAVE_LANES;
    const struct gen_kernel_facts one_wave = kernel_of(kernel->vgprs_allocated, 0, GEN_WAVE_LANES);
    const uint32_t waves_alone = gen_occupancy_of(&one_wave).workgroups;
    if (is.limits & GEN_LIMIT_WORKGROUP) good = good && waves_alone > waves;
    if (!(is.limits & (GEN_LIMIT_WORKGROUP | GEN_LIMIT_LDS))) good = good && waves_alone == waves;
    if (!good)
        test_fail(__FILE__, __LINE__, "%u VGPRs, %u bytes, %u threads: limits %u", kernel->vgprs_allocated,
                  kernel->lds_bytes, kernel->workgroup_threads, is.limits);
}

static void limits_are_what_limits(void)
{
    for_each(try_limits);
}

/* Worked out by hand. */
static void known_kernels(void)
{
    static const struct {
        uint32_t vgprs, lds, threads, waves, limits;
    } cases[] = {
        {64, 0, 256, 8, GEN_LIMIT_WAVES},                        /* 512 / 64 are the 8 that there can be */
        {72, 0, 256, 7, GEN_LIMIT_VGPRS},                        /* 512 / 72 is 7, and 28 waves are 7 workgroups */
        {128, 0, 512, 4, GEN_LIMIT_VGPRS},                       /* 4 a SIMD are 2 workgroups */
        {168, 0, 512, 2, GEN_LIMIT_VGPRS | GEN_LIMIT_WORKGROUP}, /* 3 a SIMD would be 1.5 */
        {64, 40960, 256, 4, GEN_LIMIT_LDS},                      /* 4 workgroups */
        {128, 40960, 256, 4, GEN_LIMIT_VGPRS | GEN_LIMIT_LDS},
        {64, 20480, 256, 8, GEN_LIMIT_WAVES | GEN_LIMIT_LDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gen_kernel_facts kernel = kernel_of(cases[i].vgprs, cases[i].lds, cases[i].threads);
        const struct gen_occupancy got = gen_occupancy_of(&kernel);
        CHECK_EQ(got.waves, cases[i].waves);
        CHECK_EQ(got.limits, cases[i].limits);
    }
    CHECK_STR(gen_limit_name(GEN_LIMIT_WORKGROUP), "workgroup");
}

int main(void)
{
    TEST(agrees_with_the_emulator);
    TEST(limits_are_what_limits);
    TEST(known_kernels);
    return test_end();
}

/* What a variant can do on a device: every rule refuses by its name and says why, and the limits that selection has of
 * grids are the grids'. */
#include "loader/predict.h"
#include "loader/rules.h"
#include "loader/select.h"
#include "select_fixture.h"
#include "tests/random.h"

/* v0 alone, changed in a field; the problem in a field, or the device. */
struct refused {
    const char *rule, *reason;
    int record_at;
    uint32_t value;
    mxg_problem problem;
    mxg_device device;
};

static mxg_device device_of(uint32_t lds_bytes, const char *arch)
{
    mxg_device device = MXG_DEVICE_MI355X;
    device.lds_bytes = lds_bytes;
    (void)snprintf(device.arch, sizeof device.arch, "%s", arch);
    return device;
}

static void every_rule_refuses_by_name(void)
{
    const mxg_problem plain = problem_of(4, 64, 512);
    const mxg_device mi355x = MXG_DEVICE_MI355X;
    mxg_problem split = plain, wide = plain;
    split.split = 2, wide.lda = 1001;
    const struct refused cases[] = {
        {"a_format", "takes A as mxfp4, not bf16", RECORD_A_FORMAT, MXG_FORMAT_MXFP4, plain, mi355x},
        {"c_format", "writes C as f16, not bf16", RECORD_C_FORMAT, MXG_FORMAT_F16, plain, mi355x},
        {"b_layout", "does not take B in layout row", RECORD_B_LAYOUTS, 2, plain, mi355x},
        {"scale_layout", "does not take scales in layout row", RECORD_SCALE_LAYOUTS, 2, plain, mi355x},
        {"k_multiple", "takes K in multiples of 96, not 512", RECORD_K_MULTIPLE, 96, plain, mi355x},
        {"strides", "has lda up to 1000, not 1001", RECORD_HIGHEST_STRIDE, 1000, wide, mi355x},
        {"split", "has split 1, not 2", RECORD_SPLIT, 1, split, mi355x},
        {"kernarg", "its kernel takes 8 bytes of arguments", RECORD_KERNARG_BYTES, 8, plain, mi355x},
        {"arch", "is for gfx950, not gfx942", RECORD_SPLIT, 1, plain, device_of(163840, "gfx942")},
        {"arch", "is for gfx950:xnack+, not gfx950:sramecc+:xnack-", RECORD_XNACK, 3, plain, mi355x},
        {"lds", "a workgroup takes 70000 bytes of LDS, the device has 65536", RECORD_LDS_BYTES, 70000, plain,
         device_of(65536, "gfx950")},
        {"grid", "it would need 65536 workgroups in y, above 65535", RECORD_SPLIT, 1, problem_of(4, 65536 * 64, 512),
         mi355x},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct refused *c = &cases[i];
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        char says[64];
        uint32_t index = UINT32_MAX;
        open_pack(1);
        pack_set(&pack, 0, c->record_at, c->value);
        seal_and_open();
        CHECK_EQ(mxg_library_select(library, &c->problem, &c->device, &index), MXG_ERROR_NO_VARIANT);
        CHECK_EQ(index, UINT32_MAX);
        (void)snprintf(says, sizeof says, ": 1 by %s (v0 ", c->rule);
        CHECK_HAS(mxg_last_error(), says);
        CHECK_HAS(mxg_last_error(), c->reason);
        CHECK_EQ(mxg_library_explain(library, &c->problem, &c->device, 0, &candidate), MXG_OK);
        CHECK_EQ(candidate.accepted, 0);
        CHECK_HAS(candidate.reason, c->reason);
        close_pack();
    }
    open_pack(2);
    seal_and_open();
    mxg_problem named = plain;
    named.variant = "v1";
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    CHECK_EQ(mxg_library_explain(library, &named, NULL, 0, &candidate), MXG_OK);
    CHECK_STR(candidate.reason, "another variant is asked for");
    close_pack();
}

/* By LLVM's AMDGPUUsage and HIP: unsupported (0) and any (1) run everywhere, off (2) and on (3) where it is so. */
static void features_of_the_processor(void)
{
    static const struct {
        const char *arch;
        char xnack, sramecc;
    } devices[] = {
        {"gfx950", 0, 0},
        {"gfx950:sramecc+:xnack-", '-', '+'},
        {"gfx950:sramecc+:xnack+", '+', '+'},
        {"gfx950:xnack-:sramecc-", '-', '-'},
        {"gfx950:xnack+", '+', 0},
        {"gfx950:sramecc-", 0, '-'},
        {"gfx950:other+:sramecc+", 0, '+'},
        {"gfx950:xnack2+:xnack-", '-', 0},
    };
    static const char *const fits[4] = {"0-+", "0-+", "-", "+"};
    for (uint32_t xnack = 0; xnack < 4; xnack++)
        for (uint32_t sramecc = 0; sramecc < 4; sramecc++) {
            open_pack(1);
            pack_set(&pack, 0, RECORD_XNACK, xnack);
            pack_set(&pack, 0, RECORD_SRAMECC, sramecc);
            seal_and_open();
            for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
                const mxg_device device = device_of(163840, devices[i].arch);
                const mxg_problem p = problem_of(4, 64, 512);
                const bool good = strchr(fits[xnack], devices[i].xnack ? devices[i].xnack : '0') &&
                                  strchr(fits[sramecc], devices[i].sramecc ? devices[i].sramecc : '0');
                uint32_t index;
                if (!CHECK_EQ(mxg_library_select(library, &p, &device, &index), good ? MXG_OK : MXG_ERROR_NO_VARIANT))
                    printf("# xnack %u, sramecc %u on %s\n", xnack, sramecc, devices[i].arch);
                if (!good) CHECK_HAS(mxg_last_error(), "1 by arch (v0 is for gfx950:");
            }
            close_pack();
        }
}

static void other_processors(void)
{
    static const char *const others[] = {"gfx942", "gfx95", "gfx9500", "gfx950a", "gfx90a:sramecc+:xnack-", "x"};
    open_pack(1);
    seal_and_open();
    const mxg_problem p = problem_of(4, 64, 512);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const mxg_device device = device_of(163840, others[i]);
        uint32_t index;
        CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_NO_VARIANT);
        CHECK_HAS(mxg_last_error(), "v0 is for gfx950, not ");
    }
    close_pack();
}

/* v4, which would be chosen, takes as much LDS as the device has, or a byte more or less. */
static void lds_of_the_device(void)
{
    open_pack(5);
    pack_set(&pack, 4, RECORD_LDS_BYTES, 65536);
    pack_set(&pack, 4, RECORD_ROUND_TRIP_STEPS, 8);
    seal_and_open();
    mxg_problem p = problem_of(16, 2112, 7168);
    p.split = 1;
    for (uint32_t lds_bytes = 65535; lds_bytes <= 65537; lds_bytes++) {
        const mxg_device device = device_of(lds_bytes, "gfx950:sramecc+:xnack-");
        uint32_t index;
        CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_OK);
        CHECK_EQ(index, lds_bytes < 65536 ? 0 : 4);
    }
    close_pack();
}

static void devices_that_are_none(void)
{
    static const char *const archs[] = {"",         ":xnack+",       "gfx950:",       "gfx950:+", "gfx950:xnack",
                                        "gfx950::", "gfx950:xnack*", "gfx950:\"a\"+", "gfx950 ",  "GFX950"};
    open_pack(1);
    seal_and_open();
    const mxg_problem p = problem_of(4, 64, 512);
    uint32_t index;
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        const mxg_device device = device_of(163840, archs[i]);
        CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_ARGUMENT);
        CHECK_HAS(mxg_last_error(), "device: arch is '");
        CHECK_EQ(mxg_library_explain(library, &p, &device, 0, &candidate), MXG_ERROR_ARGUMENT);
    }
    mxg_device device = MXG_DEVICE_MI355X;
    memset(device.arch, 'a', sizeof device.arch);
    CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "device: arch has no end");
    device = (mxg_device)MXG_DEVICE_MI355X, device.lds_bytes = 0;
    CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "device: lds_bytes is 0");
    device = (mxg_device)MXG_DEVICE_MI355X, device.cu_count = 0;
    CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "device: cu_count is 0");
    device.cu_count = UINT32_MAX;
    CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_OK);
    device.struct_bytes = 12; /* without the arch */
    CHECK_EQ(mxg_library_select(library, &p, &device, &index), MXG_ERROR_ARGUMENT);
    close_pack();
}

/* An m or n from small to 2^31 - 1, often just at a multiple of something. */
static int64_t random_size(uint64_t *seed, uint32_t tile)
{
    const int64_t size = (int64_t)(random_next(seed) >> (33 + random_below(seed, 31)));
    const int64_t at = size / tile * tile + (int64_t)random_below(seed, 3) - 1;
    return at < 0 ? 0 : at > INT32_MAX ? INT32_MAX : at;
}

/* mxg_grid_of() in one place, selection's limits in another. */
static void limits_of_grids_agree(void)
{
    static const uint32_t threads[] = {64, 128, 256, 1024}, tiles[] = {16, 48, 64, 100, 256, 1024};
    uint64_t seed = 5;
    uint32_t passed = 0, refused = 0;
    for (int round = 0; round < 300000; round++) {
        struct mxg_variant v = {.kernarg_bytes = 128, .k_multiple = 32, .slice_k = 128, .round_trip_steps = 1};
        v.a_format = v.c_format = 1, v.b_layouts = v.scale_layouts = 3, v.vgprs = 64;
        v.tile_m = tiles[random_below(&seed, 6)], v.tile_n = tiles[random_below(&seed, 6)];
        v.split = random_below(&seed, 2) ? 1 : 1 + (uint32_t)random_below(&seed, 64);
        v.reduction = v.split == 1 ? 0 : 1 + (uint32_t)random_below(&seed, 2);
        v.reduce_threads = v.reduction == 1 ? threads[random_below(&seed, 4)] : 0;
        v.grid_order = (uint32_t)random_below(&seed, 2);
        v.workgroup_threads = threads[random_below(&seed, 4)];
        const mxg_problem p = {.m = random_size(&seed, v.tile_m), .n = random_size(&seed, v.tile_n), .k = 8192};
        struct mxg_traits traits = {0};
        struct mxg_grid grid;
        char why[128];
        mxg_rules_derive(&v, &traits);
        const double tiles_there = mxg_tiles(&traits, (double)p.m, (double)p.n);
        const bool possible = mxg_grid_of(&v, &p, &grid, why, sizeof why);
        if (!CHECK_EQ(mxg_grid_passes(&traits, (int32_t)p.m, (int32_t)p.n, tiles_there), possible)) {
            printf("# m %" PRId64 ", n %" PRId64 ": %s\n", p.m, p.n, possible ? "possible" : why);
            return;
        }
        if (possible && !CHECK(tiles_there * v.split == (double)mxg_workgroups(&v, &p))) return;
        passed += possible, refused += !possible;
    }
    CHECK(passed > 50000 && refused > 50000);
}

int main(void)
{
    TEST(every_rule_refuses_by_name);
    TEST(features_of_the_processor);
    TEST(other_processors);
    TEST(lds_of_the_device);
    TEST(devices_that_are_none);
    TEST(limits_of_grids_agree);
    return test_end();
}

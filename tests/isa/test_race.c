/* The race check: LDS between the waves of a workgroup. */
#include "tests/isa/asm_kernel.h"

#define ONLY(wave, text) "s_cmp_lg_u32 s4, " #wave "\ns_cbranch_scc1 .Lnot" #wave "\n" text "\n.Lnot" #wave ":\n"
#define DONE "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define SYNC DONE "s_barrier\n"

/* v1 is 0: one address for all lanes and waves. */
#define ZERO "v_mov_b32 v1, 0\n"

static const struct asm_case lds_cases[] = {
    {"own bytes", NULL, 4, "ds_write_b32 v0, v0\n" DONE "ds_read_b32 v2, v0\n" DONE, NULL},
    {"written by two", "race", 2, ZERO "ds_write_b32 v1, v0\n" DONE, "which wave 0 touched by ds_write_b32"},
    {"read by two", NULL, 2, ZERO ONLY(0, "ds_write_b32 v1, v0\n" DONE) "s_barrier\nds_read_b32 v2, v1\n" DONE, NULL},
    {"written, then read", "race", 2, ZERO ONLY(0, "ds_write_b32 v1, v0\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE),
     "which wave 0 touched"},
    {"written, barrier, read", NULL, 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0\n") SYNC ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"read, then written", "race", 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n" DONE) ONLY(1, "ds_write_b32 v1, v0\n" DONE), "ds_read_b32"},
    {"read, barrier, written", NULL, 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n") SYNC ONLY(1, "ds_write_b32 v1, v0\n" DONE), NULL},
    {"the write had not completed at the barrier", "race", 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0\n") "s_barrier\n" ONLY(1, "ds_read_b32 v2, v1\n" DONE),
     "with no barrier between that follows its completion"},
    {"the read had not completed at the barrier", "race", 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n") "s_barrier\n" ONLY(1, "ds_write_b32 v1, v0\n" DONE) DONE,
     "with no barrier between that follows its completion"},
    {"completed at the second barrier", NULL, 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0\n") "s_barrier\n" SYNC ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"a wait for the older one only", "race", 2,
     ZERO ONLY(0, "ds_write_b32 v0, v0 offset:1024\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(1)\n")
         "s_barrier\n" ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"neighbouring bytes", NULL, 2,
     "v_mov_b32 v1, s4\nds_write_b8 v1, v0\n" SYNC, NULL},
    {"bytes of one dword, one shared", "race", 2, ZERO "ds_write_b8 v1, v0\n" DONE, NULL},
    {"a dword over a byte", "race", 2,
     ZERO ONLY(0, "ds_write_b8 v1, v0 offset:3\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"a dword beside a byte", NULL, 2,
     ZERO ONLY(0, "ds_write_b8 v1, v0 offset:4\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"sixteen bytes over the last", "race", 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0 offset:12\n" DONE) ONLY(1, "ds_read_b128 v[4:7], v1\n" DONE), NULL},
    {"the second of two places", "race", 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0 offset:16\n" DONE) ONLY(1, "ds_read2_b32 v[4:5], v1 offset1:4\n" DONE), NULL},
    {"atomics among themselves", NULL, 4, ZERO "ds_add_u32 v1, v0\n" DONE, NULL},
    {"an atomic, then a read", "race", 2,
     ZERO ONLY(0, "ds_add_u32 v1, v0\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"atomics, barrier, read", NULL, 2, ZERO "ds_add_u32 v1, v0\n" SYNC "ds_read_b32 v2, v1\n" DONE, NULL},
    {"loaded to LDS, not waited for", "race", 2,
     ZERO ONLY(0, "global_load_lds_dword v0, s[0:1]\n") "s_waitcnt lgkmcnt(0)\ns_barrier\n"
         ONLY(1, "ds_read_b32 v2, v1\n" DONE) DONE,
     "global_load_lds_dword"},
    {"loaded to LDS, waited for", NULL, 2,
     ZERO ONLY(0, "global_load_lds_dword v0, s[0:1]\n") SYNC ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
    {"read before the barrier, loaded to LDS behind it", NULL, 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n") "s_barrier\n" ONLY(1, "global_load_lds_dword v0, s[0:1]\n") DONE, NULL},
    {"read, loaded to LDS without a barrier", "race", 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n") ONLY(1, "global_load_lds_dword v0, s[0:1]\n") DONE, NULL},
    {"lanes that are off", NULL, 2, ZERO ONLY(1, "s_mov_b64 exec, 0\n") "ds_write_b32 v1, v0\n" DONE, NULL},
    {"many barriers", NULL, 2,
     ZERO "s_movk_i32 s8, 0x1000\n.Lagain:\n" ONLY(0, "ds_write_b32 v1, v0\n") SYNC ONLY(1, "ds_read_b32 v2, v1\n") SYNC
         "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lagain", NULL},
};

static const struct asm_case barrier_cases[] = {
    {"all pass", NULL, 4, "s_barrier", NULL},
    {"one does not", "race", 4, ONLY(0, "s_endpgm") "s_barrier", "wave 0 has ended without it"},
    {"one passes one more", "race", 2, "s_barrier\n" ONLY(1, "s_barrier"), "wave 0 has ended without it"},
    {"from different places", NULL, 2, ONLY(0, "s_barrier\ns_endpgm") "s_barrier", NULL},
};

static void lds(void)
{
    for (size_t n = 0; n < sizeof lds_cases / sizeof lds_cases[0]; n++) asm_judge(&lds_cases[n], EMU_CHECK_RACE);
}

static void barriers(void)
{
    for (size_t n = 0; n < sizeof barrier_cases / sizeof barrier_cases[0]; n++)
        asm_judge(&barrier_cases[n], EMU_CHECK_RACE);
}

/* The result does not depend on whether waits are checked too. */
static void with_all_checks(void)
{
    static const struct asm_case written = {
        "written, then read", "race", 2,
        ZERO ONLY(0, "ds_write_b32 v1, v0\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL};
    asm_judge(&written, EMU_CHECK_ALL);
}

int main(void)
{
    TEST(lds);
    TEST(barriers);
    TEST(with_all_checks);
    return test_end();
}

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

#define STORE "global_store_dword v0, v0, s[0:1]\n"

/* An s_barrier does not wait for waves that have ended. */
static const struct asm_case barrier_cases[] = {
    {"all pass", NULL, 4, "s_barrier\n" STORE, NULL},
    {"one has ended", NULL, 4, ONLY(0, "s_endpgm") "s_barrier\n" STORE, NULL},
    {"one has stored elsewhere and ended", NULL, 4, ONLY(0, "global_store_dword v0, v0, s[0:1] offset:4\ns_endpgm")
     "s_barrier\n" STORE, NULL},
    {"one leaves it out", "race", 4, ONLY(0, "s_branch .Lout") "s_barrier\n.Lout:\n" STORE,
     "not all waves pass the s_barrier before it: wave 0 has executed it and ended without that barrier"},
    {"the last one leaves it out", "race", 4,
     ONLY(3, "s_branch .Lout") "s_barrier\n.Lout:\nds_write_b32 v0, v0\n" DONE, "wave 3 has executed it"},
    {"one leaves the second out", "race", 2,
     "s_barrier\n" STORE ONLY(1, "s_barrier") "ds_add_u32 v0, v0\n" DONE, "wave 0 has executed it"},
    {"one leaves it out for its own copy of the end", "race", 2, ONLY(1, STORE "s_endpgm") "s_barrier\n" STORE,
     "wave 1 has executed it"},
    {"one passes one more and stores nothing behind it", NULL, 2, "s_barrier\n" STORE ONLY(1, "s_barrier"), NULL},
    {"one leaves the loop early", NULL, 2,
     "s_mov_b32 s8, 0\n.Lagain:\n" STORE "s_add_u32 s8, s8, 1\n" ONLY(0, "s_endpgm")
     "s_barrier\ns_cmp_lt_u32 s8, 4\ns_cbranch_scc1 .Lagain", NULL},
    {"one leaves the loop early for what follows it", "race", 2,
     "s_mov_b32 s8, 0\n.Lagain:\ns_add_u32 s8, s8, 1\n" ONLY(0, "s_branch .Lout")
     "s_barrier\ns_cmp_lt_u32 s8, 4\ns_cbranch_scc1 .Lagain\n.Lout:\n" STORE, "wave 0 has executed it"},
    {"written by one that ends, then read", "race", 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0\n" DONE "s_endpgm") "s_barrier\ns_barrier\nds_read_b32 v2, v1\n" DONE,
     "no barrier between: it has ended before the next one"},
    {"added to by one that ends, then read", "race", 2,
     ZERO ONLY(0, "ds_add_u32 v1, v0\n" DONE "s_endpgm") "s_barrier\nds_read_u8 v2, v1 offset:3\n" DONE,
     "wave 0 touched"},
    {"written, barrier, ended, then read", NULL, 2,
     ZERO ONLY(0, "ds_write_b32 v1, v0\n") SYNC
     "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .Lquit\ns_barrier\nds_read_b32 v2, v1\n" DONE ".Lquit:\n", NULL},
    {"read by one that ends, then written", NULL, 2,
     ZERO ONLY(0, "ds_read_b32 v2, v1\n" DONE "s_endpgm") "s_barrier\nds_write_b32 v1, v0\n" DONE, NULL},
    {"written by one that ends, written again and read", NULL, 2,
     ZERO ONLY(0, "ds_write_b32 v1, v1\n" DONE "s_endpgm") "s_barrier\nds_write_b32 v1, v0\nds_read_b32 v2, v1\n" DONE,
     NULL},
    {"from different places", NULL, 2, ONLY(0, "s_barrier\n" STORE "s_endpgm") "s_barrier\n" STORE, NULL},
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

/* The result does not depend on whether waits are checked too, or on whether the reader meets bytes that are not
 * written yet. */
static void with_all_checks(void)
{
    static const struct asm_case cases[] = {
        {"written, then read", "race", 2,
         ZERO ONLY(0, "ds_write_b32 v1, v0\n" DONE) ONLY(1, "ds_read_b32 v2, v1\n" DONE), NULL},
        {"read, used, then written", "race", 2,
         ZERO ONLY(0, "ds_read_b32 v2, v1\n" DONE "global_store_dword v0, v2, s[0:1]\n")
             ONLY(1, "ds_write_b32 v1, v0\n" DONE),
         "which wave 0 touched by ds_read_b32"},
        {"read, used, written behind a barrier", "uninit", 2,
         ZERO ONLY(0, "ds_read_b32 v2, v1\n" DONE "global_store_dword v0, v2, s[0:1]\n")
         "s_barrier\n" ONLY(1, "ds_write_b32 v1, v0\n" DONE), NULL},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) asm_judge(&cases[n], EMU_CHECK_ALL);
}

int main(void)
{
    TEST(lds);
    TEST(barriers);
    TEST(with_all_checks);
    return test_end();
}

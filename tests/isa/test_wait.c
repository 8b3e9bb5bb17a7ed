/* The wait check: registers and LDS bytes used before the s_waitcnt that covers what brings them. */
#include "tests/isa/asm_kernel.h"

#define LOAD(register) "global_load_dword " register ", v0, s[0:1]\n"
#define READ "v_add_u32 v9, v1, v1\n"

static const struct asm_case vmem_cases[] = {
    {"read at once", "wait", 1, LOAD("v1") READ, "v1 is read while global_load_dword"},
    {"read after vmcnt(0)", NULL, 1, LOAD("v1") "s_waitcnt vmcnt(0)\n" READ, NULL},
    {"another counter", "wait", 1, LOAD("v1") "s_waitcnt lgkmcnt(0)\n" READ, NULL},
    {"the older of two", NULL, 1, LOAD("v1") LOAD("v2") "s_waitcnt vmcnt(1)\n" READ, NULL},
    {"the younger of two", "wait", 1, LOAD("v2") LOAD("v1") "s_waitcnt vmcnt(1)\n" READ, NULL},
    {"a store counts", "wait", 1, LOAD("v1") "global_store_dword v0, v0, s[0:1]\ns_waitcnt vmcnt(2)\n" READ, NULL},
    {"a store behind it", NULL, 1, LOAD("v1") "global_store_dword v0, v0, s[0:1]\ns_waitcnt vmcnt(1)\n" READ, NULL},
    {"wider than four bits", NULL, 1,
     LOAD("v1") ".rept 20\n" LOAD("v2") ".endr\ns_waitcnt vmcnt(20)\n" READ, NULL},
    {"wider than four bits, one short", "wait", 1,
     LOAD("v1") ".rept 20\n" LOAD("v2") ".endr\ns_waitcnt vmcnt(21)\n" READ, NULL},
    {"the counter is full", NULL, 1, LOAD("v1") ".rept 63\n" LOAD("v2") ".endr\n" READ, NULL},
    {"the counter is almost full", "wait", 1, LOAD("v1") ".rept 62\n" LOAD("v2") ".endr\n" READ, NULL},
    {"last register of four", "wait", 1,
     "v_mov_b32 v1, 0\nglobal_load_dwordx4 v[2:5], v0, s[0:1]\nv_mov_b32 v9, v5", "v5 is read"},
    {"next to four", NULL, 1, "v_mov_b32 v6, 0\nglobal_load_dwordx4 v[2:5], v0, s[0:1]\nv_mov_b32 v9, v6", NULL},
    {"overwritten", "wait", 1, LOAD("v1") "v_mov_b32 v1, 0", "v1 is written while"},
    {"loaded again, in order", NULL, 1, LOAD("v1") LOAD("v1") "s_waitcnt vmcnt(0)\n" READ, NULL},
    {"loaded by LDS, out of order", "wait", 1, LOAD("v1") "ds_read_b32 v1, v0", "v1 is written while"},
    {"as an address", "wait", 1, LOAD("v1") "global_load_dword v2, v1, s[0:1]", "v1 is read"},
    {"stored", "wait", 1, LOAD("v1") "global_store_dword v0, v1, s[0:1]", "v1 is read"},
    {"an atomic's result", "wait", 1, "v_mov_b32 v2, 0\nglobal_atomic_add v1, v0, v2, s[0:1] sc0\n" READ, NULL},
    {"other lanes", NULL, 1,
     "v_mov_b32 v1, 0\ns_mov_b64 exec, 1\n" LOAD("v1") "s_mov_b64 exec, 2\n" READ "s_waitcnt vmcnt(0)", NULL},
    {"a lane among others", "wait", 1, "v_mov_b32 v1, 0\ns_mov_b64 exec, 1\n" LOAD("v1") "s_mov_b64 exec, 3\n" READ,
     "lane 0"},
    {"an accumulation register", "wait", 1, "global_load_dword a1, v0, s[0:1]\nv_accvgpr_read_b32 v2, a1",
     "a1 is read"},
    {"by a matrix product", "wait", 1,
     ".irp n,10,11,12,13,14,15,16,17\nv_mov_b32 v\\n, 0\n.endr\n"
     "global_load_dword v12, v0, s[0:1]\ns_nop 1\nv_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], 0",
     "v12 is read"},
};

static const struct asm_case lds_cases[] = {
    {"read at once", "wait", 1, "ds_write_b32 v0, v0\nds_read_b32 v1, v0\n" READ, "v1 is read while ds_read_b32"},
    {"read after lgkmcnt(0)", NULL, 1, "ds_write_b32 v0, v0\nds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n" READ, NULL},
    {"another counter", "wait", 1, "ds_write_b32 v0, v0\nds_read_b32 v1, v0\ns_waitcnt vmcnt(0)\n" READ, NULL},
    {"in order", NULL, 1, "ds_write_b32 v0, v0\nds_read_b32 v1, v0\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(1)\n" READ,
     NULL},
    {"a scalar load between", "wait", 1,
     "s_load_dword s8, s[0:1], 0\nds_write_b32 v0, v0\nds_read_b32 v1, v0\ns_waitcnt lgkmcnt(1)\n" READ, NULL},
    {"a permutation", "wait", 1, "ds_bpermute_b32 v1, v0, v0\n" READ, "v1 is read while ds_bpermute_b32"},
    {"loaded to LDS, read too early", "wait", 1,
     "global_load_lds_dword v0, s[0:1]\nds_read_b32 v1, v0", "access to LDS offset 0x0 while global_load_lds_dword"},
    {"loaded to LDS, waited", NULL, 1,
     "global_load_lds_dword v0, s[0:1]\ns_waitcnt vmcnt(0)\nds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n" READ, NULL},
    {"loaded to LDS, read elsewhere", NULL, 1,
     "ds_write_b32 v0, v0 offset:256\nglobal_load_lds_dword v0, s[0:1]\nds_read_b32 v1, v0 offset:256", NULL},
};

static const struct asm_case scalar_cases[] = {
    {"read at once", "wait", 1, "s_load_dword s8, s[0:1], 0\ns_add_u32 s9, s8, s8", "s8 is read while s_load_dword"},
    {"waited", NULL, 1, "s_load_dword s8, s[0:1], 0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s9, s8, s8", NULL},
    {"out of order", "wait", 1,
     "s_load_dword s8, s[0:1], 0\ns_load_dword s10, s[0:1], 0\ns_waitcnt lgkmcnt(1)\ns_add_u32 s9, s8, s8", NULL},
    {"by a vector instruction", "wait", 1, "s_load_dword s8, s[0:1], 0\nv_mov_b32 v1, s8", "s8 is read"},
    {"VCC in a branch", "wait", 1, "s_load_dwordx2 vcc, s[0:1], 0\ns_cbranch_vccz .Lx\n.Lx:", "vcc_lo is read"},
    {"overwritten", "wait", 1, "s_load_dword s8, s[0:1], 0\ns_mov_b32 s8, 0", "s8 is written"},
    {"the clock", "wait", 1, "s_memtime s[8:9]\ns_add_u32 s9, s8, s8", "s8 is read"},
};

static const struct asm_case flat_cases[] = {
    {"to memory, vmcnt", NULL, 1,
     "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nflat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\n" READ, NULL},
    {"to memory, lgkmcnt", "wait", 1,
     "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nflat_load_dword v1, v[2:3]\ns_waitcnt lgkmcnt(0)\n" READ, NULL},
    {"to LDS, vmcnt", "wait", 1,
     "ds_write_b32 v0, v0\ns_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
     "s_waitcnt lgkmcnt(0)\nflat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\n" READ, NULL},
    {"to LDS, both", NULL, 1,
     "ds_write_b32 v0, v0\ns_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
     "s_waitcnt lgkmcnt(0)\nflat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" READ, NULL},
    {"LDS, waited for by one instruction each", NULL, 1,
     "ds_write_b32 v0, v0\ns_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
     "s_waitcnt lgkmcnt(0)\nflat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\ns_waitcnt lgkmcnt(0)\n" READ, NULL},
    {"LDS, and the other way round", NULL, 1,
     "ds_write_b32 v0, v0\ns_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
     "s_waitcnt lgkmcnt(0)\nflat_load_dword v1, v[2:3]\ns_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n" READ, NULL},
};

#define GROUP(name)                                                                                                    \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        for (size_t n = 0; n < sizeof name##_cases / sizeof name##_cases[0]; n++)                                      \
            asm_judge(&name##_cases[n], EMU_CHECK_WAIT);                                                               \
    }

GROUP(vmem)
GROUP(lds)
GROUP(scalar)
GROUP(flat)

/* Without the check results are there at once, and nothing is reported. */
static void off(void)
{
    struct emu_error report;
    asm_run(&vmem_cases[0], EMU_CHECK_ALL & ~EMU_CHECK_WAIT, &report);
    CHECK_STR(report.text, "");
}

int main(void)
{
    TEST(vmem);
    TEST(lds);
    TEST(scalar);
    TEST(flat);
    TEST(off);
    return test_end();
}

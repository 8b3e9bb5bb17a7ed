#include "gen/instruction.h"

#include "gen/machine.h"

#include <stdlib.h>
#include <string.h>

const char *const gen_class_names[GEN_CLASSES] = {
    [GEN_CLASS_MFMA] = "mfma",   [GEN_CLASS_VALU] = "valu",     [GEN_CLASS_SALU] = "salu",
    [GEN_CLASS_VMEM] = "vmem",   [GEN_CLASS_SMEM] = "smem",     [GEN_CLASS_LDS] = "lds",
    [GEN_CLASS_WAIT] = "wait",   [GEN_CLASS_BRANCH] = "branch", [GEN_CLASS_BARRIER] = "barrier",
    [GEN_CLASS_OTHER] = "other",
};

/* The first prefix that a mnemonic has decides. */
static const struct {
    const char *prefix;
    enum gen_class class;
    enum gen_flow flow;
} rules[] = {
    {"v_mfma_", GEN_CLASS_MFMA, GEN_FLOW_NEXT},
    {"v_smfmac_", GEN_CLASS_MFMA, GEN_FLOW_NEXT},
    {"v_", GEN_CLASS_VALU, GEN_FLOW_NEXT},
    {"buffer_", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
    {"tbuffer_", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
    {"global_", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
    {"flat_", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
    {"scratch_", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
    {"ds_", GEN_CLASS_LDS, GEN_FLOW_NEXT},
    {"s_waitcnt", GEN_CLASS_WAIT, GEN_FLOW_NEXT},
    {"s_barrier", GEN_CLASS_BARRIER, GEN_FLOW_NEXT},
    {"s_branch", GEN_CLASS_BRANCH, GEN_FLOW_JUMP},
    {"s_cbranch_", GEN_CLASS_BRANCH, GEN_FLOW_BRANCH},
    {"s_endpgm", GEN_CLASS_BRANCH, GEN_FLOW_END},
    {"s_setpc_", GEN_CLASS_BRANCH, GEN_FLOW_END},
    {"s_swappc_", GEN_CLASS_BRANCH, GEN_FLOW_NEXT},
    {"s_call_", GEN_CLASS_BRANCH, GEN_FLOW_NEXT},
    {"s_load_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_buffer_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_scratch_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_store_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_atomic_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_dcache_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_memtime", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_memrealtime", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_atc_", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
    {"s_nop", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_sleep", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_setprio", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_sethalt", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_setkill", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_sendmsg", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_trap", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_wakeup", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_icache_inv", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_incperflevel", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_decperflevel", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_ttracedata", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_set_gpr_idx_off", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_set_gpr_idx_mode", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    {"s_", GEN_CLASS_SALU, GEN_FLOW_NEXT},
};

/* The number of bits that a mnemonic of LDS names first, in bytes: 8 of ds_read_b64_tr_b16; 0: it names none. */
static uint32_t lds_width(const char *mnemonic)
{
    if (strstr(mnemonic, "_pk_")) return 4; /* two of f16 or bf16 */
    for (const char *p = mnemonic; (p = strchr(p, '_')) != NULL; p++)
        if (p[1] && strchr("buif", p[1]) && p[2] >= '0' && p[2] <= '9') return (uint32_t)strtoul(p + 2, NULL, 10) / 8;
    return 0;
}

/* What a lane, or with a scalar load the wave, has of memory. */
static uint32_t memory_width(const char *mnemonic)
{
    const char *found;
    if ((found = strstr(mnemonic, "dwordx")) != NULL) return 4 * (uint32_t)strtoul(found + 6, NULL, 10);
    if (strstr(mnemonic, "dword")) return 4;
    if (strstr(mnemonic, "short")) return 2;
    if (strstr(mnemonic, "byte")) return 1;
    if ((found = strstr(mnemonic, "format_")) != NULL)
        return (uint32_t)strlen(strrchr(found, '_') + 1) * (strstr(found, "d16") ? 2 : 4);
    return strstr(mnemonic, "_x2") || strstr(mnemonic, "_f64") ? 8 : 4; /* of an atomic */
}

static struct gen_traffic lds_traffic(const char *mnemonic)
{
    static const char *const no_access[] = {"swizzle", "permute", "ds_nop", "ds_gws"};
    struct gen_traffic traffic = {0};
    for (size_t i = 0; i < sizeof no_access / sizeof no_access[0]; i++)
        if (strstr(mnemonic, no_access[i])) return traffic;
    int places = strstr(mnemonic, "2_") || strstr(mnemonic, "2st64_") ? 2 : 1;
    uint32_t bytes = lds_width(mnemonic) * (uint32_t)places * GEN_WAVE_LANES;
    if (!strstr(mnemonic, "_write")) traffic.lds_read = bytes; /* an atomic does both */
    if (!strstr(mnemonic, "_read")) traffic.lds_written = bytes;
    return traffic;
}

static struct gen_traffic vector_traffic(const char *mnemonic, const char *operands)
{
    struct gen_traffic traffic = {0};
    int atomic = strstr(mnemonic, "_atomic_") != NULL;
    uint32_t bytes = memory_width(mnemonic) * GEN_WAVE_LANES;
    if (atomic || strstr(mnemonic, "_load_")) traffic.loaded = bytes;
    if (atomic || strstr(mnemonic, "_store_")) traffic.stored = bytes;
    if (strstr(mnemonic, "_load_lds_") || strstr(operands, " lds")) traffic.lds_written = bytes;
    return traffic;
}

void gen_instruction_classify(struct gen_instruction *instruction, uint32_t dword)
{
    char mnemonic[64];
    size_t length = strcspn(instruction->text, " ");
    const char *operands = instruction->text + length;
    if (length >= sizeof mnemonic) length = sizeof mnemonic - 1;
    memcpy(mnemonic, instruction->text, length);
    mnemonic[length] = 0;

    instruction->class = GEN_CLASS_OTHER;
    instruction->flow = GEN_FLOW_NEXT;
    instruction->traffic = (struct gen_traffic){0};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strncmp(mnemonic, rules[i].prefix, strlen(rules[i].prefix)) != 0) continue;
        instruction->class = rules[i].class, instruction->flow = rules[i].flow;
        break;
    }
    /* The low half is the distance from the next instruction, in dwords. */
    instruction->target = instruction->address + 4 + (uint64_t)((int64_t)(int16_t)(dword & 0xffff) * 4);
    if (instruction->class == GEN_CLASS_LDS) instruction->traffic = lds_traffic(mnemonic);
    if (instruction->class == GEN_CLASS_VMEM) instruction->traffic = vector_traffic(mnemonic, operands);
    if (instruction->class == GEN_CLASS_SMEM && strstr(mnemonic, "_load_"))
        instruction->traffic.scalar_loaded = memory_width(mnemonic);
}

size_t gen_instruction_at(const struct gen_instruction *code, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code[low].address == address ? low : count;
}

void gen_tally_add(struct gen_tally *tally, const struct gen_instruction *instruction)
{
    tally->instructions++;
    tally->bytes += instruction->bytes;
    tally->classes[instruction->class]++;
    tally->traffic.loaded += instruction->traffic.loaded;
    tally->traffic.stored += instruction->traffic.stored;
    tally->traffic.scalar_loaded += instruction->traffic.scalar_loaded;
    tally->traffic.lds_read += instruction->traffic.lds_read;
    tally->traffic.lds_written += instruction->traffic.lds_written;
}

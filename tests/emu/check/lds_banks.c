/* The LDS of gfx950 has 64 banks of 4 bytes. It takes an access of a wave in phases, each of certain lanes; a phase
 * takes as many passes as the busiest bank has different words to give or to take. Lanes that want the same word share
 * it, and a phase of which no lane is on takes none.
 *
 * What is known of the phases, all of it measured or modelled by others on MI350X and MI355X:
 *   read  b32    one phase; 64 banks       nod-ai/amd-shark-ai, docs/empirical-lds/cdna4info.md
 *   read  b64    halves; 64 banks          the same, and HipKittens, analysis/paper_experiments/phases
 *   read  b96    eight lanes; 32 banks     HipKittens, ibid.
 *   read  b128   sixteen lanes; 64 banks   triton pull request 11365, and both of the above
 *   write b64    quarters; 32 banks        HipKittens, ibid.
 *   write b128   eights; 32 banks          ROCm's documentation of CK Tile, "LDS bank conflicts", for the lanes;
 *                                          ROCm/rocm-libraries, rocRoller's LDSBankModel.cpp, for the banks
 * rocRoller has 32 banks for all but reads of b64 and b128, so also for reads of b32, where the measurement is followed
 * here. What acts as 32 banks moves 128 bytes a pass.
 *
 * Not known, and assumed: writes of b32 take halves, as the other writes do 128 bytes a pass; writes of b96 are like
 * those of b128, bytes and words of 16 bits like b32; instructions with two places take each as an access of its own;
 * reads with transposition are like those without, atomics and loads to LDS like writes; an address that is no
 * multiple of the width only adds the words it reaches into. */
#include "tests/emu/check/lds_banks.h"

enum { MAX_BANKS = 64, MAX_PHASES = 8 };

struct rule {
    uint8_t bytes, writes, banks;
    u64 phase[MAX_PHASES]; /* lanes; 0 behind the last */
};

#define RUN(lanes, first) (UINT64_MAX >> (LANES - (lanes)) << (first))
#define FOURS(a, b) (RUN(4, a) | RUN(4, b))

/* By width; what is narrower is as the next. */
static const struct rule rules[] = {
    {4, 0, 64, {UINT64_MAX}},
    {8, 0, 64, {RUN(32, 0), RUN(32, 32)}},
    {12, 0, 32,
     {FOURS(0, 20), FOURS(4, 16), FOURS(8, 28), FOURS(12, 24), FOURS(32, 52), FOURS(36, 48), FOURS(40, 60),
      FOURS(44, 56)}},
    {16, 0, 64,
     {FOURS(0, 12) | RUN(8, 20), FOURS(32, 44) | RUN(8, 52), FOURS(16, 28) | RUN(8, 4), FOURS(48, 60) | RUN(8, 36)}},
    {4, 1, 32, {RUN(32, 0), RUN(32, 32)}},
    {8, 1, 32, {RUN(16, 0), RUN(16, 16), RUN(16, 32), RUN(16, 48)}},
    {16, 1, 32,
     {RUN(8, 0), RUN(8, 8), RUN(8, 16), RUN(8, 24), RUN(8, 32), RUN(8, 40), RUN(8, 48), RUN(8, 56)}},
};

static const struct rule *find_rule(unsigned bytes, int writes)
{
    const struct rule *rule = rules;
    while (rule->bytes < bytes || rule->writes != writes) rule++;
    return rule;
}

/* The most different words that one bank has. */
static unsigned busiest_bank(const u32 address[LANES], u64 mask, unsigned bytes, unsigned banks)
{
    u32 word[MAX_BANKS][LANES]; /* a lane has no two words in one bank */
    uint8_t count[MAX_BANKS] = {0};
    unsigned most = 0;
    for (; mask; mask &= mask - 1) {
        const u32 at = address[__builtin_ctzll(mask)];
        for (u32 this = at / 4; this <= (at + bytes - 1) / 4; this++) {
            u32 *in_bank = word[this % banks];
            uint8_t *n = &count[this % banks], k = 0;
            while (k < *n && in_bank[k] != this) k++;
            if (k < *n) continue;
            in_bank[(*n)++] = this;
            if (*n > most) most = *n;
        }
    }
    return most;
}

struct lds_passes lds_passes(const u32 address[LANES], u64 mask, unsigned bytes, int writes)
{
    const struct rule *rule = find_rule(bytes, writes);
    struct lds_passes all = {0, 0};
    for (int n = 0; n < MAX_PHASES; n++) {
        if (!(mask & rule->phase[n])) continue;
        unsigned passes = busiest_bank(address, mask & rule->phase[n], bytes, rule->banks);
        all.passes += passes;
        all.conflicts += passes - 1;
    }
    return all;
}

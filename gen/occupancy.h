/* How much of a kernel a compute unit holds at once, and what keeps it from holding more. */
#ifndef MXG_GEN_OCCUPANCY_H
#define MXG_GEN_OCCUPANCY_H

#include "gen/inspect.h"

/* Set of what limits; more of one alone would not help where several do. */
enum gen_limit {
    GEN_LIMIT_WAVES = 1,     /* no SIMD holds more, whatever they take */
    GEN_LIMIT_VGPRS = 2,     /* AGPRs included */
    GEN_LIMIT_WORKGROUP = 4, /* waves would fit, but a workgroup is there whole or not at all */
    GEN_LIMIT_LDS = 8,
    GEN_LIMITS_END = 16
};

struct gen_occupancy {
    uint32_t workgroups; /* of a compute unit */
    uint32_t waves;      /* of a SIMD, rounded up */
    uint32_t limits;     /* enum gen_limit */
};

struct gen_occupancy gen_occupancy_of(const struct gen_kernel_facts *kernel);

/* "vgprs" */
const char *gen_limit_name(uint32_t limit);

/* Appends the names of a set: "vgprs+workgroup". */
void gen_limit_names(uint32_t limits, struct gen_text *text);

#endif

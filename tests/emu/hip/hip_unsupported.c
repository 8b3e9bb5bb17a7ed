/* Calls that the emulator does not offer: each says so, by name, once it is used, so that a host that could call it
 * links, loads and runs as far as that. */
#include "tests/emu/hip/hip_unsupported.h"

/* Without HIP's header, as parameters do not matter here: the x86-64 calling convention leaves them to the caller. */
#define UNSUPPORTED(name)                                                                                              \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return hip_refuse_call(#name);                                                                                 \
    }
#include "tests/emu/hip/hip_unsupported.def"

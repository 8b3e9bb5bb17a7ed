#ifndef EMU_HIP_UNSUPPORTED_H
#define EMU_HIP_UNSUPPORTED_H

/* What a call that is not offered does: prints that, and returns hipErrorNotSupported (or why there is no device). */
__attribute__((visibility("hidden"))) int hip_refuse_call(const char *name);

#endif

/* Logarithms that are the same bits on every machine: libm's are not. Of double's +, -, * and / as IEEE 754 rounds
 * them, which takes a compiler that keeps to them (C11's FLT_EVAL_METHOD 0, no contraction to FMA). */
#ifndef MXG_LOADER_LOG2_H
#define MXG_LOADER_LOG2_H

/* Within 2^-45 of the true value; of a positive, finite x. */
double mxg_log2(double x);

/* Within 2^-45 of 2^x, relatively; |x| at most 1000. */
double mxg_exp2(double x);

#endif

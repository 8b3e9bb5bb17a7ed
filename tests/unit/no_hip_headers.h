/* The whole of a test program that was compiled without the HIP headers. */
#include "tests/test.h"

static void compiled_with_hip_headers(void)
{
    SKIP("there are no HIP headers among the compiler's directories");
}

int main(void)
{
    TEST(compiled_with_hip_headers);
    return test_end();
}

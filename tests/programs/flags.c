// The exceptions that float instructions raise. Whether tiny results are noticed before or after rounding, and which
// NaN
// a result is, is the choice of a machine: the outputs of two machines differ.
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The exceptions since the last call.
static void flags(void) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    putchar('[');
    if (raised & FE_INVALID) putchar('V');
    if (raised & FE_DIVBYZERO) putchar('Z');
    if (raised & FE_OVERFLOW) putchar('O');
    if (raised & FE_UNDERFLOW) putchar('U');
    if (raised & FE_INEXACT) putchar('X');
    putchar(']');
    feclearexcept(FE_ALL_EXCEPT);
}

// Most of the time would be spent in printf.
static void hex(uint64_t bits, int digits) {
    while (digits--) putchar("0123456789abcdef"[bits >> 4 * digits & 15]);
    flags();
}

static void show(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    hex(bits, 16);
}

static void show_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof x);
    hex(bits, 8);
}

// Volatile variables keep an operation between the calls that clear and test.
#define CASE(print, type, result, expression) \
    do { \
        feclearexcept(FE_ALL_EXCEPT); \
        volatile type result_ = (expression); \
        print(result_); \
    } while (0)

// The values, infinite and not a number included, in both formats.
#define ALL(name, type, show, root, fused, largest, least, epsilon, quiet, signalling) \
    static void name(void) { \
        static volatile type values[] = {0, -(type)0, 1, -1, 3, largest, -(largest), least, \
            least / 2 + least * epsilon, \
            least * epsilon, 1 - epsilon / 2, (type)INFINITY, -(type)INFINITY, quiet, signalling}; \
        enum { COUNT = sizeof values / sizeof *values }; \
        for (int i = 0; i < COUNT; i++) { \
            CASE(show, type, r, root(values[i])); \
            for (int k = 0; k < COUNT; k++) { \
                CASE(show, type, r, values[i] + values[k]); \
                CASE(show, type, r, values[i] - values[k]); \
                CASE(show, type, r, values[i] * values[k]); \
                CASE(show, type, r, values[i] / values[k]); \
                CASE(show, type, r, fused(values[i], values[k], values[(i + k) % COUNT])); \
                CASE(show, type, r, fused(-values[k], values[i], values[(i * k) % COUNT])); \
                CASE(show, type, r, fused(values[k], values[i], -values[(i * k) % COUNT])); \
                CASE(show, type, r, fused(-values[k], values[i], -values[(i + 2 * k) % COUNT])); \
                volatile int compared = (values[i] < values[k]) | (values[i] == values[k]) << 1; \
                hex(compared, 1); \
                compared = isless(values[i], values[k]) | isunordered(values[i], values[k]) << 1; \
                hex(compared, 1); \
            } \
            puts(""); \
        } \
    }

ALL(doubles, double, show, sqrt, fma, DBL_MAX, DBL_MIN, DBL_EPSILON, __builtin_nan("0x123"), __builtin_nans("0x456"))
ALL(floats, float, show_float, sqrtf, fmaf, FLT_MAX, FLT_MIN, FLT_EPSILON, __builtin_nanf("0x123"),
    __builtin_nansf("0x456"))

static void integer(long x) {
    hex((uint64_t)x, 16);
}

static void conversions(void) {
    static volatile double values[] = {0, -0.0, 0.5, -0.5, -1, 1.5, 2147483647.0, 2147483647.5, 2147483648.0,
        -2147483648.5, -2147483649.0, 4294967295.5, 4294967296.0, 9223372036854774784.0, 9223372036854775808.0,
        -9223372036854775808.0, -9223372036854777856.0, 1.8446744073709550e19, 1.8446744073709552e19, 1e300, INFINITY,
        -INFINITY, NAN};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        CASE(integer, int, r, (int)values[i]);
        CASE(integer, unsigned, r, (unsigned)values[i]);
        CASE(integer, long, r, (long)values[i]);
        CASE(integer, unsigned long, r, (unsigned long)values[i]);
        CASE(integer, int, r, (int)(float)values[i]);
        CASE(integer, long, r, lrint(values[i]));
        CASE(show_float, float, r, (float)values[i]);
        CASE(show, double, r, rint(values[i]));
        CASE(show, double, r, nearbyint(values[i]));
        CASE(show, double, r, fmin(values[i], 1));
        CASE(show, double, r, fmax(values[i], -1));
        puts("");
    }
    static volatile long longs[] = {0, 1, -1, 16777217, LONG_MAX, LONG_MIN, 1L << 53 | 1};
    for (unsigned i = 0; i < sizeof longs / sizeof *longs; i++) {
        CASE(show, double, r, (double)longs[i]);
        CASE(show, double, r, (double)(unsigned long)longs[i]);
        CASE(show_float, float, r, (float)longs[i]);
        CASE(show_float, float, r, (float)(int)longs[i]);
        puts("");
    }
}

int main(void) {
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        fesetround(modes[i]);
        if (i < 2) doubles();
        if (i != 1) floats();
        conversions();
    }
    feraiseexcept(FE_OVERFLOW | FE_INVALID);
    flags();
    puts("");
}

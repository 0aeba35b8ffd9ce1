// Arithmetic and decimal output in the four rounding modes: normal and subnormal numbers, infinities, NaN.
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static const struct { int mode; const char *name; } modes[] = {
    {FE_TONEAREST, "to nearest"}, {FE_DOWNWARD, "down"}, {FE_UPWARD, "up"}, {FE_TOWARDZERO, "to zero"}};

static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 0.5, 1.5, 2.5, 0.125, 0.375, 1.0 / 3, -2.0 / 3, 1e23,
    9.995, -9.995, 123456789.0, 5e-324, -5e-324, DBL_MIN, DBL_MIN / 2, -DBL_MIN * 0.75, DBL_MAX, -DBL_MAX, INFINITY,
    -INFINITY, M_PI, 1e15 + 0.5, 4503599627370497.5, 1e-5, 999999.5, 2.2250738585072011e-308};

enum { VALUES = sizeof values / sizeof *values };

static void show(double x) {
    printf("%a %.3a %.0f %.1f %.2f %.17g %g %.3e %+.0e %G %12.4g|%-12.3f|%012.2f|% g %#.0f\n", x, x, x, x, x, x, x, x,
        x, x, x, fabs(x) < 1e9 ? x : 0.0, fabs(x) < 1e9 ? x : 1.0, x, x);
}

static void show_float(float x) {
    printf("%a %.9g %.1e\n", x, x, x);
}

// The operands are volatile: a compiler would round in its own mode.
static void arithmetic(void) {
    static volatile double one = 1, three = 3, ten = 10, tiny = DBL_MIN, huge = DBL_MAX, least = 5e-324;
    static volatile float one_f = 1, three_f = 3, tiny_f = FLT_MIN, huge_f = FLT_MAX;
    volatile double results[] = {one / three, -one / three, one / ten, one + tiny, one - tiny, -one - tiny, huge + one,
        huge * ten, -huge * ten, tiny / three, -tiny / ten, least / ten, -least / ten, sqrt(ten), sqrt(three),
        fma(one / three, three, -one), one - one, tiny * tiny, least + least};
    volatile float floats[] = {one_f / three_f, -one_f / three_f, huge_f * three_f, -huge_f - huge_f, tiny_f / three_f,
        sqrtf(three_f), fmaf(one_f / three_f, three_f, -one_f), (float)(one / three), (float)-huge, (float)tiny,
        (float)16777217, (float)-16777219};
    for (unsigned i = 0; i < sizeof results / sizeof *results; i++) printf("%a ", results[i]);
    puts("");
    for (unsigned i = 0; i < sizeof floats / sizeof *floats; i++) printf("%a ", (double)floats[i]);
    puts("");
}

static void to_integers(void) {
    static volatile double points[] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 1e9 + 0.25, -1e9 - 0.75,
        3.999};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        double x = points[i];
        printf("%g: %g %g %ld %lld %g %ld %d %d\n", x, rint(x), nearbyint(x), lrint(x), llrint(x), round(x), lround(x),
            (int)x, (int)lrintf((float)x));
    }
}

// Integers with more bits than a significand.
static void from_integers(void) {
    static volatile long long longs[] = {9007199254740993, -9007199254740993, 0x7fffffffffffffff, 0x4000000000000001};
    static volatile unsigned long long more[] = {0xffffffffffffffff, 0x8000000000000401, 0xfffffffffffff401};
    for (int i = 0; i < 4; i++) printf("%a %a ", (double)longs[i], (double)(float)longs[i]);
    for (int i = 0; i < 3; i++) printf("%a %a ", (double)more[i], (double)(float)more[i]);
    puts("");
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        if (fesetround(modes[i].mode) != 0 || fegetround() != modes[i].mode) return 1;
        printf("rounding %s\n", modes[i].name);
        for (int k = 0; k < VALUES; k++) show(values[k]);
        show_float(0.1f);
        show_float(FLT_MIN / 8);
        show_float(FLT_TRUE_MIN);
        printf("%f %e %g %a %F %5.1f|%-6f|\n", NAN, NAN, NAN, NAN, NAN, NAN, NAN);
        arithmetic();
        to_integers();
        from_integers();
    }
    fesetround(FE_TONEAREST);
    printf("%Lf %.30Lg %La\n", 1.0L / 3, 2.0L / 3, 0.1L);
}

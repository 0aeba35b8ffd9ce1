// The functions of math.h. Approximations are printed with fewer digits than they have: machines may round the last
// otherwise.
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

typedef double one(double);
typedef double two(double, double);

static const struct { const char *name; one *function; } ones[] = {{"sin", sin}, {"cos", cos}, {"tan", tan},
    {"asin", asin}, {"acos", acos}, {"atan", atan}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh}, {"asinh", asinh},
    {"acosh", acosh}, {"atanh", atanh}, {"exp", exp}, {"exp2", exp2}, {"expm1", expm1}, {"log", log}, {"log2", log2},
    {"log10", log10}, {"log1p", log1p}, {"cbrt", cbrt}, {"erf", erf}, {"erfc", erfc}, {"tgamma", tgamma},
    {"lgamma", lgamma}, {"j0", j0}};

static const struct { const char *name; one *function; } exact[] = {{"sqrt", sqrt}, {"floor", floor}, {"ceil", ceil},
    {"trunc", trunc}, {"round", round}, {"rint", rint}, {"fabs", fabs}, {"logb", logb}};

static const struct { const char *name; two *function; int exact; } twos[] = {{"pow", pow, 0}, {"atan2", atan2, 0},
    {"hypot", hypot, 0}, {"fmod", fmod, 1}, {"remainder", remainder, 1}, {"fdim", fdim, 1}, {"fmin", fmin, 1},
    {"fmax", fmax, 1}, {"copysign", copysign, 1}, {"nextafter", nextafter, 1}};

static const double points[] = {0, 0.25, -0.75, 1, 2.5, -3.7, 10, 1e-3, 123.456, -1e5, 1e10, 1e22};

enum { POINTS = sizeof points / sizeof *points };

static void table(void) {
    for (unsigned i = 0; i < sizeof ones / sizeof *ones; i++) {
        printf("%s:", ones[i].name);
        for (int k = 0; k < POINTS; k++) {
            double x = ones[i].function(points[k]);
            if (isnan(x)) printf(" nan");
            else printf(" %.12g", x);
        }
        puts("");
    }
    for (unsigned i = 0; i < sizeof exact / sizeof *exact; i++) {
        printf("%s:", exact[i].name);
        for (int k = 0; k < POINTS; k++) {
            double x = exact[i].function(points[k]);
            if (isnan(x)) printf(" nan");
            else printf(" %a", x);
        }
        puts("");
    }
    for (unsigned i = 0; i < sizeof twos / sizeof *twos; i++) {
        printf("%s:", twos[i].name);
        for (int k = 0; k < POINTS; k++) {
            double x = twos[i].function(points[k], points[(k * 5 + 1) % POINTS]);
            if (isnan(x)) printf(" nan");
            else printf(twos[i].exact ? " %a" : " %.12g", x);
        }
        puts("");
    }
}

static void parts(void) {
    for (int k = 0; k < POINTS; k++) {
        int exponent, quotient;
        double whole, fraction = frexp(points[k], &exponent);
        double rest = modf(points[k], &whole);
        double remaining = remquo(points[k], 0.7, &quotient);
        printf("%a*2^%d %a+%a %a/%d %a %d\n", fraction, exponent, whole, rest, remaining, quotient & 7,
            ldexp(points[k], -1070), fpclassify(points[k]));
    }
}

static void single(void) {
    for (int k = 0; k < POINTS; k++) {
        float x = fabsf((float)points[k]);
        printf("%.5g %.5g %.5g %.5g %.5g %a %a %a\n", sinf(x), expf(-x), logf(x + 1), powf(x, 0.3f), atanf(x),
            sqrtf(x), fmodf(x, 0.3f), truncf(x));
    }
}

static void errors(void) {
    errno = 0;
    volatile double none = -1, huge = 1000;
    double x = log(none);
    printf("log(-1): %d %d\n", isnan(x) != 0, errno == EDOM);
    errno = 0;
    x = exp(huge);
    printf("exp(1000): %g %d\n", x, errno == ERANGE);
    errno = 0;
    x = pow(0.0, none);
    printf("pow(0, -1): %g %d\n", x, errno == ERANGE);
}

int main(void) {
    table();
    parts();
    single();
    errors();
    double complex z = cexp(I * M_PI / 3) * csqrt(-2 + 1.5 * I);
    printf("%.10g %.10g %.10g %.10g\n", creal(z), cimag(z), cabs(z), carg(z));
    printf("%.25Lg %.25Lg\n", sqrtl(2), sinl(1));
}

// Decimal text to binary numbers and back: strtod, strtof, strtold, strtol in all bases.
#include <errno.h>
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t next(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1d;
}

static uint64_t bits(double x) {
    uint64_t result;
    memcpy(&result, &x, sizeof x);
    return result;
}

static void parse(const char *text) {
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    int error = errno;
    errno = 0;
    float y = strtof(text, NULL);
    printf("\"%.40s\": %a (%s), rest \"%.10s\"; %a (%s)\n", text, x, error == ERANGE ? "range" : "fine", end, y,
        errno == ERANGE ? "range" : "fine");
}

// Random doubles and floats come back from their shortest sufficient number of digits.
static void round_trips(void) {
    char text[64];
    unsigned wrong = 0, shorter = 0;
    uint64_t sum = 0;
    for (int i = 0; i < 120; i++) {
        uint64_t random = next() & ~(UINT64_C(0x7ff) << 52);
        random |= (uint64_t)(i % 7 == 0 ? 0 : next() % 0x7ff) << 52;
        double x;
        memcpy(&x, &random, sizeof x);
        snprintf(text, sizeof text, "%.17g", x);
        wrong += bits(strtod(text, NULL)) != random;
        snprintf(text, sizeof text, "%.15e", x);
        shorter += bits(strtod(text, NULL)) == random;
        sum = sum * 31 + bits(strtod(text, NULL));
        snprintf(text, sizeof text, "%a", x);
        wrong += bits(strtod(text, NULL)) != random;
        float y = (float)((double)(int32_t)next() / 1e3);
        snprintf(text, sizeof text, "%.9g", y);
        wrong += strtof(text, NULL) != y;
    }
    printf("wrong %u, with 16 digits %u, sum %016llx\n", wrong, shorter, (unsigned long long)sum);
}

static void integers(void) {
    static const char *const texts[] = {"0", "-1", "  +42xyz", "0x7fffffffffffffff", "9223372036854775808",
        "-9223372036854775809", "0b101", "077", "zz", "", "-0x8000000000000000", "18446744073709551615"};
    static const int bases[] = {0, 10, 16, 36, 2, 8};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        printf("\"%s\":", texts[i]);
        for (unsigned k = 0; k < sizeof bases / sizeof *bases; k++) {
            char *end;
            errno = 0;
            long number = strtol(texts[i], &end, bases[k]);
            printf(" %ld+%d%s", number, (int)strlen(end), errno == ERANGE ? "!" : "");
        }
        errno = 0;
        printf(" %llu%s\n", strtoull(texts[i], NULL, 0), errno == ERANGE ? "!" : "");
    }
}

int main(void) {
    static const char *const texts[] = {"1", "-0", "0.1", "1e23", "8.5e22", "2.2250738585072011e-308",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "4.9406564584124654e-324", "1.7976931348623158e308",
        "1.7976931348623159e308", "1e400", "1e-400", "inf", "-INFINITY", "nan", "0x1.8p1", "0x1p-1074",
        "0x1.fffffffffffff8p1023", "9007199254740993", "9007199254740992.99999999999999999999999",
        "9007199254740993.00000000000000000000001", ".5e1x", "e5", "+", "1e+", "0x", "1.e5",
        "1.00000005960464477539062500000000000001", "16777217", "3.4028235677973366e38", "1.4012984643248170e-45",
        "7.0064923216240853e-46"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int i = 0; i < TEXTS; i++) parse(texts[i]);
    for (int mode = 0; mode < 2; mode++) {
        fesetround(mode ? FE_UPWARD : FE_DOWNWARD);
        for (int i = 2; i < 10; i++) printf("%a ", strtod(texts[i], NULL));
        puts("");
    }
    fesetround(FE_TONEAREST);
    round_trips();
    integers();
    long double wide = strtold("3.14159265358979323846264338327950288", NULL);
    printf("%.33Lg %La\n", wide, wide);
}

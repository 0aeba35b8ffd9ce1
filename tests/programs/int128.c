// Arithmetic on 128 bits: products, quotients, shifts, comparisons, conversions to and from floats.
#include <stdint.h>
#include <stdio.h>

typedef __int128 s128;
typedef unsigned __int128 u128;

static u128 sum;

static void note(u128 x) {
    sum = (sum << 7 | sum >> 121) ^ x;
}

static void hex(const char *name, u128 x) {
    printf("%-10s %016llx%016llx\n", name, (unsigned long long)(x >> 64), (unsigned long long)x);
}

static void decimal(const char *name, s128 x) {
    char text[48], *at = text + sizeof text - 1;
    u128 size = x < 0 ? -(u128)x : (u128)x;
    *at = 0;
    do *--at = (char)('0' + (int)(size % 10));
    while (size /= 10);
    printf("%-10s %s%s\n", name, x < 0 ? "-" : "", at);
}

static const uint64_t halves[] = {0, 1, 2, 10, 0x7fffffff, 0x100000000, 0x123456789abcdef, 0x7fffffffffffffff,
    0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff};

enum { HALVES = sizeof halves / sizeof *halves };

static u128 make(int high, int low) {
    return (u128)halves[high % HALVES] << 64 | halves[low % HALVES];
}

static u128 power(u128 base, unsigned exponent, u128 modulus) {
    u128 result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

static u128 root(u128 x) {
    u128 result = 0;
    for (int bit = 63; bit >= 0; bit--) {
        u128 tried = result | (u128)1 << bit;
        if (tried * tried <= x) result = tried;
    }
    return result;
}

int main(void) {
    for (int i = 0; i < HALVES * 3; i++)
        for (int k = 0; k < HALVES; k++) {
            u128 a = make(i, i * 7 + 3), b = make(k * 5, k);
            s128 x = (s128)a, y = (s128)b;
            note(a + b);
            note(a - b);
            note(a * b);
            note((u128)(x < y) << 1 | (a < b));
            note(a << (k * 11) | a >> (i * 3));
            note((u128)(x >> (k * 11)));
            if (!b) continue;
            note(a / b);
            note(a % b);
            if (x == (s128)((u128)1 << 127) && y == -1) continue;
            note((u128)(x / y));
            note((u128)(x % y));
            if ((a / b) * b + a % b != a || (x / y) * y + x % y != x) printf("wrong at %d %d\n", i, k);
        }
    hex("sum", sum);

    u128 product = (u128)UINT64_MAX * UINT64_MAX;
    hex("product", product);
    hex("signed", (u128)((s128)INT64_MIN * INT64_MAX));
    decimal("smallest", (s128)((u128)1 << 127));
    decimal("largest", (s128)(~(u128)0 >> 1));
    decimal("quotient", (s128)product / 1000000007);
    decimal("rest", -(s128)(product >> 1) % 1000000007);
    decimal("root", (s128)root(product - 1));
    decimal("power", (s128)power(123456789, 1000000, ((u128)1 << 61) - 1));

    s128 fibonacci = 1, before = 0;
    for (int i = 1; i < 180; i++) {
        s128 next;
        if (__builtin_add_overflow(fibonacci, before, &next)) break;
        before = fibonacci;
        fibonacci = next;
    }
    decimal("fibonacci", fibonacci);
    s128 wrapped[3];
    printf("overflows %d %d %d\n", __builtin_mul_overflow(fibonacci, (s128)10, wrapped),
        __builtin_mul_overflow(fibonacci, fibonacci, wrapped + 1), __builtin_sub_overflow(-fibonacci, (s128)1 << 126,
        wrapped + 2));
    for (int i = 0; i < 3; i++) hex("wrapped", (u128)wrapped[i]);

    static volatile double doubles[] = {0.75, -1.5, 1e10, -1e25, 1e38, 1.5e19};
    for (int i = 0; i < 6; i++) decimal("of double", (s128)doubles[i]);
    for (int i = 0; i < 5; i++) {
        u128 x = make(i * 2, i + 6);
        printf("%a %a %a\n", (double)x, (double)(float)x, (double)(s128)~x);
    }
    printf("%.36Lg\n", (long double)product);
}

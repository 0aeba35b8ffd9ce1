// Integer division and remainder at the edges, in all widths; multiplication's upper halves; shifts; overflow checks.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t sum = 1;

static void note(uint64_t x) {
    sum = (sum ^ x) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
}

// Edges of a width. What C leaves undefined, a zero divisor and the least number by -1, is left out.
#define SIGNED(name, type, least, most) \
    static void name(void) { \
        static volatile type values[] = {0, 1, -1, 2, -2, 3, 7, -7, 10, -10, 100, most, least, most - 1, least + 1, \
            most / 2, least / 2}; \
        enum { COUNT = sizeof values / sizeof *values }; \
        unsigned wrong = 0; \
        for (int i = 0; i < COUNT; i++) \
            for (int k = 1; k < COUNT; k++) { \
                type a = values[i], b = values[k]; \
                if (a == least && b == -1) continue; \
                type quotient = (type)(a / b), rest = (type)(a % b); \
                wrong += (type)(quotient * b + rest) != a || (rest < 0 ? a >= 0 : rest > 0 && a < 0); \
                note((uint64_t)quotient); \
                note((uint64_t)rest); \
                type sum, difference, product; \
                int overflows = __builtin_add_overflow(a, b, &sum) | __builtin_sub_overflow(a, b, &difference) << 1 | \
                    __builtin_mul_overflow(a, b, &product) << 2; \
                note((uint64_t)sum ^ (uint64_t)difference << 1 ^ (uint64_t)product << 2); \
                note((uint64_t)overflows); \
            } \
        printf(#name ": wrong %u, %lld / 7 = %lld rest %lld, sum %016llx\n", wrong, (long long)values[12], \
            (long long)(values[12] / values[6]), (long long)(values[12] % values[6]), (unsigned long long)sum); \
    }

#define UNSIGNED(name, type, most) \
    static void name(void) { \
        static volatile type values[] = {0, 1, 2, 3, 5, 7, 10, 100, most, most - 1, most / 2, most / 2 + 1, most / 3}; \
        enum { COUNT = sizeof values / sizeof *values }; \
        unsigned wrong = 0; \
        for (int i = 0; i < COUNT; i++) \
            for (int k = 1; k < COUNT; k++) { \
                type a = values[i], b = values[k], quotient = (type)(a / b), rest = (type)(a % b), product; \
                wrong += (type)(quotient * b + rest) != a || rest >= b; \
                note((uint64_t)quotient << 1 ^ rest); \
                note((uint64_t)__builtin_mul_overflow(a, b, &product)); \
                note(product); \
            } \
        printf(#name ": wrong %u, %llu / 7 = %llu rest %llu, sum %016llx\n", wrong, (unsigned long long)values[8], \
            (unsigned long long)(values[8] / values[5]), (unsigned long long)(values[8] % values[5]), \
                (unsigned long long)sum); \
    }

#define MOST ((__int128)(~(unsigned __int128)0 >> 1))

SIGNED(s8, int8_t, INT8_MIN, INT8_MAX)
SIGNED(s16, int16_t, INT16_MIN, INT16_MAX)
SIGNED(s32, int32_t, INT32_MIN, INT32_MAX)
SIGNED(s64, int64_t, INT64_MIN, INT64_MAX)
SIGNED(s128, __int128, -MOST - 1, MOST)
UNSIGNED(u8, uint8_t, UINT8_MAX)
UNSIGNED(u16, uint16_t, UINT16_MAX)
UNSIGNED(u32, uint32_t, UINT32_MAX)
UNSIGNED(u64, uint64_t, UINT64_MAX)

// Divisors that a compiler knows become multiplications.
static void constants(void) {
    static volatile int64_t values[] = {0, 1, -1, 6, -7, 99, 1000000007, -1000000007, INT64_MAX, INT64_MIN, INT32_MIN};
    unsigned wrong = 0;
    for (int i = 0; i < 11; i++) {
        int64_t x = values[i];
        int32_t y = (int32_t)x;
        volatile int64_t three = 3, ten = 10, seven = -7, power = 16, large = 1000000007;
        wrong += x / 3 != x / three || x % 10 != x % ten || x / -7 != x / seven || x / 16 != x / power || x % 16 != x
            % power;
        wrong += x / 1000000007 != x / large || y / 3 != y / (int32_t)three || y % -7 != y % (int32_t)seven;
        wrong += (uint64_t)x / 10 != (uint64_t)x / (uint64_t)ten || (uint32_t)y % 7u != (uint32_t)y % (uint32_t)-seven;
        note((uint64_t)(x / 3 + x % 10 + y / -7));
        note((uint64_t)((__int128)x * 0x123456789abcdef >> 64));
        note((uint64_t)((unsigned __int128)(uint64_t)x * 0xfedcba9876543210 >> 64));
        for (int shift = 0; shift < 64; shift += 9) note((uint64_t)(x >> shift) ^ (uint64_t)x << shift ^ (uint64_t)(y
            >> shift % 32));
    }
    printf("constants: wrong %u, sum %016llx\n", wrong, (unsigned long long)sum);
}

int main(void) {
    s8(), s16(), s32(), s64(), s128();
    u8(), u16(), u32(), u64();
    constants();
    static volatile int32_t minus = -17, one = 1, large = INT_MAX;
    printf("%d %d %d %d\n", minus / (one + 1), minus % 5, (int)((unsigned)minus / 5u), large % -one);
    printf("%d %d %d\n", (int)(int8_t)(minus * 100), (int)(uint16_t)minus, (int)(int16_t)large);
}

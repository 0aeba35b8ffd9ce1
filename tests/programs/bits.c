// Builtins that look at bits, beside loops that do the same; rotations, byte orders, bit fields, permutations.
#include <stdint.h>
#include <stdio.h>

static uint64_t seed = 88172645463325252;

static uint64_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static int count(uint64_t x) {
    int result = 0;
    for (; x; x &= x - 1) result++;
    return result;
}

static int leading(uint64_t x) {
    int result = 0;
    for (; !(x >> 63); x <<= 1) result++;
    return result;
}

static int trailing(uint64_t x) {
    int result = 0;
    for (; !(x & 1); x >>= 1) result++;
    return result;
}

static uint64_t reverse(uint64_t x) {
    uint64_t result = 0;
    for (int i = 0; i < 64; i++) result = result << 1 | (x >> i & 1);
    return result;
}

static uint64_t reverse_fast(uint64_t x) {
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}

static uint64_t spread(uint32_t x) {
    uint64_t y = x;
    y = (y | y << 16) & 0x0000ffff0000ffff;
    y = (y | y << 8) & 0x00ff00ff00ff00ff;
    y = (y | y << 4) & 0x0f0f0f0f0f0f0f0f;
    y = (y | y << 2) & 0x3333333333333333;
    return (y | y << 1) & 0x5555555555555555;
}

static uint64_t rotate(uint64_t x, unsigned by) {
    return x << (by & 63) | x >> (-by & 63);
}

static uint32_t rotate32(uint32_t x, unsigned by) {
    return x >> (by & 31) | x << (-by & 31);
}

// The product of polynomials over two elements.
static uint64_t carryless(uint32_t a, uint32_t b) {
    uint64_t result = 0;
    for (int i = 0; i < 32; i++) result ^= (uint64_t)a << i & -(uint64_t)(b >> i & 1);
    return result;
}

static int64_t signed_field(uint64_t x, int low, int width) {
    return (int64_t)(x << (64 - low - width)) >> (64 - width);
}

struct packet { uint32_t version : 4, length : 12, flags : 3; int32_t offset : 13; uint64_t id : 50, rest : 14; };

int main(void) {
    unsigned wrong = 0;
    uint64_t sum = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t x = next() >> (i % 64);
        if (!x) x = 1;
        uint32_t w = (uint32_t)x | 1;
        wrong += __builtin_popcountll(x) != count(x);
        wrong += __builtin_clzll(x) != leading(x);
        wrong += __builtin_ctzll(x) != trailing(x);
        wrong += __builtin_parityll(x) != (count(x) & 1);
        wrong += __builtin_ffsll((long long)x) != trailing(x) + 1;
        wrong += __builtin_clz(w) != leading(w) - 32;
        wrong += __builtin_ctz(w << (i % 32)) != i % 32;
        wrong += __builtin_popcount(w) != count(w);
        wrong += __builtin_clrsbll((long long)x) != (x >> 63 ? leading(~x | 1) : leading(x)) - 1;
        wrong += reverse(x) != reverse_fast(x);
        wrong += __builtin_bswap32((uint32_t)x) != (uint32_t)(__builtin_bswap64(x) >> 32);
        wrong += __builtin_bswap16((uint16_t)x) != (uint16_t)((x & 255) << 8 | (x >> 8 & 255));
        wrong += rotate(rotate(x, (unsigned)i), (unsigned)-i) != x;
        sum = rotate(sum, 5) ^ reverse(x) ^ spread((uint32_t)x) ^ carryless((uint32_t)x, w) ^ rotate32(w, (unsigned)i);
        sum += (uint64_t)signed_field(x, i % 40, 1 + i % 24);
        sum += (uint64_t)__builtin_clrsb((int)x) + (uint64_t)__builtin_abs((int)(x >> 40));
    }
    printf("wrong %u, sum %016llx\n", wrong, (unsigned long long)sum);

    struct packet packet = {9, 4000, 5, -4000, 0x2345678901234, 0x3fff};
    packet.length += 200;
    packet.offset--;
    packet.id = ~packet.id;
    packet.rest <<= 3;
    printf("packet %u %u %u %d %llx %x\n", packet.version, packet.length, packet.flags, packet.offset,
        (unsigned long long)packet.id, (unsigned)packet.rest);

    unsigned gray = 0, steps = 0;
    for (unsigned i = 1; i < 256; i++) {
        unsigned code = i ^ i >> 1;
        steps += (unsigned)__builtin_popcount(code ^ gray);
        gray = code;
    }
    printf("gray %u in %u steps\n", gray, steps);
    // Subsets of five of ten, in order.
    unsigned subsets = 0, total = 0;
    for (unsigned s = 31; s < 1024; subsets++, total += s * subsets) {
        unsigned low = s & -s, high = s + low;
        s = high | ((s ^ high) >> 2) / low;
    }
    printf("subsets %u, total %u\n", subsets, total);
}

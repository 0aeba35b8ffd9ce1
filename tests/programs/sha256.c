// SHA-256 of known and of long messages.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t constants[64], initial[8];

static uint32_t right(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

// The first 32 bits of the fraction of a root, by bisection on integers: nothing here depends on floats.
static uint32_t fraction(uint32_t prime, int cube) {
    uint64_t low = 0, high = UINT64_C(1) << 37;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        unsigned __int128 power = (unsigned __int128)middle * middle, limit = (unsigned __int128)prime << 64;
        int below = cube ? power / prime <= ((unsigned __int128)1 << 96) / middle : power <= limit;
        if (below) low = middle;
        else high = middle;
    }
    return (uint32_t)low;
}

static void prepare(void) {
    int count = 0;
    for (uint32_t n = 2; count < 64; n++) {
        int prime = 1;
        for (uint32_t d = 2; d * d <= n; d++) prime &= n % d != 0;
        if (!prime) continue;
        if (count < 8) initial[count] = fraction(n, 0);
        constants[count++] = fraction(n, 1);
    }
}

static void block(uint32_t state[8], const uint8_t bytes[64]) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)bytes[4 * i] << 24 | bytes[4 * i + 1] << 16 | bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
            (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t one = s[7] + (right(e, 6) ^ right(e, 11) ^ right(e,
            25)) + ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
        uint32_t two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static void hash(const char *name, const uint8_t *text, size_t length) {
    uint32_t state[8];
    memcpy(state, initial, sizeof state);
    size_t done = 0;
    for (; length - done >= 64; done += 64) block(state, text + done);
    uint8_t last[128] = {0};
    size_t rest = length - done, size = rest < 56 ? 64 : 128;
    memcpy(last, text + done, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[size - 1 - i] = (uint8_t)(length * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64) block(state, last + i);
    printf("%-12s", name);
    for (int i = 0; i < 8; i++) printf("%08x", state[i]);
    puts("");
}

int main(void) {
    prepare();
    printf("%08x %08x %08x %08x\n", initial[0], initial[7], constants[0], constants[63]);
    static const char *const texts[] = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    for (int i = 0; i < 3; i++) hash(i ? "text" : "empty", (const uint8_t *)texts[i], strlen(texts[i]));
    static uint8_t bytes[8192];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i + (i >> 3));
    for (size_t length = 54; length < 67; length += 3) hash("edge", bytes, length);
    hash("long", bytes, sizeof bytes);
    hash("unaligned", bytes + 3, 4001);
}

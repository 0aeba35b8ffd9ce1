// SHA-256 of a block that is its own digest: arithmetic and rotations of 32 bits (FIPS 180-4, sections 4.1.2 and 6.2.2). The constants
// are made from the primes, as section 4.2.2 says, so that nothing is copied.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t constants[64];

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint32_t fraction(double x)
{
    return (uint32_t)((x - floor(x)) * 4294967296.0);
}

static void make_constants(uint32_t *state)
{
    int count = 0;
    for (int number = 2; count < 64; number++) {
        int divisor = 2;
        while (number % divisor)
            divisor++;
        if (divisor != number)
            continue;
        if (count < 8)
            state[count] = fraction(sqrt(number));
        constants[count++] = fraction(cbrt(number));
    }
}

static void compress(uint32_t *state, const uint32_t *block)
{
    uint32_t words[64], s[8];
    for (int i = 0; i < 8; i++)
        s[i] = state[i];
    for (int i = 0; i < 16; i++)
        words[i] = block[i];
    for (int i = 16; i < 64; i++) {
        uint32_t x = words[i - 15], y = words[i - 2];
        uint32_t low = rotate(x, 7) ^ rotate(x, 18) ^ x >> 3;
        uint32_t high = rotate(y, 17) ^ rotate(y, 19) ^ y >> 10;
        words[i] = words[i - 16] + low + words[i - 7] + high;
    }
    for (int i = 0; i < 64; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t choice = (e & s[5]) ^ (~e & s[6]);
        uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
        uint32_t first = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + constants[i] + words[i];
        uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    uint32_t state[8], block[16];
    make_constants(state);
    for (int i = 0; i < 16; i++)
        block[i] = (uint32_t)i * 0x01010101;
    for (int round = 0; round < rounds; round++) {
        compress(state, block);
        block[round & 15] ^= state[round & 7];
    }
    printf("%08x\n", state[0]);
    return 0;
}

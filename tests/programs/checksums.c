// CRC-32 bit by bit, by bytes and by words; CRC-64; Adler-32; Fletcher-16; FNV; xxHash-like mixing.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t tables[4][256];

static uint32_t crc_bits(uint32_t crc, const uint8_t *bytes, size_t length) {
    crc = ~crc;
    while (length--) {
        crc ^= *bytes++;
        for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

static void prepare(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        tables[0][i] = crc;
    }
    for (int t = 1; t < 4; t++)
        for (int i = 0; i < 256; i++) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
}

static uint32_t crc_bytes(uint32_t crc, const uint8_t *bytes, size_t length) {
    crc = ~crc;
    while (length--) crc = crc >> 8 ^ tables[0][(crc ^ *bytes++) & 255];
    return ~crc;
}

static uint32_t crc_words(uint32_t crc, const uint8_t *bytes, size_t length) {
    crc = ~crc;
    for (; length >= 4; length -= 4, bytes += 4) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        crc ^= word;
        crc = tables[3][crc & 255] ^ tables[2][crc >> 8 & 255] ^ tables[1][crc >> 16 & 255] ^ tables[0][crc >> 24];
    }
    return crc_bytes(~crc, bytes, length);
}

static uint64_t crc64(const uint8_t *bytes, size_t length) {
    uint64_t crc = 0;
    while (length--) {
        crc ^= (uint64_t)*bytes++ << 56;
        for (int i = 0; i < 8; i++) crc = (int64_t)crc < 0 ? crc << 1 ^ UINT64_C(0x42f0e1eba9ea3693) : crc << 1;
    }
    return crc;
}

static uint32_t adler(const uint8_t *bytes, size_t length) {
    uint32_t a = 1, b = 0;
    while (length) {
        size_t part = length < 5552 ? length : 5552;
        length -= part;
        while (part--) a += *bytes++, b += a;
        a %= 65521, b %= 65521;
    }
    return b << 16 | a;
}

static uint16_t fletcher(const uint8_t *bytes, size_t length) {
    uint16_t a = 0, b = 0;
    while (length--) a = (uint16_t)((a + *bytes++) % 255), b = (uint16_t)((b + a) % 255);
    return (uint16_t)(b << 8 | a);
}

static uint64_t fnv(const uint8_t *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    while (length--) hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix(const uint8_t *bytes, size_t length) {
    uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
    for (; length >= 8; length -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        word *= UINT64_C(0xc2b2ae3d27d4eb4f);
        word = word << 31 | word >> 33;
        hash ^= word * UINT64_C(0x9e3779b185ebca87);
        hash = (hash << 27 | hash >> 37) * 5 + UINT64_C(0x52dce729);
    }
    while (length--) hash = (hash ^ *bytes++ * UINT64_C(0x27d4eb2f165667c5)) * 11;
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 29;
}

int main(void) {
    static uint8_t bytes[9000];
    prepare();
    const uint8_t *digits = (const uint8_t *)"123456789";
    printf("%08x %016llx %08x %04x %016llx\n", crc_bits(0, digits, 9), (unsigned long long)crc64(digits, 9),
        adler(digits, 9), fletcher(digits, 9), (unsigned long long)fnv(digits, 9));
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 167 + (i >> 5));
    static const struct { size_t start, length; } parts[] = {{0, 0}, {0, 1}, {1, 7}, {2, 64}, {3, 1021}, {0, 9000}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint8_t *from = bytes + parts[i].start;
        size_t length = parts[i].length, few = length < 1100 ? length : 1100;
        printf("%5zu+%-5zu %08x %08x %08x %016llx %08x %04x %016llx %016llx\n", parts[i].start, length, crc_bits(0,
            from, few), crc_bytes(0, from, length), crc_words(0, from, length), (unsigned long long)crc64(from, few),
            adler(from, length), fletcher(from, few), (unsigned long long)fnv(from, length),
            (unsigned long long)mix(from, length));
    }
}

// A compressor that replaces repetitions by distances, in the manner of LZ77, and its decompressor.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 6000, SLOTS = 1024, LEAST = 4 };

static uint8_t text[SIZE], packed[SIZE * 2], unpacked[SIZE];

static unsigned slot(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> 22;
}

static uint8_t *number(uint8_t *to, unsigned value) {
    for (; value >= 128; value >>= 7) *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}

static const uint8_t *read_number(const uint8_t *from, unsigned *value) {
    *value = 0;
    for (int shift = 0;; shift += 7) {
        *value |= (unsigned)(*from & 127) << shift;
        if (!(*from++ & 128)) return from;
    }
}

// Each step: a number of literals, the literals, and then a length and a distance.
static size_t compress(const uint8_t *from, size_t size, uint8_t *to) {
    static int heads[SLOTS], previous[SIZE];
    memset(heads, -1, sizeof heads);
    uint8_t *start = to;
    size_t literal = 0;
    for (size_t at = 0; at < size;) {
        size_t best = 0, distance = 0;
        if (at + LEAST <= size) {
            unsigned s = slot(from + at);
            int candidate = heads[s];
            for (int tries = 0; candidate >= 0 && tries < 8; tries++, candidate = previous[candidate]) {
                size_t length = 0;
                while (at + length < size && from[(size_t)candidate + length] == from[at + length]) length++;
                if (length > best) best = length, distance = at - (size_t)candidate;
            }
            previous[at] = heads[s];
            heads[s] = (int)at;
        }
        if (best < LEAST && at + 1 < size) {
            at++;
            continue;
        }
        size_t end = best < LEAST ? size : at;
        to = number(to, (unsigned)(end - literal));
        memcpy(to, from + literal, end - literal);
        to += end - literal;
        to = number(to, best < LEAST ? 0 : (unsigned)best);
        if (best >= LEAST) to = number(to, (unsigned)distance);
        at = literal = best < LEAST ? size : at + best;
    }
    return (size_t)(to - start);
}

static size_t decompress(const uint8_t *from, size_t size, uint8_t *to) {
    const uint8_t *end = from + size;
    uint8_t *start = to;
    while (from < end) {
        unsigned count, distance;
        from = read_number(from, &count);
        memcpy(to, from, count);
        to += count;
        from = read_number(from + count, &count);
        if (!count) continue;
        from = read_number(from, &distance);
        // Byte by byte: what is copied may be what was just written.
        for (; count; count--, to++) *to = to[-(ptrdiff_t)distance];
    }
    return (size_t)(to - start);
}

static void run(const char *name) {
    size_t size = compress(text, SIZE, packed);
    uint32_t sum = 1;
    for (size_t i = 0; i < size; i++) sum = sum * 31 + packed[i];
    memset(unpacked, 0xaa, SIZE);
    size_t back = decompress(packed, size, unpacked);
    printf("%-10s %d -> %zu (%.1f %%), sum %08x, back %s\n", name, SIZE, size, 100.0 * (double)size / SIZE, sum,
        back == SIZE && memcmp(text, unpacked, SIZE) == 0 ? "the same" : "DIFFERENT");
}

int main(void) {
    memset(text, 'a', SIZE);
    run("constant");
    static const char *const words[] = {"the ", "quick ", "brown ", "fox ", "jumps ", "over ", "lazy ", "dog. "};
    uint32_t seed = 12345;
    for (size_t at = 0; at < SIZE;) {
        seed = seed * 1664525 + 1013904223;
        for (const char *word = words[seed >> 29]; *word && at < SIZE;) text[at++] = (uint8_t)*word++;
    }
    run("words");
    for (size_t i = 0; i < SIZE; i++) text[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    run("noise");
    for (size_t i = 0; i < SIZE; i++) text[i] = (uint8_t)(i / 3 % 251 ^ (i % 1000 == 0));
    run("periods");
}

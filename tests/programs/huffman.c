// Huffman's codes: a tree by a heap, canonical codes, and bits that are written and read again.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOLS = 256, SIZE = 3000 };

static struct { unsigned weight; int left, right; } tree[2 * SYMBOLS];
static int heap[SYMBOLS], heaped;
static uint8_t lengths[SYMBOLS];
static uint32_t codes[SYMBOLS];

static int lighter(int a, int b) {
    return tree[a].weight != tree[b].weight ? tree[a].weight < tree[b].weight : a < b;
}

static void push(int node) {
    int at = heaped++;
    for (; at && lighter(node, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = node;
}

static int pop(void) {
    int least = heap[0], node = heap[--heaped], at = 0;
    for (int child; (child = 2 * at + 1) < heaped; at = child) {
        if (child + 1 < heaped && lighter(heap[child + 1], heap[child])) child++;
        if (!lighter(heap[child], node)) break;
        heap[at] = heap[child];
    }
    heap[at] = node;
    return least;
}

static void measure(int node, int depth) {
    if (node < SYMBOLS) {
        lengths[node] = (uint8_t)(depth ? depth : 1);
        return;
    }
    measure(tree[node].left, depth + 1);
    measure(tree[node].right, depth + 1);
}

static void build(const uint8_t *text, size_t size) {
    memset(tree, 0, sizeof tree);
    memset(lengths, 0, sizeof lengths);
    for (size_t i = 0; i < size; i++) tree[text[i]].weight++;
    for (int i = 0; i < SYMBOLS; i++)
        if (tree[i].weight) push(i);
    int next = SYMBOLS;
    while (heaped > 1) {
        int left = pop(), right = pop();
        tree[next].weight = tree[left].weight + tree[right].weight;
        tree[next].left = left;
        tree[next].right = right;
        push(next++);
    }
    measure(pop(), 0);
    uint32_t code = 0;
    for (int length = 1; length < 32; length++, code <<= 1)
        for (int i = 0; i < SYMBOLS; i++)
            if (lengths[i] == length) codes[i] = code++;
}

static size_t encode(const uint8_t *text, size_t size, uint8_t *to) {
    size_t bits = 0;
    for (size_t i = 0; i < size; i++)
        for (int bit = lengths[text[i]] - 1; bit >= 0; bit--, bits++)
            if (codes[text[i]] >> bit & 1) to[bits / 8] |= (uint8_t)(0x80 >> bits % 8);
    return bits;
}

static size_t decode(const uint8_t *from, size_t bits, uint8_t *to) {
    uint32_t first[33] = {0}, count[33] = {0}, start[33] = {0}, code = 0, code_length = 0;
    uint8_t order[SYMBOLS];
    uint32_t ordered = 0;
    for (uint32_t length = 1; length < 33; length++) {
        start[length] = ordered;
        for (int i = 0; i < SYMBOLS; i++)
            if (lengths[i] == length) order[ordered++] = (uint8_t)i, count[length]++;
        first[length] = (first[length - 1] + count[length - 1]) << 1;
    }
    size_t size = 0;
    for (size_t bit = 0; bit < bits; bit++) {
        code = code << 1 | (from[bit / 8] >> (7 - bit % 8) & 1);
        code_length++;
        if (code - first[code_length] < count[code_length]) {
            to[size++] = order[start[code_length] + code - first[code_length]];
            code = code_length = 0;
        }
    }
    return size;
}

int main(void) {
    static uint8_t text[SIZE], packed[SIZE * 4], back[SIZE * 2];
    for (int kind = 0; kind < 3; kind++) {
        uint32_t seed = 99;
        for (int i = 0; i < SIZE; i++) {
            seed = seed * 69069 + 1;
            uint32_t few = seed >> 26;
            text[i] = (uint8_t)(kind == 0 ? 'x' : kind == 1 ? 'a' + few * few * few / 10500 : seed >> 24);
        }
        build(text, SIZE);
        memset(packed, 0, sizeof packed);
        size_t bits = encode(text, SIZE, packed), size = decode(packed, bits, back);
        uint32_t sum = 0;
        for (size_t i = 0; i < (bits + 7) / 8; i++) sum = sum * 131 + packed[i];
        printf("%zu bits, sum %08x, %s\n", bits, sum, size == SIZE && !memcmp(text, back,
            SIZE) ? "the same" : "DIFFERENT");
        for (int i = 'a'; kind == 1 && i < 'z'; i++)
            if (lengths[i]) printf("%c: %u bits, code %x, %u times\n", i, lengths[i], codes[i], tree[i].weight);
    }
}

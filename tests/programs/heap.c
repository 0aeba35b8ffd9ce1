// malloc, calloc, realloc and free: a list, a hash table, a tree, random sizes, and blocks large enough for pages.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed = 7;

static uint32_t next(void) {
    return (seed = seed * 1664525 + 1013904223) >> 8;
}

// Blocks of random sizes, each filled with its number.
static void blocks(void) {
    enum { COUNT = 64 };
    static struct { uint8_t *start; size_t size; } own[COUNT];
    unsigned wrong = 0, made = 0, freed = 0, grown = 0;
    for (int step = 0; step < 800; step++) {
        int i = (int)(next() % COUNT);
        size_t size = next() % (next() % 16 ? 200 : 6000) + 1;
        for (size_t k = 0; k < own[i].size; k += 16) wrong += own[i].start[k] != (uint8_t)i;
        switch (next() % 3) {
        case 0:
            free(own[i].start);
            own[i].start = NULL;
            own[i].size = 0;
            freed++;
            continue;
        case 1:
            free(own[i].start);
            own[i].start = next() % 2 ? malloc(size) : calloc(size, 1);
            own[i].size = 0;
            made++;
            break;
        default: own[i].start = realloc(own[i].start, size); grown++;
        }
        if (!own[i].start) exit(1);
        if ((uintptr_t)own[i].start % 16) wrong++;
        for (size_t k = 0; k < size && k < own[i].size; k++) wrong += own[i].start[k] != (uint8_t)i;
        memset(own[i].start, i, size);
        own[i].size = size;
    }
    for (int i = 0; i < COUNT; i++) free(own[i].start);
    printf("made %u, freed %u, grown %u, wrong %u\n", made, freed, grown, wrong);
}

// Blocks that come from the system and move there.
static void pages(void) {
    size_t size = 200000;
    uint32_t *large = calloc(size, 4);
    uint32_t zeros = 0;
    for (size_t i = 0; i < size; i += 64) zeros |= large[i];
    for (size_t i = 0; i < size; i += 512) large[i] = (uint32_t)i * 3;
    large = realloc(large, size * 4 * 8);
    uint64_t total = 0;
    for (size_t i = 0; i < size; i += 512) total += large[i];
    large[size * 8 - 1] = 17;
    large = realloc(large, 1000 * 4);
    void *aligned = aligned_alloc(4096, 8192), *other = NULL;
    int status = posix_memalign(&other, 256, 1000);
    printf("zeros %u, total %llu, %u, aligned %d %d %d\n", zeros, (unsigned long long)total, large[512],
        (uintptr_t)aligned % 4096 == 0, status, (uintptr_t)other % 256 == 0);
    free(aligned);
    free(other);
    free(large);
}

struct entry { struct entry *next; unsigned count; char word[]; };

static void words(void) {
    static const char text[] = "a rose is a rose is a rose and an apple is an apple but a pear is not a rose";
    struct entry *slots[8] = {NULL};
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        unsigned slot = 0;
        for (size_t i = 0; i < length; i++) slot = slot * 33 + (unsigned char)at[i];
        struct entry **place = &slots[slot % 8];
        while (*place && strncmp((*place)->word, at, length + 1 - !at[length]) > 0) place = &(*place)->next;
        if (!*place || strncmp((*place)->word, at, length) || (*place)->word[length]) {
            struct entry *made = malloc(sizeof *made + length + 1);
            memcpy(made->word, at, length);
            made->word[length] = 0;
            made->count = 0;
            made->next = *place;
            *place = made;
        }
        (*place)->count++;
        at += length + (at[length] == ' ');
    }
    for (int i = 0; i < 8; i++)
        while (slots[i]) {
            struct entry *gone = slots[i];
            printf("%d:%s=%u ", i, gone->word, gone->count);
            slots[i] = gone->next;
            free(gone);
        }
    puts("");
}

struct tree { struct tree *left, *right; uint32_t key; };

static unsigned walk(struct tree *tree, unsigned depth, uint32_t *sum) {
    if (!tree) return depth;
    unsigned left = walk(tree->left, depth + 1, sum);
    *sum = *sum * 31 + tree->key;
    unsigned right = walk(tree->right, depth + 1, sum);
    free(tree);
    return left > right ? left : right;
}

int main(void) {
    blocks();
    pages();
    words();
    struct tree *root = NULL;
    for (int i = 0; i < 500; i++) {
        struct tree **place = &root, *made = calloc(1, sizeof *made);
        made->key = next();
        while (*place) place = made->key < (*place)->key ? &(*place)->left : &(*place)->right;
        *place = made;
    }
    uint32_t sum = 0;
    unsigned depth = walk(root, 0, &sum);
    printf("depth %u, sum %08x\n", depth, sum);
}

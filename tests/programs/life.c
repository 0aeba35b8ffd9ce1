// Cellular automata: life on a torus of bits and of bytes, an elementary automaton, and Langton's ant.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 64 };

static uint64_t rows[SIDE];
static uint8_t cells[32][32], next_cells[32][32];

static uint64_t left(uint64_t x) { return x << 1 | x >> 63; }
static uint64_t right(uint64_t x) { return x >> 1 | x << 63; }

// Adds a bit to each of 64 counters of three bits; what overflows is enough to die of.
static void count(uint64_t counter[3], uint64_t bits) {
    for (int i = 0; i < 3; i++) {
        uint64_t carry = counter[i] & bits;
        counter[i] ^= bits;
        bits = carry;
    }
    counter[2] |= bits;
}

static void step_bits(void) {
    uint64_t old[SIDE];
    memcpy(old, rows, sizeof old);
    for (int y = 0; y < SIDE; y++) {
        uint64_t up = old[(y + SIDE - 1) % SIDE], own = old[y], down = old[(y + 1) % SIDE], counter[3] = {0};
        count(counter, left(up)), count(counter, up), count(counter, right(up));
        count(counter, left(own)), count(counter, right(own));
        count(counter, left(down)), count(counter, down), count(counter, right(down));
        rows[y] = ~counter[2] & counter[1] & (counter[0] | own);
    }
}

static void step_bytes(void) {
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            int neighbours = -cells[y][x];
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) neighbours += cells[(y + dy) & 31][(x + dx) & 31];
            next_cells[y][x] = neighbours == 3 || (neighbours == 2 && cells[y][x]);
        }
    memcpy(cells, next_cells, sizeof cells);
}

static void rule(unsigned number, int steps) {
    uint64_t row = UINT64_C(1) << 31, sum = 0;
    for (int i = 0; i < steps; i++) {
        if (i < 8) {
            for (int bit = 47; bit >= 16; bit--) putchar(row >> bit & 1 ? '#' : '.');
            puts("");
        }
        uint64_t next = 0, l = right(row), r = left(row);
        for (unsigned pattern = 0; pattern < 8; pattern++)
            if (number >> pattern & 1)
                next |= (pattern & 4 ? l : ~l) & (pattern & 2 ? row : ~row) & (pattern & 1 ? r : ~r);
        row = next;
        sum = sum * 3 + row;
    }
    printf("rule %u: %016llx\n", number, (unsigned long long)sum);
}

static void ant(int steps) {
    static uint8_t ground[SIDE][SIDE];
    int x = 32, y = 32, direction = 0, black = 0;
    static const int8_t dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};
    for (int i = 0; i < steps; i++) {
        direction = (direction + (ground[y][x] ? 3 : 1)) & 3;
        black += ground[y][x] ? -1 : 1;
        ground[y][x] ^= 1;
        x = (x + dx[direction]) & 63;
        y = (y + dy[direction]) & 63;
    }
    printf("ant at %d, %d, towards %d; %d black\n", x, y, direction, black);
}

int main(void) {
    // An R-pentomino, and a glider in the corner.
    static const int8_t start[][2] = {{11, 10}, {12, 10}, {10, 11}, {11, 11}, {11, 12}, {28, 27}, {29, 28}, {27, 29},
        {28, 29}, {29, 29}};
    for (int i = 0; i < 10; i++) {
        rows[start[i][1]] |= UINT64_C(1) << start[i][0];
        cells[start[i][1]][start[i][0]] = 1;
    }
    for (int generation = 1; generation <= 80; generation++) {
        step_bits();
        if (generation <= 16) step_bytes();
        if (generation % 20) continue;
        unsigned alive = 0;
        uint64_t sum = 0;
        for (int y = 0; y < SIDE; y++) alive += (unsigned)__builtin_popcountll(rows[y]), sum = sum * 31 + rows[y];
        printf("generation %d: %u alive, %016llx\n", generation, alive, (unsigned long long)sum);
    }
    for (int y = 2; y < 26; y++) {
        for (int x = 2; x < 30; x++) putchar(cells[y][x] ? 'O' : '.');
        puts("");
    }
    rule(30, 100);
    rule(110, 100);
    ant(5000);
}

// Queens by bits and by rows, a sudoku by search and a knight's tour by the fewest ways on.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned queens(int n, uint32_t columns, uint32_t left, uint32_t right) {
    uint32_t all = (1u << n) - 1, free = all & ~(columns | left | right);
    if (columns == all) return 1;
    unsigned count = 0;
    for (; free; free &= free - 1) {
        uint32_t bit = free & -free;
        count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

static int first_queens(int row, int n, int *places) {
    if (row == n) return 1;
    for (places[row] = 0; places[row] < n; places[row]++) {
        int attacked = 0;
        for (int i = 0; i < row; i++) {
            int distance = places[row] - places[i];
            attacked |= distance == 0 || distance == row - i || distance == i - row;
        }
        if (!attacked && first_queens(row + 1, n, places)) return 1;
    }
    return 0;
}

static int cells[81];
static uint16_t rows[9], columns[9], boxes[9];
static unsigned tries;

static void flip(int cell, int digit) {
    uint16_t bit = (uint16_t)(1 << digit);
    rows[cell / 9] ^= bit;
    columns[cell % 9] ^= bit;
    boxes[cell / 27 * 3 + cell % 9 / 3] ^= bit;
}

// Takes the empty cell with the fewest digits next.
static int solve(void) {
    int best = -1, fewest = 10;
    uint16_t digits = 0;
    for (int i = 0; i < 81; i++) {
        if (cells[i]) continue;
        uint16_t free = 0x3fe & ~(rows[i / 9] | columns[i % 9] | boxes[i / 27 * 3 + i % 9 / 3]);
        int count = __builtin_popcount(free);
        if (count < fewest) best = i, fewest = count, digits = free;
    }
    if (best < 0) return 1;
    for (int digit = 1; digit < 10; digit++) {
        if (!(digits >> digit & 1)) continue;
        tries++;
        cells[best] = digit;
        flip(best, digit);
        if (solve()) return 1;
        flip(best, digit);
        cells[best] = 0;
    }
    return 0;
}

static void sudoku(const char *text) {
    memset(rows, 0, sizeof rows);
    memset(columns, 0, sizeof columns);
    memset(boxes, 0, sizeof boxes);
    tries = 0;
    for (int i = 0; i < 81; i++) {
        cells[i] = text[i] == '.' ? 0 : text[i] - '0';
        if (cells[i]) flip(i, cells[i]);
    }
    int solved = solve();
    printf("solved %d after %u tries\n", solved, tries);
    for (int i = 0; i < 81; i++) printf("%d%s", cells[i], i % 9 == 8 ? "\n" : i % 3 == 2 ? " " : "");
}

enum { SIDE = 6 };

static const int8_t moves[8][2] = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
static int board[SIDE][SIDE];

static int is_free(int x, int y) {
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && !board[y][x];
}

static int tour(int x, int y, int step) {
    board[y][x] = step;
    if (step == SIDE * SIDE) return 1;
    for (int ways = 0; ways < 8; ways++)
        for (int i = 0; i < 8; i++) {
            int nx = x + moves[i][0], ny = y + moves[i][1], own = 0;
            if (!is_free(nx, ny)) continue;
            for (int k = 0; k < 8; k++) own += is_free(nx + moves[k][0], ny + moves[k][1]);
            if (own == ways && tour(nx, ny, step + 1)) return 1;
        }
    return board[y][x] = 0;
}

int main(void) {
    for (int n = 1; n <= 8; n++) printf("%d queens: %u\n", n, queens(n, 0, 0, 0));
    int places[10];
    first_queens(0, 10, places);
    for (int i = 0; i < 10; i++) printf("%c%d ", 'a' + i, places[i] + 1);
    puts("");
    sudoku("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
    sudoku(".6.....8.3...2...4..57..1....9..4...5...1...7...8..2....1..26..8...5...3.4.....1.");
    printf("tour %d\n", tour(0, 0, 1));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) printf("%3d%s", board[y][x], x + 1 < SIDE ? "" : "\n");
}

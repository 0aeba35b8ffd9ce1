// The stack: setjmp and longjmp through many frames, deep and mutual recursion, alloca, large frames.
#include <alloca.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static jmp_buf handler;
static int depth;

_Noreturn static void fail(int code) {
    longjmp(handler, code);
}

static double unwind(int n, double x) {
    if (n == 0) fail(7);
    if (x < 0) return x;
    return unwind(n - 1, x * 1.5) + x;
}

static void jumps(void) {
    volatile int times = 0;
    volatile double kept = 2.5;
    int code = setjmp(handler);
    printf("setjmp gives %d, times %d, kept %g\n", code, times, kept);
    if (code == 0) kept = unwind(500, 1);
    if (times++ < 3) longjmp(handler, times - 1);
}

// Exceptions of nested handlers.
static int nested(int level) {
    jmp_buf saved;
    memcpy(&saved, &handler, sizeof saved);
    volatile int caught = 0;
    if (setjmp(handler) == 0) {
        if (level == 0) fail(1);
        caught = nested(level - 1);
        if (level % 3 == 0) fail(2);
    } else {
        caught += 100;
    }
    memcpy(&handler, &saved, sizeof saved);
    return caught + 1;
}

static unsigned sum(const unsigned char *bytes, int count) {
    unsigned char local[64];
    memcpy(local, bytes, sizeof local);
    if (count == 0) return local[63];
    local[count % 64] ^= (unsigned char)count;
    depth++;
    return sum(local, count - 1) * 31 + local[count % 64];
}

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int odd(unsigned n);

static int even(unsigned n) {
    return n == 0 ? 1 : odd(n - 1);
}

static int odd(unsigned n) {
    return n == 0 ? 0 : even(n - 1);
}

static unsigned long hanoi(int disks, int from, int to, int moves[3][3]) {
    if (disks == 0) return 0;
    int other = 3 - from - to;
    unsigned long before = hanoi(disks - 1, from, other, moves);
    moves[from][to]++;
    return before + 1 + hanoi(disks - 1, other, to, moves);
}

static unsigned allocated(unsigned n) {
    unsigned total = 0;
    for (unsigned i = 1; i <= n; i++) {
        unsigned char *bytes = alloca(i * 7);
        memset(bytes, (int)i, i * 7);
        total += bytes[0] + bytes[i * 7 - 1] + ((uintptr_t)bytes % 16 == 0);
    }
    return total;
}

static unsigned variable(int n) {
    unsigned short cells[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++) cells[i][k] = (unsigned short)(i * k);
    return sizeof cells + cells[n - 1][n] + (n > 1 ? variable(n - 1) : 0);
}

static unsigned large(void) {
    unsigned char frame[100000];
    memset(frame, 3, sizeof frame);
    unsigned total = 0;
    for (unsigned i = 0; i < sizeof frame; i += 4093) total += frame[i];
    return total;
}

int main(void) {
    jumps();
    printf("nested %d\n", nested(9));
    unsigned char bytes[64] = {1, 2, 3};
    printf("sum %u", sum(bytes, 9000));
    printf(" at depth %d\n", depth);
    printf("ackermann %u, even %d, odd %d\n", ackermann(2, 60), even(20000), odd(20001));
    int moves[3][3] = {{0}};
    unsigned long total = hanoi(11, 0, 2, moves);
    printf("hanoi %lu: %d %d %d %d\n", total, moves[0][1], moves[0][2], moves[1][2], moves[2][1]);
    printf("alloca %u, variable %u, large %u\n", allocated(50), variable(12), large());
}

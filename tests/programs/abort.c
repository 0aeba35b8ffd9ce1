// Ends by abort(), in the middle of work: what was flushed is written, what is in a buffer is lost, no exit function
// runs.
#include <assert.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void never(void) {
    puts("never written");
}

// A queue in a ring, whose invariants are checked at each step.
static struct { uint32_t slots[16]; unsigned head, count; } ring;

static void put(uint32_t x) {
    assert(ring.count < 16);
    ring.slots[(ring.head + ring.count++) % 16] = x;
}

static uint32_t take(void) {
    assert(ring.count > 0);
    uint32_t x = ring.slots[ring.head];
    ring.head = (ring.head + 1) % 16;
    ring.count--;
    return x;
}

int main(void) {
    atexit(never);
    signal(SIGUSR1, SIG_IGN);
    printf("ignored: %d\n", raise(SIGUSR1));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 500; i++) {
        put(i * i);
        if (i % 3 == 0) put(i);
        while (ring.count > 8 + i % 5) sum = sum * 31 + take();
    }
    printf("sum %08x, %u left\n", sum, ring.count);
    fflush(stdout);
    fprintf(stderr, "about to abort\n");
    printf("lost in the buffer");
    if (ring.count) abort();
    return 3;
}

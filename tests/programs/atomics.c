// C11 atomics of every width and order, on one thread: results and what is left in memory.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t sum;

static void note(uint64_t x) {
    sum = (sum << 9 | sum >> 55) ^ x;
}

#define WIDTH(name, type) \
    static void name(type start) { \
        static _Atomic type cells[3]; \
        atomic_store(&cells[1], start); \
        note((uint64_t)atomic_fetch_add(&cells[1], (type)77)); \
        note((uint64_t)atomic_fetch_sub_explicit(&cells[1], (type)5, memory_order_relaxed)); \
        note((uint64_t)atomic_fetch_and_explicit(&cells[1], (type)~0x30, memory_order_acquire)); \
        note((uint64_t)atomic_fetch_or_explicit(&cells[1], (type)0x41, memory_order_release)); \
        note((uint64_t)atomic_fetch_xor_explicit(&cells[1], (type)-1, memory_order_acq_rel)); \
        note((uint64_t)atomic_exchange(&cells[1], (type)(start * 3))); \
        type expected = (type)(start * 3); \
        int swapped = atomic_compare_exchange_strong(&cells[1], &expected, (type)(start - 9)); \
        int again = atomic_compare_exchange_strong_explicit(&cells[1], &expected, 1, memory_order_release, \
            memory_order_relaxed); \
        note((uint64_t)expected); \
        type old = atomic_load_explicit(&cells[1], memory_order_acquire); \
        while (!atomic_compare_exchange_weak(&cells[1], &old, (type)(old * 5 + 1))) {} \
        note((uint64_t)(cells[1] += 3)); \
        note((uint64_t)(cells[1] *= 7)); \
        note((uint64_t)cells[1]++); \
        note((uint64_t)--cells[1]); \
        printf(#name " %d%d %lld, neighbours %d %d\n", swapped, again, (long long)atomic_load(&cells[1]), \
            (int)cells[0], \
            (int)cells[2]); \
    }

WIDTH(s8, int8_t)
WIDTH(u8, uint8_t)
WIDTH(s16, int16_t)
WIDTH(u16, uint16_t)
WIDTH(s32, int32_t)
WIDTH(u32, uint32_t)
WIDTH(s64, int64_t)
WIDTH(u64, uint64_t)

// A stack whose head is exchanged.
struct node { struct node *next; int value; };

static struct node nodes[50];
static _Atomic(struct node *) head;

static void push(struct node *node) {
    node->next = atomic_load_explicit(&head, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&head, &node->next, node, memory_order_release,
        memory_order_relaxed)) {}
}

static struct node *pop(void) {
    struct node *top = atomic_load(&head);
    while (top && !atomic_compare_exchange_weak(&head, &top, top->next)) {}
    return top;
}

// A lock of tickets, taken and given back.
static atomic_uint ticket, serving;

static unsigned with_lock(unsigned x) {
    unsigned own = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != own) {}
    x = x * 31 + own;
    atomic_store_explicit(&serving, own + 1, memory_order_release);
    return x;
}

int main(void) {
    s8(-100), u8(200), s16(-30000), u16(60000), s32(-2000000000), u32(4000000000), s64(INT64_MIN + 5),
        u64(UINT64_MAX - 9);
    for (int i = 0; i < 50; i++) {
        nodes[i].value = i * i;
        push(&nodes[i]);
        if (i % 3 == 2) note((uint64_t)pop()->value);
    }
    int left = 0;
    for (struct node *node; (node = pop()) != NULL; left++) note((uint64_t)node->value);
    unsigned x = 1;
    for (int i = 0; i < 100; i++) x = with_lock(x);
    static atomic_flag flag = ATOMIC_FLAG_INIT;
    int first = atomic_flag_test_and_set(&flag), second = atomic_flag_test_and_set_explicit(&flag,
        memory_order_acquire);
    atomic_flag_clear(&flag);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    _Atomic double total = 0.5;
    for (int i = 1; i < 9; i++) total += 1.0 / i;
    _Atomic _Bool truth = 0;
    truth |= 1;
    printf("left %d, tickets %08x, flag %d%d%d, total %.15g, truth %d\n", left, x, first, second,
        atomic_flag_test_and_set(&flag), total, truth);
    uint32_t words[2] = {5, 6};
    note(__sync_fetch_and_xor(&words[0], 4));
    note(__sync_bool_compare_and_swap(&words[1], 6, 60));
    note(__atomic_add_fetch(&words[1], 2, __ATOMIC_SEQ_CST));
    note(__sync_lock_test_and_set(&words[0], 9));
    printf("words %u %u, sum %016llx\n", words[0], words[1], (unsigned long long)sum);
}

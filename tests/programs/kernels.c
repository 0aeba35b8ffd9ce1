// Short loops over a list, a matrix, a state machine and a checksum, as benchmarks of embedded machines have them.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct node {
    struct node *next;
    int16_t value, index;
};

static struct node nodes[200];

static uint16_t crc16(uint16_t crc, uint32_t value, int bits) {
    for (int i = 0; i < bits; i++) {
        int carry = (crc ^ value >> i) & 1;
        crc >>= 1;
        if (carry) crc ^= 0xa001;
    }
    return crc;
}

// Sorts a list by merging halves.
static struct node *sort(struct node *list) {
    if (!list || !list->next) return list;
    struct node *slow = list, *fast = list->next;
    while (fast && fast->next) slow = slow->next, fast = fast->next->next;
    struct node *right = slow->next, *head = NULL, **end = &head;
    slow->next = NULL;
    struct node *left = sort(list);
    right = sort(right);
    while (left && right) {
        struct node **least = left->value <= right->value ? &left : &right;
        *end = *least;
        end = &(*least)->next;
        *least = (*least)->next;
    }
    *end = left ? left : right;
    return head;
}

static uint16_t lists(uint16_t crc) {
    uint32_t seed = 1;
    for (int i = 0; i < 200; i++) {
        seed = seed * 1103515245 + 12345;
        nodes[i] = (struct node){i + 1 < 200 ? &nodes[i + 1] : NULL, (int16_t)(seed >> 16), (int16_t)i};
    }
    struct node *list = sort(nodes), *reversed = NULL;
    printf("least %d, of %d\n", list->value, list->index);
    while (list) {
        struct node *next = list->next;
        crc = crc16(crc, (uint16_t)list->value, 16);
        list->next = reversed;
        reversed = list;
        list = next;
    }
    printf("greatest %d, of %d\n", reversed->value, reversed->index);
    return crc;
}

enum { N = 24 };

static uint16_t matrices(uint16_t crc) {
    static int16_t a[N][N], b[N][N];
    static int32_t c[N][N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) a[i][k] = (int16_t)(i * 37 - k * 91), b[i][k] = (int16_t)(i ^ k << 3);
    int64_t trace = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            c[i][k] = 0;
            for (int m = 0; m < N; m++) c[i][k] += a[i][m] * b[m][k] >> 2;
            crc = crc16(crc, (uint32_t)c[i][k], 32);
            if (i == k) trace += c[i][k];
        }
    printf("trace %lld, corner %d\n", (long long)trace, c[N - 1][0]);
    return crc;
}

enum state { START, SIGN, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, SCALE, INVALID, STATES };

static enum state step(enum state state, char c) {
    int digit = c >= '0' && c <= '9';
    switch (state) {
    case START: return digit ? INTEGER : c == '+' || c == '-' ? SIGN : c == '.' ? POINT : INVALID;
    case SIGN: return digit ? INTEGER : c == '.' ? POINT : INVALID;
    case INTEGER: return digit ? INTEGER : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case POINT: return digit ? FRACTION : INVALID;
    case FRACTION: return digit ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case EXPONENT: return digit ? SCALE : c == '+' || c == '-' ? EXPONENT_SIGN : INVALID;
    case EXPONENT_SIGN:
    case SCALE: return digit ? SCALE : INVALID;
    default: return INVALID;
    }
}

static uint16_t states(uint16_t crc) {
    static const char *const words[] = {"5012", "1234.5", "-874", "+122", "35.54400", ".1234500", "-110.700",
        "+0.64400", "5.500e+3", "-.123e-2", "-87e+832", "+0.6e-12", "T0.3e-1F", "-T.T++Tq", "1T3.4e4z", "34.0e-T^"};
    unsigned visits[STATES] = {0}, ends[STATES] = {0};
    for (int round = 0; round < 50; round++) {
        enum state state = START;
        for (const char *at = words[round % 16]; *at; at++) visits[state = step(state, *at)]++;
        ends[state]++;
    }
    for (int i = 0; i < STATES; i++) {
        printf("state %d: %u visits, %u ends\n", i, visits[i], ends[i]);
        crc = crc16(crc, visits[i] << 8 | ends[i], 32);
    }
    return crc;
}

int main(void) {
    uint16_t crc = lists(0);
    printf("after the list %04x\n", crc);
    crc = matrices(crc);
    printf("after the matrix %04x\n", crc);
    crc = states(crc);
    printf("after the states %04x\n", crc);
}

// Function pointers and tables of switches: a machine with a stack that runs small programs in two ways.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum code { PUSH, ADD, SUB, MUL, DIV, MOD, DUP, SWAP, OVER, DROP, JUMP, ZERO, LESS, LOAD, STORE, PRINT, HALT, CODES };

struct machine {
    int64_t stack[32], memory[16];
    int top, at;
    uint32_t sum;
    unsigned steps;
};

// Primes below a number, the steps of a sequence, and powers. `:x` is a label, `>x` jumps, `?x` jumps if there is a
// zero.
static const char *const programs[] = {
    "2 0 store :n 2 1 store :d 0 load 1 load dup * < ?r 0 load print >m :r 0 load 1 load % ?m 1 load 1 + 1 store >d "
    ":m 0 load 1 + dup 0 store 200 < ?e >n :e halt",
    "27 :a dup 1 - ?e dup 2 % ?h 3 * 1 + >c :h 2 / :c 3 load 1 + 3 store >a :e drop 3 load print halt",
    "1 0 :a over print 1 + swap 7 * swap dup 25 < ?e >a :e halt"};

static const char *const names[CODES] = {"", "+", "-", "*", "/", "%", "dup", "swap", "over", "drop", ">", "?", "<",
    "load", "store", "print", "halt"};

static void assemble(const char *text, int16_t *code) {
    int labels[128] = {0};
    for (int pass = 0; pass < 2; pass++) {
        char copy[400], *rest = copy;
        strcpy(copy, text);
        int at = 0;
        for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
            if (*word == ':') labels[(int)word[1]] = at;
            else if (*word >= '0' && *word <= '9') code[at++] = PUSH, code[at++] = (int16_t)atoi(word);
            else if (*word == '>' || *word == '?') code[at++] = *word == '>' ? JUMP : ZERO,
                code[at++] = (int16_t)labels[(int)word[1]];
            else for (int16_t i = 1; i < CODES; i++)
                if (strcmp(word, names[i]) == 0) code[at++] = i;
        }
    }
}

static void print(struct machine *m, int64_t x) {
    m->sum = m->sum * 33 + (uint32_t)x;
    printf(" %lld", (long long)x);
}

static void by_switch(struct machine *m, const int16_t *code) {
    for (;; m->steps++) {
        int64_t *top = m->stack + m->top;
        switch ((enum code)code[m->at++]) {
        case PUSH: top[1] = code[m->at++]; m->top++; break;
        case ADD: top[-1] += *top; m->top--; break;
        case SUB: top[-1] -= *top; m->top--; break;
        case MUL: top[-1] = (int64_t)((uint64_t)top[-1] * (uint64_t)*top); m->top--; break;
        case DIV: top[-1] /= *top; m->top--; break;
        case MOD: top[-1] %= *top; m->top--; break;
        case DUP: top[1] = *top; m->top++; break;
        case SWAP: top[1] = *top; *top = top[-1]; top[-1] = top[1]; break;
        case OVER: top[1] = top[-1]; m->top++; break;
        case DROP: m->top--; break;
        case JUMP: m->at = code[m->at]; break;
        case ZERO: m->at = *top ? m->at + 1 : code[m->at]; m->top--; break;
        case LESS: top[-1] = top[-1] < *top; m->top--; break;
        case LOAD: *top = m->memory[*top]; break;
        case STORE: m->memory[*top] = top[-1]; m->top -= 2; break;
        case PRINT: print(m, *top); m->top--; break;
        case HALT: return;
        default: puts("unknown"); return;
        }
    }
}

typedef void operation(struct machine *m, int64_t *top, int16_t next);

#define BINARY(name, expression) \
    static void name(struct machine *m, int64_t *top, int16_t next) { \
        (void)next; \
        int64_t a = top[-1], b = *top; \
        top[-1] = (expression); \
        m->top--; \
    }
BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, (int64_t)((uint64_t)a * (uint64_t)b))
BINARY(divide, a / b)
BINARY(modulo, a % b)
BINARY(less, a < b)

static void push(struct machine *m, int64_t *top, int16_t next) { top[1] = next, m->top++, m->at++; }
static void dup(struct machine *m, int64_t *top, int16_t next) { top[1] = *top, m->top++, (void)next; }
static void swap(struct machine *m, int64_t *top, int16_t next) {
    int64_t kept = *top;
    *top = top[-1];
    top[-1] = kept;
    (void)m, (void)next;
}
static void over(struct machine *m, int64_t *top, int16_t next) { top[1] = top[-1], m->top++, (void)next; }
static void drop(struct machine *m, int64_t *top, int16_t next) { m->top--, (void)top, (void)next; }
static void jump(struct machine *m, int64_t *top, int16_t next) { m->at = next, (void)top; }
static void zero(struct machine *m, int64_t *top, int16_t next) { m->at = *top ? m->at + 1 : next, m->top--; }
static void load(struct machine *m, int64_t *top, int16_t next) { *top = m->memory[*top], (void)next; }
static void store(struct machine *m, int64_t *top, int16_t next) { m->memory[*top] = top[-1], m->top -= 2, (void)next; }
static void show(struct machine *m, int64_t *top, int16_t next) { print(m, *top), m->top--, (void)next; }

static operation *const table[CODES] = {push, add, subtract, multiply, divide, modulo, dup, swap, over, drop, jump,
    zero, less, load, store, show, NULL};

static void by_table(struct machine *m, const int16_t *code) {
    for (operation *own; (own = table[code[m->at]]) != NULL; m->steps++) {
        m->at++;
        own(m, m->stack + m->top, code[m->at]);
    }
}

int main(void) {
    static void (*const ways[])(struct machine *, const int16_t *) = {by_switch, by_table};
    for (int i = 0; i < 3; i++) {
        int16_t code[200];
        assemble(programs[i], code);
        for (int way = 0; way < 2; way++) {
            struct machine machine = {.top = 0};
            ways[way](&machine, code);
            printf("\n  %u steps, %d left, sum %08x\n", machine.steps, machine.top, machine.sum);
        }
    }
}

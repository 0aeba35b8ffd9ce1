// Nodes that are allocated, a stack machine with a switch, and bits.
#include "start.h"
#include <stdlib.h>

struct node {
    struct node *next;
    uint8_t value;
};

volatile uint16_t total;
volatile int16_t top;
volatile uint8_t ones, reversed;

static int16_t execute(const uint8_t *code)
{
    int16_t stack[8];
    uint8_t depth = 0;
    for (;; code++) {
        switch (*code) {
        case 0: return stack[0];
        case 1: stack[depth++] = (int8_t)*++code; break;
        case 2: depth--; stack[depth - 1] += stack[depth]; break;
        case 3: depth--; stack[depth - 1] -= stack[depth]; break;
        case 4: depth--; stack[depth - 1] *= stack[depth]; break;
        case 5: stack[depth] = stack[depth - 1]; depth++; break;
        case 6: stack[depth - 1] = (int16_t)(stack[depth - 1] << 3 | ((uint16_t)stack[depth - 1] >> 13)); break;
        default: stack[depth - 1] = ~stack[depth - 1];
        }
    }
}

int main(void)
{
    struct node *list = 0;
    for (uint8_t i = 0; i < 20; i++) {
        struct node *made = malloc(sizeof *made);
        made->next = list;
        made->value = (uint8_t)(i * i);
        list = made;
    }
    while (list) {
        struct node *next = list->next;
        total += list->value;
        free(list);
        list = next;
    }
    static const uint8_t code[] = {1, 100, 1, 200, 3, 5, 4, 1, 7, 2, 6, 9, 1, 3, 4, 0};
    top = execute(code);
    for (uint8_t x = 0xb5; x; x >>= 1) {
        ones += x & 1;
        reversed = (uint8_t)(reversed << 1 | (x & 1));
    }
    end();
}

// Reads standard input: numbers and words, then lines, then single characters, then blocks.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void table(void) {
    int count = 0;
    if (scanf("table %d", &count) != 1) exit(1);
    double total = 0;
    for (int i = 0; i < count; i++) {
        char name[16];
        int amount;
        double price;
        if (scanf("%15s %d %lf", name, &amount, &price) != 3) exit(2);
        total += amount * price;
        printf("%-10s %5d %8.2f %10.2f\n", name, amount, price, amount * price);
    }
    printf("%-25s %10.2f\n", "total", total);
}

// Counts words of lines until an empty one.
static void lines(void) {
    static struct { char word[16]; int count; } words[50];
    char line[80];
    int known = 0, number = 0;
    if (!fgets(line, sizeof line, stdin)) exit(3);
    while (fgets(line, sizeof line, stdin) && line[0] != '\n') {
        printf("%d: %zu characters\n", ++number, strcspn(line, "\n"));
        for (char *rest = line, *word; (word = strtok_r(rest, " .,\n", &rest)) != NULL;) {
            for (char *at = word; *at; at++) *at = (char)tolower((unsigned char)*at);
            int i = 0;
            while (i < known && strcmp(words[i].word, word)) i++;
            if (i == known) strncpy(words[known++].word, word, 15);
            words[i].count++;
        }
    }
    for (int i = 0; i < known; i++)
        if (words[i].count > 1) printf("%s %d times\n", words[i].word, words[i].count);
}

// An expression, by precedence.
static int next;

static long expression(int level) {
    long x;
    if (next == '(') {
        next = getchar();
        x = expression(0);
        next = getchar();
    } else if (next == '-') {
        next = getchar();
        x = -expression(3);
    } else {
        ungetc(next, stdin);
        if (scanf("%ld", &x) != 1) exit(4);
        next = getchar();
    }
    for (;;) {
        const char operator = (char)next;
        int own = operator == '+' || operator == '-' ? 1 : operator == '*' || operator == '/' || operator == '%' ? 2 :
            0;
        if (own == 0 || own <= level) return x;
        next = getchar();
        long y = expression(own);
        switch (operator) {
        case '+': x += y; break;
        case '-': x -= y; break;
        case '*': x *= y; break;
        case '/': x /= y; break;
        default: x %= y;
        }
    }
}

int main(void) {
    table();
    lines();
    while ((next = getchar()) != '\n' && next != EOF) {
        printf("= %ld\n", expression(0));
        while (next != '\n' && next != EOF) next = getchar();
    }
    static unsigned char block[100];
    uint32_t sum = 0;
    size_t size, total = 0;
    while ((size = fread(block, 1, sizeof block, stdin)) > 0) {
        total += size;
        for (size_t i = 0; i < size; i++) sum = sum * 31 + block[i];
    }
    printf("%zu bytes more, sum %08x, end %d\n", total, sum, feof(stdin) != 0);
}

// Regular expressions by backtracking, and the same expressions by sets of states.
#include <stdio.h>
#include <string.h>

enum { NODES = 64 };

// A node: a character, `.`, a class, or a fork into two.
enum kind { CHARACTER, ANY, CLASS, FORK, END };

static struct { enum kind kind; int next, other; const char *text; } nodes[NODES];
static int made;
static const char *at;

static int alternatives(int next);

static int node(enum kind kind, int next, int other, const char *text) {
    nodes[made].kind = kind;
    nodes[made].next = next;
    nodes[made].other = other;
    nodes[made].text = text;
    return made++;
}

// Where the atom at `from` ends.
static const char *atom_end(const char *from) {
    if (*from == '\\') return from + 2;
    if (*from == '[') return strchr(from + 2, ']') + 1;
    if (*from != '(') return from + 1;
    int depth = 0;
    do depth += *from == '(' ? 1 : *from == ')' ? -1 : 0, from++;
    while (depth);
    return from;
}

static int atom(const char *from, int next) {
    if (*from == '(') {
        at = from + 1;
        return alternatives(next);
    }
    enum kind kind = *from == '.' ? ANY : *from == '[' ? CLASS : CHARACTER;
    return node(kind, next, -1, from + (*from == '\\' || *from == '['));
}

// Expressions are compiled from their ends, so that every node knows the next one.
static int sequence(const char *from, const char *end, int next) {
    if (from >= end) return next;
    const char *after = atom_end(from);
    char repeat = after < end && strchr("*+?", *after) ? *after : 0;
    int rest = sequence(after + (repeat != 0), end, next);
    if (!repeat) return atom(from, rest);
    if (repeat == '?') return node(FORK, atom(from, rest), rest, NULL);
    int fork = node(FORK, -1, rest, NULL), first = atom(from, fork);
    nodes[fork].next = first;
    return repeat == '*' ? fork : first;
}

static int alternatives(int next) {
    const char *start = at, *end = start;
    while (*end && *end != '|' && *end != ')') end = atom_end(end);
    int first = sequence(start, end, next);
    at = end + 1;
    return *end == '|' ? node(FORK, first, alternatives(next), NULL) : first;
}

static int fits(int n, char c) {
    const char *text = nodes[n].text;
    if (nodes[n].kind == ANY) return 1;
    if (nodes[n].kind == CHARACTER) return *text == c;
    int negated = *text == '^', found = 0;
    for (text += negated; *text != ']'; text++) {
        if (text[1] == '-' && text[2] != ']') found |= c >= text[0] && c <= text[2], text += 2;
        else found |= *text == c;
    }
    return found != negated;
}

static unsigned steps;

static const char *backtrack(int n, const char *text) {
    steps++;
    if (nodes[n].kind == END) return text;
    if (nodes[n].kind != FORK) return *text && fits(n, *text) ? backtrack(nodes[n].next, text + 1) : NULL;
    const char *end = backtrack(nodes[n].next, text);
    return end ? end : backtrack(nodes[n].other, text);
}

static void enter(unsigned char *set, int n) {
    if (set[n]++) return;
    if (nodes[n].kind == FORK) enter(set, nodes[n].next), enter(set, nodes[n].other);
}

// The end of the longest match.
static const char *simulate(int start, const char *text) {
    unsigned char now[NODES] = {0}, next[NODES];
    const char *best = NULL;
    for (enter(now, start);; text++, memcpy(now, next, sizeof now)) {
        if (now[0]) best = text;
        memset(next, 0, sizeof next);
        for (int i = 0; *text && i < made; i++)
            if (now[i] && nodes[i].kind != FORK && nodes[i].kind != END && fits(i, *text)) enter(next, nodes[i].next);
        if (!memchr(next, 1, sizeof next)) return best;
    }
}

int main(void) {
    static const char *const expressions[] = {"abc", "a.c", "a*b+c?", "[a-c]+[^a-c]", "(ab|cd)+e", "x(y(z|w)?)*",
        "\\[.*\\]", "a?a?a?a?a?aaaaa", "(a|b)(a|b)(a|b)d", "[0-9]+\\.[0-9]+e[+-]?[0-9]+", "-?(0|[1-9][0-9]*)",
        "(a+)+b"};
    static const char *const texts[] = {"abc", "xxabbbcd", "cdabcdcde", "aaaaaaaaaa", "f(x)[12][3]y", "xyzyxywy",
        "3.25e-10", "-120", "babad", ""};
    for (unsigned e = 0; e < sizeof expressions / sizeof *expressions; e++) {
        made = steps = 0;
        at = expressions[e];
        int start = alternatives(node(END, -1, -1, NULL));
        printf("%-28s %2d nodes:", expressions[e], made);
        for (unsigned t = 0; t < sizeof texts / sizeof *texts; t++) {
            const char *from = texts[t], *end = NULL, *longest = NULL;
            for (; !(end = backtrack(start, from)) && *from; from++) {}
            if (end) longest = simulate(start, from);
            if (end) printf(" %d-%d%s", (int)(from - texts[t]), (int)(end - texts[t]),
                longest == end ? "" : longest > end ? "<" : "?");
            else printf(" no");
        }
        printf(", %u steps\n", steps);
    }
}

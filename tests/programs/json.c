// A parser of JSON: values into a pool, errors with their places, output in two layouts, queries by paths.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NONE, FALSE, TRUE, NUMBER, STRING, ARRAY, OBJECT };

struct value { enum kind kind; double number; char *key, *text; struct value *first, *next; };

static struct value pool[200];
static char strings[4000], *string_end;
static int used;
static const char *start, *at, *problem;

static struct value *fail(const char *what) {
    if (!problem) problem = what;
    return NULL;
}

static void space(void) {
    while (isspace((unsigned char)*at)) at++;
}

static void utf8(unsigned code) {
    if (code < 0x80) *string_end++ = (char)code;
    else if (code < 0x800) *string_end++ = (char)(0xc0 | code >> 6), *string_end++ = (char)(0x80 | (code & 63));
    else {
        *string_end++ = (char)(0xe0 | code >> 12);
        *string_end++ = (char)(0x80 | (code >> 6 & 63));
        *string_end++ = (char)(0x80 | (code & 63));
    }
}

static char *string(void) {
    char *result = string_end;
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < ' ') return fail("a string without an end"), NULL;
        if (*at != '\\') {
            *string_end++ = *at;
            continue;
        }
        static const char names[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
        const char *name = strchr(names, *++at);
        unsigned code;
        if (*at && name) *string_end++ = characters[name - names];
        else if (*at == 'u' && sscanf(at + 1, "%4x", &code) == 1) utf8(code), at += 4;
        else return fail("an unknown escape"), NULL;
    }
    at++;
    *string_end++ = 0;
    return result;
}

static struct value *parse(int depth) {
    space();
    struct value *own = &pool[used++];
    memset(own, 0, sizeof *own);
    static const struct { const char *word; enum kind kind; } words[] = {
        {"null", NONE}, {"false", FALSE}, {"true", TRUE}};
    for (int i = 0; i < 3; i++)
        if (strncmp(at, words[i].word, strlen(words[i].word)) == 0) {
            own->kind = words[i].kind;
            at += strlen(words[i].word);
            return own;
        }
    if (*at == '"') {
        own->kind = STRING;
        return (own->text = string()) ? own : NULL;
    }
    if (*at == '-' || isdigit((unsigned char)*at)) {
        char *end;
        own->kind = NUMBER;
        own->number = strtod(at, &end);
        at = end;
        return own;
    }
    if (*at != '[' && *at != '{') return fail(*at ? "an unexpected character" : "an unexpected end");
    if (depth > 20) return fail("too deep");
    own->kind = *at == '[' ? ARRAY : OBJECT;
    char close = *at++ == '[' ? ']' : '}';
    struct value **end = &own->first;
    for (space(); *at != close; space()) {
        char *key = NULL;
        if (own->first && *at++ != ',') return at--, fail("a comma is missing");
        space();
        if (close == '}' && (*at != '"' || !(key = string()))) return fail("a key is missing");
        space();
        if (key && *at++ != ':') return at--, fail("a colon is missing");
        if (!(*end = parse(depth + 1))) return NULL;
        (*end)->key = key;
        end = &(*end)->next;
    }
    at++;
    return own;
}

static void print(const struct value *v, int indent) {
    static const char *const words[] = {"null", "false", "true"};
    if (v->kind <= TRUE) fputs(words[v->kind], stdout);
    else if (v->kind == NUMBER) printf(v->number == floor(v->number) && fabs(v->number) < 1e15 ? "%.0f" : "%.10g",
        v->number);
    else if (v->kind == STRING) printf("\"%s\"", v->text);
    else {
        putchar(v->kind == ARRAY ? '[' : '{');
        for (const struct value *own = v->first; own; own = own->next) {
            if (indent >= 0) printf("\n%*s", indent + 2, "");
            if (own->key) printf("\"%s\":%s", own->key, indent >= 0 ? " " : "");
            print(own, indent >= 0 ? indent + 2 : -1);
            if (own->next) putchar(',');
        }
        if (indent >= 0 && v->first) printf("\n%*s", indent, "");
        putchar(v->kind == ARRAY ? ']' : '}');
    }
}

int main(void) {
    static const char *const texts[] = {
        "{\"name\": \"caf\\u00e9 \\u20ac\", \"sizes\": [1, 2.5, -3e-2, 1e300], "
        "\"empty\": {}, \"deep\": [[[]], [true, null]]}",
        " [ ] ", "-12.75e1", "\"a\\tb\\\\c\"", "[1, 2", "{\"a\" 1}", "{a: 1}", "[1 2]", "\"open", "[\"\\x\"]", "",
        "[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]", "tru"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        used = 0;
        problem = NULL;
        string_end = strings;
        start = at = texts[i];
        const struct value *value = parse(0);
        if (!value) {
            printf("error at %d: %s\n", (int)(at - start), problem);
            continue;
        }
        printf("%d values: ", used);
        print(value, -1);
        puts("");
        if (i == 0) print(value, 0), puts("");
    }
}

// Prose: lines up to the next section or definition. A line of prose may hold anything, also what looks like a statement,
// so only the beginning of lines tells; code fences are one token, whatever is in them.

#include "tree_sitter/parser.h"

#include <string.h>

enum { PROSE_LINE, FENCE };

// Statements that __OperandInfo has among its prose: their first words, which `<` follows.
static const char *const STATEMENTS[] = {
    "AsmFormat", "Bitwidth", "Flow",    "Guard",    "InList",  "Loads",  "Mask",   "Mnemonic", "ModiOrder",
    "Operand",   "Operands", "Order",   "OutList",  "Partial", "Print",  "Reads",  "Short",    "Stores",
    "Suffix",    "Writes",
};

// The longest word that is looked at.
enum { LONGEST = 64 };

void *tree_sitter_isadl_external_scanner_create(void) { return NULL; }
void tree_sitter_isadl_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_isadl_external_scanner_serialize(void *payload, char *buffer) {
    (void)payload;
    (void)buffer;
    return 0;
}
void tree_sitter_isadl_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    (void)payload;
    (void)buffer;
    (void)length;
}

static bool at_line_end(TSLexer *lexer) { return lexer->eof(lexer) || lexer->lookahead == '\n'; }

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_word(int32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void to_line_end(TSLexer *lexer) {
    while (!at_line_end(lexer)) lexer->advance(lexer, false);
    lexer->mark_end(lexer);
}

static bool is_statement(const char *word) {
    for (unsigned i = 0; i < sizeof STATEMENTS / sizeof *STATEMENTS; i++) {
        if (strcmp(word, STATEMENTS[i]) == 0) return true;
    }
    return false;
}

// A fence: lines up to one that consists of at least as many backticks. The opening ones are read already. One that is not
// closed is a line of prose.
static void fence(TSLexer *lexer, unsigned ticks) {
    to_line_end(lexer);
    lexer->result_symbol = PROSE_LINE;
    while (!lexer->eof(lexer)) {
        lexer->advance(lexer, false);
        while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
        unsigned count = 0;
        for (; lexer->lookahead == '`'; count++) lexer->advance(lexer, false);
        while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
        if (count >= ticks && at_line_end(lexer)) {
            lexer->mark_end(lexer);
            lexer->result_symbol = FENCE;
            return;
        }
        // Another fence of this kind is opened first.
        if (count == ticks && !at_line_end(lexer)) return;
        while (!at_line_end(lexer)) lexer->advance(lexer, false);
    }
}

bool tree_sitter_isadl_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    (void)payload;
    // After an error everything is valid; prose is not what is missing then.
    if (!valid[PROSE_LINE]) return false;
    unsigned column = lexer->get_column(lexer);
    while (is_blank(lexer->lookahead) || lexer->lookahead == '\n') {
        column = lexer->lookahead == '\n' ? 0 : column + 1;
        lexer->advance(lexer, true);
    }
    if (lexer->eof(lexer)) return false;

    unsigned ticks = 0;
    for (; lexer->lookahead == '`'; ticks++) lexer->advance(lexer, false);
    if (ticks >= 3) {
        fence(lexer, ticks);
        return true;
    }

    char word[LONGEST + 1];
    unsigned length = 0;
    while (ticks == 0 && length < LONGEST && is_word(lexer->lookahead)) {
        word[length++] = (char)lexer->lookahead;
        lexer->advance(lexer, false);
    }
    word[length] = '\0';
    if (length > 0) {
        if (column == 0 && strncmp(word, "__Def", 5) == 0) return false;
        while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
        bool is_section = strncmp(word, "__", 2) == 0 && length > 2 && word[2] != '_' && !(word[2] >= '0' && word[2] <= '9');
        if (is_section && at_line_end(lexer)) return false;
        if (lexer->lookahead == '<' && is_statement(word)) return false;
    }
    to_line_end(lexer);
    lexer->result_symbol = PROSE_LINE;
    return true;
}

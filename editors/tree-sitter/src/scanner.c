// Prose: lines up to the next section or definition. A line of prose may hold anything, also what looks like a statement,
// so only the beginning of lines tells; code fences are one token, whatever is in them. Where programs are possible, the first
// and the last line of a fence with a program are tokens.

#include "tree_sitter/parser.h"

#include <string.h>

enum { PROSE_LINE, FENCE, PROGRAM_OPEN, PROGRAM_CLOSE, LINE_END };

// Statements that __OperandInfo has among its prose: their first words, which `<` follows.
static const char *const STATEMENTS[] = {
    "AsmFormat", "Bitwidth", "Flow",  "Guard",   "InList",  "Loads", "Mask",  "Mnemonic", "ModiOrder",
    "Modifier",  "Operand",  "Operands", "Order", "OutList", "Partial", "Print", "Reads", "Short",
    "Stores",    "Suffix",   "Writes",
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

// The tag of a fence with a program, and nothing else.
static bool is_program_tag(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
    for (const char *tag = "isa"; *tag != '\0'; tag++) {
        if (lexer->lookahead != *tag) return false;
        lexer->advance(lexer, false);
    }
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
    return at_line_end(lexer);
}

// A fence: lines up to one that consists of at least as many backticks. The opening ones are read already. One that is not
// closed is a line of prose. Of a program, only the first line is taken.
static void fence(TSLexer *lexer, unsigned ticks, bool has_programs) {
    bool is_program = has_programs && is_program_tag(lexer);
    to_line_end(lexer);
    lexer->result_symbol = PROSE_LINE;
    while (!lexer->eof(lexer)) {
        lexer->advance(lexer, false);
        while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
        unsigned count = 0;
        for (; lexer->lookahead == '`'; count++) lexer->advance(lexer, false);
        while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
        if (count >= ticks && at_line_end(lexer)) {
            if (!is_program) lexer->mark_end(lexer);
            lexer->result_symbol = is_program ? PROGRAM_OPEN : FENCE;
            return;
        }
        // Another fence of this kind is opened first.
        if (count == ticks && !at_line_end(lexer)) return;
        while (!at_line_end(lexer)) lexer->advance(lexer, false);
    }
}

// The end of a line of pseudo code, which takes no characters.
static bool line_end(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    lexer->mark_end(lexer);
    lexer->result_symbol = LINE_END;
    return at_line_end(lexer);
}

// The line that closes a program.
static bool program_close(TSLexer *lexer) {
    while (is_blank(lexer->lookahead) || lexer->lookahead == '\n') lexer->advance(lexer, true);
    unsigned ticks = 0;
    for (; lexer->lookahead == '`'; ticks++) lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
    lexer->result_symbol = PROGRAM_CLOSE;
    return ticks >= 3 && at_line_end(lexer);
}

bool tree_sitter_isadl_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    (void)payload;
    // After an error everything is valid; programs are not what is missing then.
    bool has_programs = !(valid[PROSE_LINE] && valid[LINE_END]);
    if (has_programs && valid[LINE_END]) return line_end(lexer);
    if (has_programs && valid[PROGRAM_CLOSE]) return program_close(lexer);
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
        fence(lexer, ticks, has_programs && valid[PROGRAM_OPEN]);
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

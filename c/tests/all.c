/* What the functions promise, with wrong arguments, too: all SET, where SET is what `isadl compile` made of spec/a64. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isadl.h"

static isadl_inst assembled(const isadl_set *set, const char *line)
{
    isadl_inst inst;
    isadl_status status = isadl_assemble(set, line, NULL, &inst);
    if (status != ISADL_STATUS_OK) {
        char message[200];
        isadl_message(message, sizeof message);
        fprintf(stderr, "%s: %s\n", line, message);
        abort();
    }
    return inst;
}

static void test_words(const isadl_set *set)
{
    isadl_inst inst = assembled(set, "ldr x0, [x1, #8]"), same, other;
    uint8_t bytes[16];
    char text[64], name[32];
    assert(inst.word[0] == 0xf9400420 && inst.word[1] == 0 && inst.length == 4);
    assert(isadl_bytes(set, &inst, &bytes) == ISADL_STATUS_OK);
    assert(memcmp(bytes, "\x20\x04\x40\xf9", 4) == 0);
    assert(isadl_decode(set, bytes, 4, &same) == ISADL_STATUS_OK && same.opcode == inst.opcode);
    assert(isadl_text(set, &inst, NULL, text, sizeof text) == strlen("ldr x0, [x1, #8]"));
    assert(strcmp(text, "ldr x0, [x1, #8]") == 0);
    /* A small buffer has the beginning, and the length is that of all. */
    assert(isadl_text(set, &inst, NULL, text, 4) == 16 && strcmp(text, "ldr") == 0);
    assert(isadl_text(set, &inst, NULL, NULL, 0) == 16);
    assert(isadl_opcode_name(set, inst.opcode, name, sizeof name) == strlen("LDR_X_OFFSET"));
    assert(strcmp(name, "LDR_X_OFFSET") == 0);
    assert(isadl_decode(set, bytes, 3, &other) == ISADL_STATUS_TRUNCATED && other.length == 3);
    assert(isadl_decode(set, (const uint8_t *)"\0\0\0\2", 4, &other) == ISADL_STATUS_UNKNOWN);
    assert(other.length == 4 && other.opcode == UINT32_MAX);
    assert(isadl_reason(set, (const uint8_t *)"\0\0\0\2", 4, text, sizeof text) > 0);
    assert(strcmp(text, "unknown opcode") == 0);
    assert(isadl_reason(set, bytes, 4, text, sizeof text) == 0 && text[0] == '\0');
    assert(isadl_assemble(set, "nop nop", NULL, &other) == ISADL_STATUS_LINE);
    assert(isadl_message(NULL, 0) > 0);
}

static void test_operands(const isadl_set *set)
{
    isadl_inst inst = assembled(set, "ldr x0, [x1, #8]");
    isadl_operand all[8];
    isadl_use uses[8];
    char name[8];
    assert(isadl_operands(set, &inst, all, 8) == 4);
    assert(all[0].kind == ISADL_OPERAND_KIND_REGISTERS && all[0].number == 0 && all[0].parent == UINT32_MAX);
    assert(all[0].access == ISADL_ACCESS_WRITE && all[0].width == 64);
    assert(all[1].kind == ISADL_OPERAND_KIND_MEMORY && all[1].width == 64);
    assert(all[2].kind == ISADL_OPERAND_KIND_REGISTERS && all[2].number == 1 && all[2].parent == 1);
    assert(all[3].kind == ISADL_OPERAND_KIND_INTEGER && all[3].value == 8 && all[3].parent == 1);
    isadl_register_file_name(set, all[0].file, name, sizeof name);
    assert(strcmp(name, "X") == 0);
    /* No more are written than fit. */
    memset(all, 0x55, sizeof all);
    assert(isadl_operands(set, &inst, all, 1) == 4 && all[1].number == 0x55555555);
    assert(isadl_uses(set, &inst, uses, 8) == 3);
    for (int at = 0; at < 3; at++)
        assert(uses[at].is_certain && (uses[at].kind != ISADL_USE_KIND_MEMORY || uses[at].memory_width == 64));
    inst = assembled(set, "fmov d0, #1.5");
    assert(isadl_operands(set, &inst, all, 8) == 2 && all[1].kind == ISADL_OPERAND_KIND_FLOAT);
    inst = assembled(set, "mov x0, xzr");
    assert(isadl_operands(set, &inst, all, 8) >= 2);
}

static void test_flow(const isadl_set *set)
{
    isadl_inst inst;
    uint64_t address = 0x1000, target = 0;
    assert(isadl_assemble(set, "b.eq 0x1010", &address, &inst) == ISADL_STATUS_OK);
    assert(isadl_flow_of(set, &inst) == ISADL_FLOW_CONDITIONAL);
    assert(isadl_target(set, &inst, 0x2000, &target) && target == 0x2010);
    inst = assembled(set, "ret");
    assert(isadl_flow_of(set, &inst) == ISADL_FLOW_RETURN && !isadl_target(set, &inst, 0, &target));
}

static void test_wrong_arguments(const isadl_set *set)
{
    isadl_inst inst = assembled(set, "nop"), none = {{0, 0}, 0xffffff, 4};
    isadl_set *out = NULL;
    char text[8] = "?";
    uint8_t bytes[16];
    assert(isadl_open(NULL, NULL, NULL, &out) == ISADL_STATUS_ARGUMENT);
    assert(isadl_open("\xff", NULL, NULL, &out) == ISADL_STATUS_ARGUMENT);
    assert(isadl_open("nowhere", NULL, NULL, NULL) == ISADL_STATUS_ARGUMENT);
    assert(isadl_open("nowhere", NULL, NULL, &out) == ISADL_STATUS_FILE && out == NULL);
    assert(isadl_open_bytes((const uint8_t *)"\x7fISADL", 6, NULL, NULL, &out) == ISADL_STATUS_SPECIFICATION);
    assert(isadl_open_bytes(NULL, 0, NULL, NULL, &out) == ISADL_STATUS_SPECIFICATION);
    assert(isadl_decode(NULL, bytes, 4, &inst) == ISADL_STATUS_ARGUMENT);
    assert(isadl_decode(set, NULL, 0, &inst) == ISADL_STATUS_TRUNCATED);
    assert(isadl_text(set, &none, NULL, text, sizeof text) == 0 && text[0] == '\0');
    assert(isadl_operands(set, &none, NULL, 0) == 0 && isadl_uses(set, NULL, NULL, 0) == 0);
    assert(isadl_bytes(set, &none, &bytes) == ISADL_STATUS_ARGUMENT);
    assert(isadl_opcode_name(set, UINT32_MAX, text, sizeof text) == 0);
    assert(isadl_name(NULL, text, sizeof text) == 0 && isadl_opcode_count(NULL) == 0);
    isadl_close(NULL);
}

int main(int argc, char **argv)
{
    isadl_set *set = NULL, *other = NULL;
    char name[8];
    if (argc != 2)
        return 2;
    if (isadl_open(argv[1], NULL, NULL, &set) != ISADL_STATUS_OK) {
        char message[500];
        isadl_message(message, sizeof message);
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    assert(isadl_name(set, name, sizeof name) == 3 && strcmp(name, "A64") == 0);
    assert(isadl_opcode_count(set) > 1000);
    assert(isadl_open(argv[1], "X", NULL, &other) == ISADL_STATUS_CHOICE);
    test_words(set);
    test_operands(set);
    test_flow(set);
    test_wrong_arguments(set);
    isadl_close(set);
    puts("the functions do what they promise");
    return 0;
}

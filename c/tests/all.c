/* What the functions promise, with wrong arguments, too: all SET BAD [PROGRAM], where SET is what `isadl compile` made of spec/a64, BAD a
 * specification with one error, and PROGRAM one for Linux that writes "hello" and leaves with 3. */

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

static void test_programs_in_assembly_language(const isadl_set *set)
{
    const char *text = ".globl f\nf: add x0, x0, #1\nret\n.data\n.quad f\n";
    uint64_t address = 0x1000;
    isadl_owned_bytes object, raw;
    isadl_elf *file = NULL;
    isadl_section section;
    isadl_symbol symbol;
    size_t count = 0;
    char message[500];
    assert(isadl_assemble_program(set, "f.s", "add x0, x0, #1\nret\n", &address, &raw) == ISADL_STATUS_OK);
    assert(raw.length == 8 && memcmp(raw.bytes, "\x00\x04\x00\x91\xc0\x03\x5f\xd6", 8) == 0);
    isadl_bytes_free(raw);
    assert(isadl_assemble_program(set, "f.s", text, NULL, &object) == ISADL_STATUS_OK);
    assert(isadl_elf_open(set, object.bytes, object.length, &file) == ISADL_STATUS_OK);
    isadl_bytes_free(object);
    while (isadl_elf_section(file, count, &section) && strcmp(section.name, ".text") != 0)
        count++;
    assert(strcmp(section.name, ".text") == 0 && section.is_code && section.length == 8);
    assert(memcmp(section.bytes, "\x00\x04\x00\x91\xc0\x03\x5f\xd6", 8) == 0);
    assert(section.symbol_count == 1 && isadl_elf_symbol(file, count, 0, &symbol));
    assert(strcmp(symbol.name, "f") == 0 && symbol.address == section.address);
    assert(!isadl_elf_symbol(file, count, 1, &symbol) && !isadl_elf_section(file, 100, &section));
    isadl_elf_close(file);
    assert(isadl_assemble_program(set, "f.s", "addd x0, x0\n.quadd\n", NULL, &object) == ISADL_STATUS_LINE);
    /* All errors are there, with their lines. */
    isadl_message(message, sizeof message);
    assert(strstr(message, "f.s:1") && strstr(message, "f.s:2"));
    assert(isadl_elf_open(set, (const uint8_t *)"no", 2, &file) == ISADL_STATUS_FILE);
}

static void test_explanations(const isadl_set *set)
{
    uint64_t word[2] = {0xf9400420, 0};
    isadl_owned_bytes text;
    assert(isadl_explain(set, word, &text) == ISADL_STATUS_OK && strlen((char *)text.bytes) == text.length);
    assert(strstr((char *)text.bytes, "\"text\":\"ldr x0, [x1, #8]\""));
    isadl_bytes_free(text);
}

static void test_findings(const char *bad)
{
    isadl_findings *findings = NULL;
    isadl_finding found;
    assert(isadl_check(bad, &findings) == ISADL_STATUS_OK && isadl_finding_count(findings) == 1);
    assert(isadl_finding_at(findings, 0, &found) && found.is_error && strcmp(found.code, "E0701") == 0);
    assert(strstr(found.message, "`SUB`") && strstr(found.file, "mini.isa") && found.line == 38 && found.column == 5);
    assert(strstr(found.helps, "fix one field") && strstr(found.notes, "\n") && strstr(found.rendered, "error[E0701]"));
    assert(!isadl_finding_at(findings, 1, &found));
    isadl_findings_free(findings);
    assert(isadl_check("nowhere", &findings) == ISADL_STATUS_FILE);
}

static void test_execution(const isadl_set *set, const char *path)
{
    static uint8_t file[1 << 20];
    isadl_program *program = NULL;
    isadl_event event;
    int32_t status = 0;
    uint64_t value[2], five = 5;
    char text[16];
    uint8_t bytes[6];
    FILE *stream = fopen(path, "rb");
    assert(stream);
    size_t length = fread(file, 1, sizeof file, stream);
    fclose(stream);
    assert(isadl_program_open(set, file, length, NULL, &program) == ISADL_STATUS_OK);
    assert(isadl_program_run(program, 1000, &event, &status) == ISADL_STATUS_OK);
    assert(event == ISADL_EVENT_EXIT && status == 3);
    assert(isadl_program_output(program, 1, text, sizeof text) == 6 && strcmp(text, "hello\n") == 0);
    assert(isadl_program_output(program, 2, text, sizeof text) == 0);
    isadl_program_close(program);

    /* Step by step to the first call, which then writes less, and other letters. */
    assert(isadl_program_open(set, file, length, NULL, &program) == ISADL_STATUS_OK);
    for (;;) {
        isadl_inst inst;
        uint64_t pc = isadl_program_pc(program);
        assert(isadl_program_read(program, 0, pc, bytes, 4) == ISADL_STATUS_OK);
        assert(isadl_decode(set, bytes, 4, &inst) == ISADL_STATUS_OK);
        if (isadl_flow_of(set, &inst) == ISADL_FLOW_SYSTEM_CALL)
            break;
        assert(isadl_program_run(program, 1, &event, NULL) == ISADL_STATUS_OK && event == ISADL_EVENT_FUEL);
    }
    assert(isadl_program_count(program) > 2);
    assert(isadl_program_register(program, "x1", value, 2) == ISADL_STATUS_OK && value[1] == 0);
    assert(isadl_program_read(program, 0, value[0], bytes, 6) == ISADL_STATUS_OK && memcmp(bytes, "hello\n", 6) == 0);
    assert(isadl_program_write(program, 0, value[0], (const uint8_t *)"H", 1) == ISADL_STATUS_OK);
    assert(isadl_program_set_register(program, "x2", &five, 1) == ISADL_STATUS_OK);
    assert(isadl_program_register(program, "q99", value, 2) == ISADL_STATUS_ARGUMENT);
    assert(isadl_program_read(program, 0, UINT64_MAX - 2, bytes, 6) == ISADL_STATUS_ARGUMENT);
    assert(isadl_program_read(program, 9, 0, bytes, 1) == ISADL_STATUS_ARGUMENT);
    assert(isadl_program_run(program, UINT64_MAX, &event, &status) == ISADL_STATUS_OK && event == ISADL_EVENT_EXIT);
    assert(isadl_program_output(program, 1, text, sizeof text) == 5 && strcmp(text, "Hello") == 0);
    isadl_program_close(program);
    assert(isadl_program_open(set, file, 3, NULL, &program) == ISADL_STATUS_FILE);
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
    assert(isadl_explain(set, NULL, NULL) == ISADL_STATUS_ARGUMENT);
    assert(isadl_check(NULL, NULL) == ISADL_STATUS_ARGUMENT && isadl_finding_count(NULL) == 0);
    assert(isadl_elf_open(NULL, NULL, 0, NULL) == ISADL_STATUS_ARGUMENT && !isadl_elf_section(NULL, 0, NULL));
    assert(isadl_program_run(NULL, 1, NULL, NULL) == ISADL_STATUS_ARGUMENT && isadl_program_pc(NULL) == 0);
    isadl_findings_free(NULL);
    isadl_elf_close(NULL);
    isadl_program_close(NULL);
    isadl_bytes_free((isadl_owned_bytes){NULL, 0});
    isadl_close(NULL);
}

int main(int argc, char **argv)
{
    isadl_set *set = NULL, *other = NULL;
    char name[8];
    if (argc < 3)
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
    test_programs_in_assembly_language(set);
    test_explanations(set);
    test_findings(argv[2]);
    if (argc > 3)
        test_execution(set, argv[3]);
    else
        puts("no program is executed");
    test_wrong_arguments(set);
    isadl_close(set);
    puts("the functions do what they promise");
    return 0;
}

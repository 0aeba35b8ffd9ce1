/*
 * isadl for C and C++: instruction sets from their description.
 *
 * An instruction set is opened once and may then be used by several threads at the same time. Functions that write text take a buffer,
 * write as much as fits with a zero at the end, and return the number of bytes that the whole text has, without that zero. No function
 * keeps a pointer that it was given; what a function allocates is freed by the function that its description names.
 *
 * Made by cbindgen; `BLESS=1 cargo test` makes it again.
 */

#ifndef ISADL_H
#define ISADL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How a call ended.
typedef enum isadl_status {
  // Success.
  ISADL_STATUS_OK,
  // A pointer is null, or a text is not UTF-8.
  ISADL_STATUS_ARGUMENT,
  // A file cannot be read, or is not of the kind that it should be.
  ISADL_STATUS_FILE,
  // The specification has errors, or a compiled one is damaged.
  ISADL_STATUS_SPECIFICATION,
  // There is no such generation or extension, or several generations and none is chosen.
  ISADL_STATUS_CHOICE,
  // The bytes are not an instruction.
  ISADL_STATUS_UNKNOWN,
  // The bytes end within an instruction.
  ISADL_STATUS_TRUNCATED,
  // The line is not an instruction, or the program has errors.
  ISADL_STATUS_LINE,
  // A fault of this library.
  ISADL_STATUS_FAULT,
} isadl_status;

// Where execution goes after an instruction.
typedef enum isadl_flow {
  // To the following instruction.
  ISADL_FLOW_NEXT,
  // Elsewhere.
  ISADL_FLOW_BRANCH,
  // Elsewhere, or to the following instruction.
  ISADL_FLOW_CONDITIONAL,
  // Elsewhere, and back later.
  ISADL_FLOW_CALL,
  // Back to the caller.
  ISADL_FLOW_RETURN,
  // To an address in a register or memory.
  ISADL_FLOW_INDIRECT,
  // The same, and back later.
  ISADL_FLOW_INDIRECT_CALL,
  // To the system, and back later or not.
  ISADL_FLOW_TRAP,
  // To the system, and back later.
  ISADL_FLOW_SYSTEM_CALL,
  // To the system, for good.
  ISADL_FLOW_ABORT,
} isadl_flow;

// The kinds of operands and of their parts.
typedef enum isadl_operand_kind {
  // Consecutive registers: `file`, `number` of the first, `count`.
  ISADL_OPERAND_KIND_REGISTERS,
  // A register of `file` whose number is in the part that follows, plus `value`.
  ISADL_OPERAND_KIND_INDIRECT,
  // A name among registers of `file` that is always zero or ones: `value` is 0 or -1.
  ISADL_OPERAND_KIND_CONSTANT,
  // A register outside of files; `number` is its own.
  ISADL_OPERAND_KIND_SPECIAL,
  // The integer `value`.
  ISADL_OPERAND_KIND_INTEGER,
  // The distance `value`; see `isadl_target`.
  ISADL_OPERAND_KIND_DISTANCE,
  // A floating-point number with the encoding `bits`, of `exponent` and `fraction` bits.
  ISADL_OPERAND_KIND_FLOAT,
  // Several numbers in `bits`.
  ISADL_OPERAND_KIND_PACKED,
  // A value that has a name, such as a condition.
  ISADL_OPERAND_KIND_NAME,
  // Several parts, which follow.
  ISADL_OPERAND_KIND_PARTS,
  // Memory whose address is made of the parts that follow; `width` bits are accessed at most, 0 if that is not known.
  ISADL_OPERAND_KIND_MEMORY,
} isadl_operand_kind;

// Whether an operand is read and written, as bits.
typedef enum isadl_access {
  // Neither, as for an immediate.
  ISADL_ACCESS_NONE = 0,
  // It is read.
  ISADL_ACCESS_READ = 1,
  // It is written.
  ISADL_ACCESS_WRITE = 2,
  // Both.
  ISADL_ACCESS_READ_WRITE = 3,
} isadl_access;

// The kinds of resources that instructions use.
typedef enum isadl_use_kind {
  // Consecutive registers of a file.
  ISADL_USE_KIND_REGISTERS,
  // Some registers of a file; the word does not say which.
  ISADL_USE_KIND_UNKNOWN,
  // A register outside of files.
  ISADL_USE_KIND_SPECIAL,
  // Memory.
  ISADL_USE_KIND_MEMORY,
} isadl_use_kind;

// Why a program does not go on.
typedef enum isadl_event {
  // It executed as many instructions as were asked for, and can go on.
  ISADL_EVENT_FUEL,
  // It left with a status.
  ISADL_EVENT_EXIT,
  // A trap, or behaviour that the specification leaves open; `isadl_message` says why and where.
  ISADL_EVENT_HALT,
} isadl_event;

// An ELF file.
typedef struct isadl_elf isadl_elf;

// The findings of a check.
typedef struct isadl_findings isadl_findings;

// A program that is executed. One thread at a time uses it.
typedef struct isadl_program isadl_program;

// An instruction set of one generation, with one set of extensions.
typedef struct isadl_set isadl_set;

// An instruction.
typedef struct isadl_inst {
  // Its word: bits 0 to 63, and 64 to 127.
  uint64_t word[2];
  // The number of its opcode, below `isadl_opcode_count`.
  uint32_t opcode;
  // Its bytes.
  uint32_t length;
} isadl_inst;

// A section of an ELF file. Its name and bytes are there until the file is closed.
typedef struct isadl_section {
  // Its name.
  const char *name;
  // The address of its first byte.
  uint64_t address;
  // Whether it contains instructions.
  bool is_code;
  // Its bytes.
  const uint8_t *bytes;
  // How many bytes.
  size_t length;
  // How many symbols `isadl_elf_symbol` has of it.
  size_t symbol_count;
} isadl_section;

// A symbol of an ELF file.
typedef struct isadl_symbol {
  // Its name, which is there until the file is closed.
  const char *name;
  // Its address.
  uint64_t address;
} isadl_symbol;

// Bytes that a function made; `isadl_bytes_free` frees them.
typedef struct isadl_owned_bytes {
  // The bytes, with a zero after the last.
  uint8_t *bytes;
  // How many, without that zero.
  size_t length;
} isadl_owned_bytes;

// A finding. Its texts end in a zero, and are there until the findings are freed.
typedef struct isadl_finding {
  // Whether it is an error; otherwise it is a warning.
  bool is_error;
  // The code, such as `E0401`.
  const char *code;
  // What is wrong.
  const char *message;
  // The file.
  const char *file;
  // The line, from 1.
  size_t line;
  // The column in characters, from 1.
  size_t column;
  // Why: a line for each note.
  const char *notes;
  // How to fix it: a line for each way.
  const char *helps;
  // All of it for people, with an excerpt of the file.
  const char *rendered;
} isadl_finding;

// An operand, or a part of one. Parts follow what they are part of.
typedef struct isadl_operand {
  // The kind.
  enum isadl_operand_kind kind;
  // Whether it is read and written; a part has the access of its operand.
  enum isadl_access access;
  // The index of the operand or part that contains it; 2^32 - 1 for an operand.
  uint32_t parent;
  // Bits of data in it; 0 if that is not known.
  uint32_t width;
  // The number of a register file; 2^32 - 1 if there is none.
  uint32_t file;
  // The number of the first register.
  uint32_t number;
  // The number of registers.
  uint32_t count;
  // An integer, with the lowest 64 bits of it.
  int64_t value;
  // An encoding.
  uint64_t bits;
  // Bits of the exponent.
  uint32_t exponent;
  // Bits of the fraction.
  uint32_t fraction;
} isadl_operand;

// A resource that an instruction reads or writes.
typedef struct isadl_use {
  // The kind of resource.
  enum isadl_use_kind kind;
  // Whether it is read and written.
  enum isadl_access access;
  // Whether it happens in any case, regardless of guards and masks.
  bool is_certain;
  // The number of a register file; 2^32 - 1 if there is none.
  uint32_t file;
  // The number of the first register, or of a special one.
  uint32_t number;
  // The number of registers.
  uint32_t count;
  // Bits of memory that are accessed; 0 if that is not known.
  uint32_t memory_width;
} isadl_use;

// How a program begins.
typedef struct isadl_start {
  // Its arguments without its own name; may be null if there are none.
  const char *const *args;
  // How many arguments.
  size_t arg_count;
  // The environment that it runs in, or null if the specification describes one.
  const char *environment;
  // The bytes of its memory; 0 for 256 MiB.
  uint64_t memory;
} isadl_start;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens a folder of specification files, a file, or a compiled instruction set.
//
// `generation` is null if the instruction set has one, or several that do not differ. `extensions` is null for the default set, or has
// names of extensions and of sets with commas between them. The set is written to `out`, and closed by `isadl_close`.
//
// # Safety
//
// Texts end in a zero; `out` can be written.
enum isadl_status isadl_open(const char *path,
                             const char *generation,
                             const char *extensions,
                             struct isadl_set **out);

// Opens the bytes of a compiled instruction set. The caller may free them afterwards. See `isadl_open`.
//
// # Safety
//
// Texts end in a zero; there are `length` bytes; `out` can be written.
enum isadl_status isadl_open_bytes(const uint8_t *bytes,
                                   size_t length,
                                   const char *generation,
                                   const char *extensions,
                                   struct isadl_set **out);

// Closes a set; nothing happens with null.
//
// # Safety
//
// It was opened, is not closed yet, and not used by another thread.
void isadl_close(struct isadl_set *set);

// The reason for the last failure in this thread. For a specification with errors, it is the list of all findings.
//
// # Safety
//
// `buffer` has `capacity` bytes, or is null.
size_t isadl_message(char *buffer,
                     size_t capacity);

// The name of an instruction set.
//
// # Safety
//
// The set is open; `buffer` has `capacity` bytes, or is null.
size_t isadl_name(const struct isadl_set *set, char *buffer, size_t capacity);

// The number of opcodes.
//
// # Safety
//
// The set is open.
uint32_t isadl_opcode_count(const struct isadl_set *set);

// The name of an opcode; empty if there is none of this number.
//
// # Safety
//
// The set is open; `buffer` has `capacity` bytes, or is null.
size_t isadl_opcode_name(const struct isadl_set *set,
                         uint32_t opcode,
                         char *buffer,
                         size_t capacity);

// The name of a register file; empty if there is none of this number.
//
// # Safety
//
// The set is open; `buffer` has `capacity` bytes, or is null.
size_t isadl_register_file_name(const struct isadl_set *set,
                                uint32_t file,
                                char *buffer,
                                size_t capacity);

// Decodes the instruction at the start of bytes. Nothing is allocated.
//
// If there is none, `out->length` is the number of bytes after which decoding may go on, and `isadl_reason` says why.
//
// # Safety
//
// The set is open; there are `length` bytes; `out` can be written.
enum isadl_status isadl_decode(const struct isadl_set *set,
                               const uint8_t *bytes,
                               size_t length,
                               struct isadl_inst *out);

// Why bytes are not an instruction; empty if they are.
//
// # Safety
//
// The set is open; there are `length` bytes; `buffer` has `capacity` bytes, or is null.
size_t isadl_reason(const struct isadl_set *set,
                    const uint8_t *bytes,
                    size_t length,
                    char *buffer,
                    size_t capacity);

// The text of an instruction. With an address, distances are written as the addresses that they lead to; `address` may be null.
//
// # Safety
//
// The set is open; pointers are null or can be read; `buffer` has `capacity` bytes, or is null.
size_t isadl_text(const struct isadl_set *set,
                  const struct isadl_inst *inst,
                  const uint64_t *address,
                  char *buffer,
                  size_t capacity);

// Assembles a line, in its shortest encoding. `address` is the address of the instruction, or null.
//
// # Safety
//
// The set is open; the line ends in a zero; `address` is null or can be read; `out` can be written.
enum isadl_status isadl_assemble(const struct isadl_set *set,
                                 const char *line,
                                 const uint64_t *address,
                                 struct isadl_inst *out);

// The bytes of an instruction in memory: `inst->length` of them, zeros after them.
//
// # Safety
//
// The set is open; `inst` can be read; `out` has 16 bytes.
enum isadl_status isadl_bytes(const struct isadl_set *set,
                              const struct isadl_inst *inst,
                              uint8_t (*out)[16]);

// Where execution goes after an instruction.
//
// # Safety
//
// The set is open; `inst` can be read.
enum isadl_flow isadl_flow_of(const struct isadl_set *set, const struct isadl_inst *inst);

// The first address that an instruction at an address names. Returns whether there is one.
//
// # Safety
//
// The set is open; `inst` can be read, `out` written.
bool isadl_target(const struct isadl_set *set,
                  const struct isadl_inst *inst,
                  uint64_t address,
                  uint64_t *out);

// Reads the sections of an ELF file that have bytes. The caller may free the bytes of the file afterwards; `isadl_elf_close` closes it.
//
// # Safety
//
// The set is open; there are `length` bytes; `out` can be written.
enum isadl_status isadl_elf_open(const struct isadl_set *set,
                                 const uint8_t *file,
                                 size_t length,
                                 struct isadl_elf **out);

// Closes an ELF file; nothing happens with null.
//
// # Safety
//
// It is not closed yet.
void isadl_elf_close(struct isadl_elf *file);

// A section, by its number from 0. Returns whether there is one.
//
// # Safety
//
// The file is open; `out` can be written.
bool isadl_elf_section(const struct isadl_elf *file, size_t number, struct isadl_section *out);

// A symbol of a section, by its number from 0, in order of addresses. Returns whether there is one.
//
// # Safety
//
// The file is open; `out` can be written.
bool isadl_elf_symbol(const struct isadl_elf *file,
                      size_t section,
                      size_t number,
                      struct isadl_symbol *out);

// Frees bytes; nothing happens with null.
//
// # Safety
//
// A function of this library made them, and they are not freed yet.
void isadl_bytes_free(struct isadl_owned_bytes bytes);

// Assembles a program: with `address` null to an ELF object for a linker, else to the bytes in memory from that address on.
//
// `name` is the name of the file for messages. If there are errors, `isadl_message` has all of them.
//
// # Safety
//
// The set is open; texts end in a zero; `address` is null or can be read; `out` can be written.
enum isadl_status isadl_assemble_program(const struct isadl_set *set,
                                         const char *name,
                                         const char *text,
                                         const uint64_t *address,
                                         struct isadl_owned_bytes *out);

// What the bits of a word mean: the JSON that `isadl decode --format json` prints. `word` has two pieces of 64 bits, the lower first.
//
// # Safety
//
// The set is open; both pieces can be read, `out` written.
enum isadl_status isadl_explain(const struct isadl_set *set,
                                const uint64_t *word,
                                struct isadl_owned_bytes *out);

// Checks a folder of specification files, or a file. The findings are in order of their places, and freed by `isadl_findings_free`.
//
// # Safety
//
// The path ends in a zero; `out` can be written.
enum isadl_status isadl_check(const char *path,
                              struct isadl_findings **out);

// The number of findings.
//
// # Safety
//
// They are not freed.
size_t isadl_finding_count(const struct isadl_findings *findings);

// A finding, by its number from 0. Returns whether there is one.
//
// # Safety
//
// They are not freed; `out` can be written.
bool isadl_finding_at(const struct isadl_findings *findings,
                      size_t number,
                      struct isadl_finding *out);

// Frees findings; nothing happens with null.
//
// # Safety
//
// They are not freed yet.
void isadl_findings_free(struct isadl_findings *findings);

// The operands of an instruction in the order of its text, each followed by its parts. Stores as many as fit, and returns their
// number.
//
// # Safety
//
// The set is open; `inst` can be read; `out` has room for `capacity` operands, or is null.
size_t isadl_operands(const struct isadl_set *set,
                      const struct isadl_inst *inst,
                      struct isadl_operand *out,
                      size_t capacity);

// Lists the resources that an instruction reads and writes. Stores as many as fit, and returns their number.
//
// # Safety
//
// The set is open; `inst` can be read; `out` has room for `capacity` uses, or is null.
size_t isadl_uses(const struct isadl_set *set,
                  const struct isadl_inst *inst,
                  struct isadl_use *out,
                  size_t capacity);

// Loads a static ELF program. It can open no file, and what it writes is kept. `start` may be null. `isadl_program_close` closes it.
//
// # Safety
//
// The set is open; there are `length` bytes; texts end in a zero; `out` can be written.
enum isadl_status isadl_program_open(const struct isadl_set *set,
                                     const uint8_t *file,
                                     size_t length,
                                     const struct isadl_start *start,
                                     struct isadl_program **out);

// Closes a program; nothing happens with null.
//
// # Safety
//
// It is not closed yet.
void isadl_program_close(struct isadl_program *program);

// Executes at most `fuel` instructions. `event` says why they end, and `exit_status` the status with which the program left; it may be
// null. With 1 for `fuel`, the caller sees every state.
//
// # Safety
//
// The program is open; `event` can be written; `exit_status` is null or can be.
enum isadl_status isadl_program_run(struct isadl_program *program,
                                    uint64_t fuel,
                                    enum isadl_event *event,
                                    int32_t *exit_status);

// The address of the next instruction.
//
// # Safety
//
// The program is open.
uint64_t isadl_program_pc(struct isadl_program *program);

// The number of instructions that were executed.
//
// # Safety
//
// The program is open.
uint64_t isadl_program_count(struct isadl_program *program);

// Reads a register by its name, such as `x3`, `sp` or `X[3]`: `count` pieces of 64 bits, the lowest first, zeros beyond its width.
//
// # Safety
//
// The program is open; the name ends in a zero; `count` pieces can be written to `out`.
enum isadl_status isadl_program_register(struct isadl_program *program,
                                         const char *name,
                                         uint64_t *out,
                                         size_t count);

// Sets a register by its name, from `count` pieces of 64 bits, the lowest first; bits beyond its width are dropped.
//
// # Safety
//
// The program is open; the name ends in a zero; there are `count` pieces.
enum isadl_status isadl_program_set_register(struct isadl_program *program,
                                             const char *name,
                                             const uint64_t *pieces,
                                             size_t count);

// Reads bytes of a memory; 0 is the first that the specification declares.
//
// # Safety
//
// The program is open; `out` has `length` bytes.
enum isadl_status isadl_program_read(struct isadl_program *program,
                                     size_t memory,
                                     uint64_t address,
                                     uint8_t *out,
                                     size_t length);

// Changes bytes of a memory.
//
// # Safety
//
// The program is open; there are `length` bytes.
enum isadl_status isadl_program_write(struct isadl_program *program,
                                      size_t memory,
                                      uint64_t address,
                                      const uint8_t *bytes,
                                      size_t length);

// What a program wrote to its standard output (1) or standard error (2).
//
// # Safety
//
// The program is open; `buffer` has `capacity` bytes, or is null.
size_t isadl_program_output(const struct isadl_program *program,
                            int32_t stream,
                            char *buffer,
                            size_t capacity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ISADL_H */

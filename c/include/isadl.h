/*
 * isadl for C and C++: instruction sets from their description.
 *
 * An instruction set is opened once and may then be used by several threads at the same time. Functions that write text take a buffer,
 * write as much as fits with a zero at the end, and return the number of bytes that the whole text has, without that zero. No function
 * keeps a pointer that it was given; none but those that open and assemble allocates memory that stays.
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
  // A file cannot be read.
  ISADL_STATUS_FILE,
  // The specification has errors, or a compiled one is damaged.
  ISADL_STATUS_SPECIFICATION,
  // There is no such generation or extension, or several generations and none is chosen.
  ISADL_STATUS_CHOICE,
  // The bytes are not an instruction.
  ISADL_STATUS_UNKNOWN,
  // The bytes end within an instruction.
  ISADL_STATUS_TRUNCATED,
  // The line is not an instruction.
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ISADL_H */

// What compilers write besides instructions. `isadl asm` reads this file before those of the user.

// Words as they are.
.macro .inst words:vararg
    .word \words
.endm

// Names of architectures and processors change nothing: all instructions that are described are there.
.irp name, armv8, armv9
.special "\name" .arch rest:vararg
.endm
.endr
.macro .arch name:vararg
    .warning "the architecture \name is not known"
.endm
.irp name, generic, cortex-a, cortex-x, neoverse-
.special "\name" .cpu rest:vararg
.endm
.endr
.macro .cpu name:vararg
    .warning "the processor \name is not known"
.endm
.irp name, aes, bf16, compnum, crc, crypto, cssc, dotprod, flagm, fp, i8mm, jscvt, lor, lse, memtag, mops, pan, pauth, rcpc, rdm, sb, sha2, sha3, simd, sm4, ssbs, noaes, nobf16, nocompnum, nocrc, nocrypto, nocssc, nodotprod, noflagm, nofp, noi8mm, nojscvt, nolor, nolse, nomemtag, nomops, nopan, nopauth, norcpc, nordm, nosb, nosha2, nosha3, nosimd, nosm4, nossbs
.special "\name" .arch_extension rest:vararg
.endm
.endr
.macro .arch_extension name:vararg
    .warning "the extension \name is not described"
.endm

// Frames of functions: a table of version 1; instructions have 4 bytes, registers are saved in 8; the return address
// is in x30, and a frame begins at sp. Then the numbers of registers in tables for debuggers.
.frame_registers 0, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
.frame_registers 16, x16, x17, x18, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30, sp
.frame_registers 0, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
.frame_registers 16, w16, w17, w18, w19, w20, w21, w22, w23, w24, w25, w26, w27, w28, w29, w30, wsp
.frame_registers 16, ip0, ip1
.frame_registers 29, fp, lr
.irp bank, v, q, d, s, h, b
.frame_registers 64, \bank\()0, \bank\()1, \bank\()2, \bank\()3, \bank\()4, \bank\()5, \bank\()6, \bank\()7
.frame_registers 72, \bank\()8, \bank\()9, \bank\()10, \bank\()11, \bank\()12, \bank\()13, \bank\()14, \bank\()15
.frame_registers 80, \bank\()16, \bank\()17, \bank\()18, \bank\()19, \bank\()20, \bank\()21, \bank\()22, \bank\()23
.frame_registers 88, \bank\()24, \bank\()25, \bank\()26, \bank\()27, \bank\()28, \bank\()29, \bank\()30, \bank\()31
.endr
.frame_rules 1, 4, -8, x30, sp, 0

// Return addresses that are signed, perhaps with the second key.
.macro .cfi_negate_ra_state
    .cfi_escape 0x2d
.endm
.macro .cfi_b_key_frame
    .cfi_augmentation "B"
.endm

// Names that stand for registers.
.macro .req name:req, word, register:req
    .alias \name, \register
.endm
.macro .unreq name:req
    .alias \name
.endm

// Functions with another convention of calls.
.macro .variant_pcs name:req
    .st_other \name, 0x80
.endm

// Relocations of thread-local symbols, and names of relocations.
.thread_local 512, 573
.relocation R_AARCH64_NONE, 0
.relocation R_AARCH64_ABS64, 257
.relocation R_AARCH64_ABS32, 258
.relocation R_AARCH64_ABS16, 259
.relocation R_AARCH64_PREL64, 260
.relocation R_AARCH64_PREL32, 261
.relocation R_AARCH64_PREL16, 262
.relocation R_AARCH64_LD_PREL_LO19, 273
.relocation R_AARCH64_ADR_PREL_LO21, 274
.relocation R_AARCH64_ADR_PREL_PG_HI21, 275
.relocation R_AARCH64_ADD_ABS_LO12_NC, 277
.relocation R_AARCH64_LDST8_ABS_LO12_NC, 278
.relocation R_AARCH64_TSTBR14, 279
.relocation R_AARCH64_CONDBR19, 280
.relocation R_AARCH64_JUMP26, 282
.relocation R_AARCH64_CALL26, 283
.relocation R_AARCH64_LDST16_ABS_LO12_NC, 284
.relocation R_AARCH64_LDST32_ABS_LO12_NC, 285
.relocation R_AARCH64_LDST64_ABS_LO12_NC, 286
.relocation R_AARCH64_LDST128_ABS_LO12_NC, 299
.relocation R_AARCH64_ADR_GOT_PAGE, 311
.relocation R_AARCH64_LD64_GOT_LO12_NC, 312
.relocation R_AARCH64_TLSDESC_CALL, 569

// The call of a descriptor of thread-local storage, which linkers may change: relocation 569 is of the instruction
// that follows.
.macro .tlsdesccall symbol:req
    .reloc ., 569, \symbol
.endm

// A relocation says how the number is shifted; it may be said twice.
.irp name, movz, movn, movk
.irp group, 1, 2, 3
.irp end, :, _nc:, _s:
.special "_g\group\end" \name rd:req, number:req, shift
.ifb \shift
    .exact \name \rd, \number, lsl #16 * \group
.else
    .exact \name \rd, \number, \shift
.endif
.endm
.endr
.endr
.endr

.special "_hi12:" add rd:req, rn:req, number:req, shift
.ifb \shift
    .exact add \rd, \rn, \number, lsl #12
.else
    .exact add \rd, \rn, \number, \shift
.endif
.endm

// Constants and addresses from the pool of literals, or made by one instruction.
.special "=" ldr rt:req, value:req
    .set .Lsize, 8
.irpc letter, \rt
.ifc \letter, w
    .set .Lsize, 4
.endif
.ifc \letter, W
    .set .Lsize, 4
.endif
.endr
    .set .Lshift, -1
.ifknown \value
    .set .Lvalue, \value
.if .Lsize == 4
    .set .Lvalue, .Lvalue & 0xffffffff
.endif
.irp shift, 48, 32, 16, 0
.if (.Lvalue & ~(0xffff << \shift)) == 0
    .set .Lshift, \shift
.endif
.endr
.endif
.if .Lshift == -1
    .Lload \rt, \value
.elseif .Lshift == 0
    .plain movz \rt, .Lvalue
.else
    .plain movz \rt, .Lvalue >> .Lshift, lsl .Lshift
.endif
.endm

.macro .Lload rt, value
.if .Lsize == 4
    .literal .Lliteral\@, 4, \value
.else
    .literal .Lliteral\@, 8, \value
.endif
    .plain ldr \rt, .Lliteral\@
.endm

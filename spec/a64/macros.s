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
    .error "the architecture is not known"
.endm
.irp name, generic, cortex-a, cortex-x, neoverse-
.special "\name" .cpu rest:vararg
.endm
.endr
.macro .cpu name:vararg
    .error "the processor is not known"
.endm
.irp name, crc, fp, lse, simd
.special "\name" .arch_extension rest:vararg
.endm
.endr
.macro .arch_extension name:vararg
    .error "the extension is not described"
.endm

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

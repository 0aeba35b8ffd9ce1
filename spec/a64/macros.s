// What compilers write besides instructions. `isadl asm` reads this file before those of the user.

// Words as they are.
.macro .inst words:vararg
    .word \words
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

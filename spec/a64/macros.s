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

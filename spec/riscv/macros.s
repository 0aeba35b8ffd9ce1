# Instructions of the assembly manual that become several. `isadl asm` reads this file before those of the user.

# Addresses: within 2 GiB of the instruction, or from the table that the linker makes (`.option pic`).
.set .Lpic, 0
.macro la rd:req, symbol:req
.if .Lpic
    lga \rd, \symbol
.else
    lla \rd, \symbol
.endif
.endm

.macro lla rd:req, symbol:req
.Lpcrel_hi\@: auipc \rd, %pcrel_hi(\symbol)
    addi \rd, \rd, %pcrel_lo(.Lpcrel_hi\@)
.endm

.macro lga rd:req, symbol:req
.Lpcrel_hi\@: auipc \rd, %got_pcrel_hi(\symbol)
.ifgeneration RV64
    .exact ld \rd, %pcrel_lo(.Lpcrel_hi\@)(\rd)
.else
    .exact lw \rd, %pcrel_lo(.Lpcrel_hi\@)(\rd)
.endif
.endm

# Thread-local variables: their distance from the thread pointer, and what `__tls_get_addr` takes.
.macro la.tls.ie rd:req, symbol:req
.Lpcrel_hi\@: auipc \rd, %tls_ie_pcrel_hi(\symbol)
.ifgeneration RV64
    .exact ld \rd, %pcrel_lo(.Lpcrel_hi\@)(\rd)
.else
    .exact lw \rd, %pcrel_lo(.Lpcrel_hi\@)(\rd)
.endif
.endm

.macro la.tls.gd rd:req, symbol:req
.Lpcrel_hi\@: auipc \rd, %tls_gd_pcrel_hi(\symbol)
    addi \rd, \rd, %pcrel_lo(.Lpcrel_hi\@)
.endm

# Calls and jumps that linkers may make shorter: relocation 19 is of both instructions.
.macro call rd:req, symbol
.ifb \symbol
    .Lcall \rd, ra, ra
.else
    .Lcall \symbol, \rd, \rd
.endif
.endm

.macro tail symbol:req
    jump \symbol, t1
.endm

.macro jump symbol:req, rd:req
    .Lcall \symbol, zero, \rd
.endm

.macro .Lcall symbol, rd, target
.iflinker
    .reloc ., 19, \symbol
    .exact auipc \target, 0
    .exact jalr \rd, 0(\target)
.else
.Lpcrel_hi\@: auipc \target, %pcrel_hi(\symbol)
    .exact jalr \rd, %pcrel_lo(.Lpcrel_hi\@)(\target)
.endif
.endm

# Loads and stores of symbols, for lines that are no instructions of these names. What no integer is made of needs
# another register.
.irp name, lb, lbu, lh, lhu, lw, lwu, ld
.fallback \name rd:req, symbol:req
.Lpcrel_hi\@: auipc \rd, %pcrel_hi(\symbol)
    .exact \name \rd, %pcrel_lo(.Lpcrel_hi\@)(\rd)
.endm
.endr

.irp name, sb, sh, sw, sd, flh, flw, fld, fsh, fsw, fsd
.fallback \name data:req, symbol:req, temporary:req
.Lpcrel_hi\@: auipc \temporary, %pcrel_hi(\symbol)
    .exact \name \data, %pcrel_lo(.Lpcrel_hi\@)(\temporary)
.endm
.endr

# The thread pointer is added to what a linker may know to be 0.
.fallback add rd:req, a:req, b:req, symbol:req
    .reloc ., 32, \symbol
    .exact add \rd, \a, \b
.endm

# Operands whose order does not matter are put in that of the shorter encoding.
.irp name, add, addw, and, or, xor
.special \name rd:req, other:req, rd
.ifshort \name \rd, \rd, \other
    .plain \name \rd, \rd, \other
.else
    .plain \name \rd, \other, \rd
.endif
.endm
.endr

# Options that compilers write: `rvc` is about the extension C and what it implies.
.macro .option word:req, rest:vararg
.ifc \word, push
    .extensions push
.endif
.ifc \word, pop
    .extensions pop
.endif
.ifc \word, pic
    .set .Lpic, 1
.endif
.ifc \word, nopic
    .set .Lpic, 0
.endif
.ifc \word, norvc
    .Lextension -c
.endif
.ifc \word, rvc
    .Lextension +c
.endif
.ifc \word, arch
.irp one, \rest
    .Lextension \one
.endr
.endif
.endm

.macro .Lextension change:req
.ifc \change, -c
    .extensions -C, -Zca, -Zcf, -Zcd
.else
    .extensions \change
.endif
.ifc \change, +c
    .extensions +Zca
.endif
.endm

# Numbers: the fewest instructions of those that are tried. The names of macros and symbols here begin with `.L`.
.macro li rd:req, value:req
.ifknown \value
.if (\value) >= -2048 && (\value) < 2048
    .plain addi \rd, zero, (\value)
.else
    .Lli.known \rd, \value
.endif
.else
    .error "the number of `li` must be known here: define its symbols before, or load an address by `la`"
.endif
.endm

.macro .Lli.known rd, value:vararg
    .set .Lli, \value
.ifgeneration RV32
    .set .Lli, (.Lli & 0xffffffff ^ 0x80000000) - 0x80000000
.endif
    .Lli.choose
    .Lli.emit \rd
.endm

# Counts the instructions of each way to make `.Lli`, and keeps the shortest one.
.macro .Lli.choose
    .set .Lli.base, .Lli
    .set .Lli.last, 0
    .Lli.count .Lli.base
    .set .Lli.best, .Lli.size
    .set .Lli.end, 0
.if (.Lli & 0xfff) != 0 && (.Lli & 1) == 0 && .Lli.best >= 2
    .Lli.zeros .Lli
    .set .Lli.by, .Lli.n
    .set .Lli.other, .Lli >> .Lli.by | (.Lli < 0) << (64 - .Lli.by)
    .Lli.count .Lli.other
.if .Lli.size + 1 < .Lli.best || (.Lli.other >= -32 && .Lli.other < 32)
    .Lli.keep 1, .Lli.by
.endif
.endif
.if .Lli.best > 2
.if (.Lli & 0xfff) != 0 && (.Lli & 0x1800) == 0x1000
    .set .Lli.other, .Lli + (0x800 - (.Lli & 0xfff))
    .Lli.count .Lli.other
.if .Lli.size + 1 < .Lli.best
    .Lli.keep 2, (.Lli & 0xfff) - 0x800
.endif
.endif
.if .Lli > 0 && .Lli.best > 2
    .Lli.leading .Lli, 3
.endif
.if .Lli < 0 && .Lli.best > 3
    .set .Lli.inverted, ~.Lli
    .set .Lli.best, .Lli.best - 1
    .Lli.leading .Lli.inverted, 4
.endif
.endif
.endm

# Ways with zeros before a number, which a shift to the right makes.
.macro .Lli.leading value, end
    .Lli.sign \value
    .set .Lli.by, .Lli.n
    .set .Lli.other, \value << .Lli.by | ((1 << .Lli.by) - 1)
    .Lli.count .Lli.other
.if .Lli.size + 1 < .Lli.best
    .Lli.keep \end, .Lli.by
.endif
    .set .Lli.other, \value << .Lli.by
    .Lli.count .Lli.other
.if .Lli.size + 1 < .Lli.best
    .Lli.keep \end, .Lli.by
.endif
.endm

# Keeps a way: what is made first, and what is done then.
.macro .Lli.keep end, last
    .set .Lli.base, .Lli.other
    .set .Lli.best, .Lli.size + 1
    .set .Lli.end, \end
    .set .Lli.last, \last
.endm

.macro .Lli.emit rd
    .set .Lli.way, .Lli.end
    .set .Lli.number, .Lli.last
    .Lli.make \rd, .Lli.base, 1
.if .Lli.way == 1
    slli \rd, \rd, .Lli.number
.elseif .Lli.way == 2
    addi \rd, \rd, .Lli.number
.elseif .Lli.way >= 3
    srli \rd, \rd, .Lli.number
.endif
.if .Lli.way == 4
    xori \rd, \rd, -1
.endif
.endm

.macro .Lli.count value
    .set .Lli.size, 0
    .Lli.make zero, \value, 0
.endm

# An instruction, if they are not only counted.
.macro .Lli.step emits, text:vararg
    .set .Lli.size, .Lli.size + 1
.if \emits
    \text
.endif
.endm

# The plain way to make a number: the upper bits, a shift, the lower 12 bits.
.macro .Lli.make rd, value, emits
    .set .Lli.low\@, (\value & 0xfff ^ 0x800) - 0x800
.if ((\value) + 0x80000000) >> 32 == 0
    .set .Lli.high\@, (\value + 0x800) >> 12 & 0xfffff
.if .Lli.high\@ != 0
    .Lli.step \emits, lui \rd, .Lli.high\@
.ifgeneration RV64
.if .Lli.low\@ != 0
    .Lli.step \emits, addiw \rd, \rd, .Lli.low\@
.endif
.else
.if .Lli.low\@ != 0
    .Lli.step \emits, addi \rd, \rd, .Lli.low\@
.endif
.endif
.else
    .Lli.step \emits, addi \rd, zero, .Lli.low\@
.endif
.else
    .set .Lli.rest\@, \value - .Lli.low\@
    .set .Lli.by\@, 0
.if (.Lli.rest\@ + 0x80000000) >> 32 != 0
    .Lli.zeros .Lli.rest\@
    .set .Lli.by\@, .Lli.n
    .set .Lli.rest\@, .Lli.rest\@ >> .Lli.n | (.Lli.rest\@ < 0) << (64 - .Lli.n)
.if .Lli.by\@ > 12 && (.Lli.rest\@ < -2048 || .Lli.rest\@ > 2047)
.if .Lli.rest\@ >= -0x80000 && .Lli.rest\@ < 0x80000
    .set .Lli.by\@, .Lli.by\@ - 12
    .set .Lli.rest\@, .Lli.rest\@ << 12
.endif
.endif
.endif
    .Lli.make \rd, .Lli.rest\@, \emits
.if .Lli.by\@ != 0
    .Lli.step \emits, slli \rd, \rd, .Lli.by\@
.endif
.if .Lli.low\@ != 0
    .Lli.step \emits, addi \rd, \rd, .Lli.low\@
.endif
.endif
.endm

# How many zeros a number ends in, and how many it begins with: the place of its lowest or highest bit.
.macro .Lli.zeros value
    .set .Lli.bit, \value & -(\value)
    .Lli.place
.endm

.macro .Lli.sign value
    .set .Lli.bit, \value
    .Lli.smear 1
    .Lli.smear 2
    .Lli.smear 4
    .Lli.smear 8
    .Lli.smear 16
    .Lli.smear 32
    .set .Lli.bit, .Lli.bit ^ (.Lli.bit >> 1)
    .Lli.place
    .set .Lli.n, 63 - .Lli.n
.endm

.macro .Lli.smear by
    .set .Lli.bit, .Lli.bit | (.Lli.bit >> \by)
.endm

# The place of the only bit of `.Lli.bit`. What is true is -1.
.macro .Lli.place
    .set .Lli.n, -((.Lli.bit & 0xaaaaaaaaaaaaaaaa) != 0) - ((.Lli.bit & 0xcccccccccccccccc) != 0) * 2
    .set .Lli.n, .Lli.n - ((.Lli.bit & 0xf0f0f0f0f0f0f0f0) != 0) * 4 - ((.Lli.bit & 0xff00ff00ff00ff00) != 0) * 8
    .set .Lli.n, .Lli.n - ((.Lli.bit & 0xffff0000ffff0000) != 0) * 16 - ((.Lli.bit & 0xffffffff00000000) != 0) * 32
.endm

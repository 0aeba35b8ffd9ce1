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

# The opposite of comparisons. With a mask, a result that is the mask, or other elements that stay, need another register.
.macro vmsge.vx vd:req, vs2:req, rs1:req, mask, temporary
    .Lvmsge vmslt.vx, \vd, \vs2, \rs1, \mask, \temporary
.endm
.macro vmsgeu.vx vd:req, vs2:req, rs1:req, mask, temporary
    .Lvmsge vmsltu.vx, \vd, \vs2, \rs1, \mask, \temporary
.endm
.macro .Lvmsge opposite:req, vd:req, vs2:req, rs1:req, mask, temporary
.ifb \mask
    \opposite \vd, \vs2, \rs1
    vmnand.mm \vd, \vd, \vd
.else
.ifb \temporary
.ifc \vd, v0
    .error "the result is the mask: name another vector register behind it"
.endif
    \opposite \vd, \vs2, \rs1, \mask
    vmxor.mm \vd, \vd, v0
.else
    \opposite \temporary, \vs2, \rs1
.ifc \vd, v0
    vmandn.mm \vd, \vd, \temporary
.else
    vmandn.mm \temporary, v0, \temporary
    vmandn.mm \vd, \vd, v0
    vmor.mm \vd, \temporary, \vd
.endif
.endif
.endif
.endm

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
    .set .Lli.way, .Lli.choose(.Lli)
.if .Lli.way == 0
    .Lli.make \rd, .Lli, x
.else
    .set .Lli.base, .Lli.first(.Lli, .Lli.way)
    .Lli.make \rd, .Lli.base, x
.if .Lli.way == 1
    slli \rd, \rd, .ctz(.Lli)
.elseif .Lli.way == 2
    addi \rd, \rd, (.Lli & 0xfff) - 0x800
.else
    srli \rd, \rd, .clz(.Lli < 0 ? ~.Lli : .Lli)
.endif
.if .Lli.way >= 5
    xori \rd, \rd, -1
.endif
.endif
.endm

# The plain way to make a number: the upper bits, a shift, the lower 12 bits. Each level has its own symbols.
.macro .Lli.make rd, value, level
.if .Lli.is_word(\value)
.if .Lli.high(\value) == 0
    addi \rd, zero, .Lli.low(\value)
.else
    lui \rd, .Lli.high(\value)
.if .Lli.low(\value) != 0
.ifgeneration RV64
    addiw \rd, \rd, .Lli.low(\value)
.else
    addi \rd, \rd, .Lli.low(\value)
.endif
.endif
.endif
.else
    .set .Lli.by\level, .Lli.by(\value - .Lli.low(\value))
    .set .Lli.rest\level, .Lli.shifted(\value - .Lli.low(\value), .Lli.by\level)
    .Lli.make \rd, .Lli.rest\level, \level\()x
.if .Lli.by\level != 0
    slli \rd, \rd, .Lli.by\level
.endif
.if .Lli.low(\value) != 0
    addi \rd, \rd, .Lli.low(\value)
.endif
.endif
.endm

# Parts of a number, and how far the rest is shifted to the left. What is true is -1.
.function .Lli.is_word(x) = ((x + 0x80000000) >> 32) == 0
.function .Lli.low(x) = (x & 0xfff ^ 0x800) - 0x800
.function .Lli.high(x) = (x + 0x800) >> 12 & 0xfffff
.function .Lli.shifted(x, by) = x >> by | (x < 0) << (64 - by)
.function .Lli.by(rest) = .Lli.is_word(rest) ? 0 : .Lli.upper(.Lli.shifted(rest, .ctz(rest)), .ctz(rest))
.function .Lli.upper(x, by) = (by > 12 ? (x < -2048 || x > 2047) && x >= -0x80000 && x < 0x80000 : 0) ? by - 12 : by

# How many instructions the plain way takes.
.function .Lli.size(x) = .Lli.is_word(x) ? .Lli.of_word(.Lli.high(x), .Lli.low(x)) : .Lli.longer(x - .Lli.low(x), .Lli.low(x))
.function .Lli.of_word(high, low) = high ? (low ? 2 : 1) : 1
.function .Lli.longer(rest, low) = .Lli.sum(rest, .Lli.by(rest)) + (low ? 1 : 0)
.function .Lli.sum(rest, by) = .Lli.size(.Lli.shifted(rest, by)) + (by ? 1 : 0)

# The shortest way: 0 is the plain one; 1 shifts to the left in the end, 2 adds, 3 and 4 shift to the right, 5 and 6
# invert then. The best one so far is its number of instructions times 8 plus its number.
.function .Lli.choose(x) = .Lli.other(x, .Lli.even(x, .Lli.size(x) * 8)) & 7
.function .Lli.even(x, best) = (x & 0xfff) == 0 || (x & 1) || best < 16 ? best : .Lli.shorter(best, .Lli.shifted(x, .ctz(x)))
.function .Lli.shorter(best, x) = x >= -32 && x < 32 ? .Lli.size(x) * 8 + 9 : .Lli.better(best, .Lli.size(x) + 1, 1)
.function .Lli.better(best, size, way) = size < best >> 3 ? size * 8 + way : best
.function .Lli.other(x, best) = best < 24 ? best : .Lli.shift(x, (x & 0x1800) == 0x1000 && (x & 0xfff) != 0 ? .Lli.better(best, .Lli.size(.Lli.first(x, 2)) + 1, 2) : best)
.function .Lli.shift(x, best) = x > 0 ? (best < 24 ? best : .Lli.right(x, best, 3)) : best < 32 ? best : .Lli.right(x, best - 8, 5)
.function .Lli.right(x, best, way) = .Lli.better(.Lli.better(best, .Lli.size(.Lli.first(x, way)) + 1, way), .Lli.size(.Lli.first(x, way + 1)) + 1, way + 1)

# What is made first.
.function .Lli.first(x, way) = way == 1 ? .Lli.shifted(x, .ctz(x)) : way == 2 ? x + 0x800 - (x & 0xfff) : .Lli.left(way < 5 ? x : ~x, way & 1)
.function .Lli.left(x, has_ones) = x << .clz(x) | (has_ones ? (1 << .clz(x)) - 1 : 0)

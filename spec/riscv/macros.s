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

# Frames of functions: a table of version 3; registers are saved in multiples of 4 bytes; the return address is in ra,
# and a frame begins at sp. Then the numbers of registers in tables for debuggers.
.frame_registers 0, zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4, a5
.frame_registers 16, a6, a7, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5, t6
.frame_registers 0, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
.frame_registers 16, x16, x17, x18, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30, x31
.frame_registers 8, fp
.frame_registers 32, ft0, ft1, ft2, ft3, ft4, ft5, ft6, ft7, fs0, fs1, fa0, fa1, fa2, fa3, fa4, fa5
.frame_registers 48, fa6, fa7, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11, ft8, ft9, ft10, ft11
.frame_registers 32, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15
.frame_registers 48, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31
.frame_rules 3, 1, -4, ra, sp

# Names of architectures ("ISA Extension Naming Conventions" of volume I), with the versions that were ratified. The first names are those of
# extensions that are described; then come names that have no instructions of their own, or whose instructions are in these.
.ifgeneration RV64
.architecture "rv64", "i2p1", "_", "p"
.else
.architecture "rv32", "i2p1", "_", "p"
.endif
# Zcf is an extension of RV32 alone.
.ifgeneration RV64
.architecture_names zcf
.else
.architecture_names zcf1p0
.endif
.architecture_names m2p0, a2p1, f2p2, d2p2, c2p0, v1p0, h1p0, zicbom1p0, zicboz1p0, zicond1p0, zicsr2p0, zifencei2p0, zihintntl1p0, zimop1p0
.architecture_names zabha1p0, zacas1p0, zawrs1p0, zfa1p0, zfbfmin1p0, zfh1p0, zca1p0, zcd1p0, zcmop1p0, zcmp1p0, zcmt1p0, zba1p0
.architecture_names zbb1p0, zbc1p0, zbs1p0, zvbb1p0, zvbc1p0, zvfbfmin1p0, zvfbfwma1p0, zvkb1p0, zvkg1p0, zvkned1p0, zvknha1p0, zvknhb1p0
.architecture_names zvksed1p0, zvksh1p0, svinval1p0
.architecture_names zmmul, zaamo, zalrsc, za64rs, za128rs, zfhmin, zic64b, ziccamoa, ziccif, zicclsm, ziccrse, zicntr, zihpm, zihintpause, zkt
# The parts of V for smaller units are not told apart.
.architecture_names zve32x=v, zve32f=v, zve64x=v, zve64f=v, zve64d=v
.architecture_names zvfh, zvfhmin, zvkt, zvl32b, zvl64b, zvl128b, zvl256b, zvl512b, zvl1024b

# Attributes of the file for linkers. The architecture is one of them, whether the file states it or not, as in GNU as.
.attributes ".riscv.attributes", 0x70000003, "riscv"
.attribute_architecture 5
.irp number, 4, 5, 6, 8, 10, 12, 14, 16
.set .Ltag.of.\number, \number
.endr
.irp name, stack_align, Tag_RISCV_stack_align
.set .Ltag.of.\name, 4
.endr
.irp name, arch, Tag_RISCV_arch
.set .Ltag.of.\name, 5
.endr
.irp name, unaligned_access, Tag_RISCV_unaligned_access
.set .Ltag.of.\name, 6
.endr
.irp name, priv_spec, Tag_RISCV_priv_spec
.set .Ltag.of.\name, 8
.endr
.irp name, priv_spec_minor, Tag_RISCV_priv_spec_minor
.set .Ltag.of.\name, 10
.endr
.irp name, priv_spec_revision, Tag_RISCV_priv_spec_revision
.set .Ltag.of.\name, 12
.endr
.irp name, atomic_abi, Tag_RISCV_atomic_abi
.set .Ltag.of.\name, 14
.endr
.macro .attribute tag:req, value:vararg
.ifdef .Ltag.of.\tag
.if .Ltag.of.\tag == 5
    .extensions \value
.endif
    .attribute_value .Ltag.of.\tag, \value
.else
    .error "the attribute \tag is not known"
.endif
.endm

# Instructions by their formats, with operands as in instructions of the same format.
.set .Linsn.LOAD, 0x3
.set .Linsn.LOAD_FP, 0x7
.set .Linsn.CUSTOM_0, 0xb
.set .Linsn.MISC_MEM, 0xf
.set .Linsn.OP_IMM, 0x13
.set .Linsn.AUIPC, 0x17
.set .Linsn.OP_IMM_32, 0x1b
.set .Linsn.STORE, 0x23
.set .Linsn.STORE_FP, 0x27
.set .Linsn.CUSTOM_1, 0x2b
.set .Linsn.AMO, 0x2f
.set .Linsn.OP, 0x33
.set .Linsn.LUI, 0x37
.set .Linsn.OP_32, 0x3b
.set .Linsn.MADD, 0x43
.set .Linsn.MSUB, 0x47
.set .Linsn.NMSUB, 0x4b
.set .Linsn.NMADD, 0x4f
.set .Linsn.OP_FP, 0x53
.set .Linsn.OP_V, 0x57
.set .Linsn.CUSTOM_2, 0x5b
.set .Linsn.BRANCH, 0x63
.set .Linsn.JALR, 0x67
.set .Linsn.JAL, 0x6f
.set .Linsn.SYSTEM, 0x73
.set .Linsn.CUSTOM_3, 0x7b
.set .Linsn.C0, 0x0
.set .Linsn.C1, 0x1
.set .Linsn.C2, 0x2
.macro .insn kind:req, op, a, b, c, d, e, f
.ifdef .Linsn.of.\kind
.ifdef .Linsn.\op
    .Linsn.\kind .Linsn.\op, \a, \b, \c, \d, \e, \f
.else
    .Linsn.\kind \op, \a, \b, \c, \d, \e, \f
.endif
.else
.ifb \op
    .set .Linsn.word, \kind
.else
    .set .Linsn.word, \op
.endif
.if (.Linsn.word & 3) == 3
    .patch 0xffffffff, .Linsn.word, addi zero, zero, 0
.else
    .patch 0xffff, .Linsn.word, c.nop
.endif
.endif
.endm
.irp kind, r, r4, i, s, b, sb, u, j, uj, ci, cr, ciw, css, cl, cs, ca, cb, cj
.set .Linsn.of.\kind, 1
.endr

# The numbers of integer and floating-point registers, which formats do not tell apart. Short ones name 8 to 15.
.irp file, x, f
.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
.set .Linsn.number.\file\number, \number
.endr
.endr
.set .Linsn.next, 0
.irp name, zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4, a5, a6, a7, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5, t6
.set .Linsn.number.\name, .Linsn.next
.set .Linsn.next, .Linsn.next + 1
.endr
.set .Linsn.number.fp, 8
.set .Linsn.next, 0
.irp name, t0, t1, t2, t3, t4, t5, t6, t7, s0, s1, a0, a1, a2, a3, a4, a5, a6, a7, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t8, t9, t10, t11
.set .Linsn.number.f\name, .Linsn.next
.set .Linsn.next, .Linsn.next + 1
.endr
.macro .Linsn.register place, name
.ifdef .Linsn.number.\name
    .set .Lregister.\place, .Linsn.number.\name
.else
    .error "`\name` is not a register"
    .set .Lregister.\place, 0
.endif
.endm
.macro .Linsn.short place, name
    .Linsn.register \place, \name
.if .Lregister.\place < 8 || .Lregister.\place > 15
    .error "`\name` is not one of the eight registers that three bits name"
.endif
    .set .Lregister.\place, .Lregister.\place & 7
.endm
.macro .Linsn.in number, limit
.if (\number) < 0 || (\number) >= (\limit)
    .error "`\number` is out of range: the values are 0 to \limit - 1"
.endif
.endm

.macro .Linsn.r op, three, seven, rd, a, b, c
.ifb \c
    .Linsn.register rd, \rd
    .Linsn.register a, \a
    .Linsn.register b, \b
    .patch 0xffffffff, (\op) | .Lregister.rd << 7 | (\three) << 12 | .Lregister.a << 15 | .Lregister.b << 20 | (\seven) << 25, addi zero, zero, 0
.else
    .Linsn.r4 \op, \three, \seven, \rd, \a, \b, \c
.endif
.endm
.macro .Linsn.r4 op, three, two, rd, a, b, c
    .Linsn.register c, \c
    .Linsn.r \op, \three, (\two) | .Lregister.c << 2, \rd, \a, \b
.endm
.macro .Linsn.i op, three, rd, a, number, more, most
    .Linsn.register rd, \rd
.ifb \number
    .patch 0x7fff, (\op) | .Lregister.rd << 7 | (\three) << 12, lb zero, \a
.else
    .Linsn.register a, \a
    .patch 0xfffff, (\op) | .Lregister.rd << 7 | (\three) << 12 | .Lregister.a << 15, addi zero, zero, \number
.endif
.endm
.macro .Linsn.s op, three, data, place, more, most, rest
    .Linsn.register data, \data
    .patch 0x01f0707f, (\op) | (\three) << 12 | .Lregister.data << 20, sb zero, \place
.endm
.irp kind, b, sb
.macro .Linsn.\kind op, three, a, b, target, more, rest
    .Linsn.register a, \a
    .Linsn.register b, \b
    .patch 0x01fff07f, (\op) | (\three) << 12 | .Lregister.a << 15 | .Lregister.b << 20, beq zero, zero, \target
.endm
.endr
.macro .Linsn.u op, rd, number, a, b, c, d
    .Linsn.register rd, \rd
    .patch 0xfff, (\op) | .Lregister.rd << 7, lui zero, \number
.endm
.irp kind, j, uj
.macro .Linsn.\kind op, rd, target, a, b, c, d
    .Linsn.register rd, \rd
    .patch 0xfff, (\op) | .Lregister.rd << 7, jal zero, \target
.endm
.endr
.macro .Linsn.ci op, three, rd, number, a, b, c
    .Linsn.register rd, \rd
    .patch 0xef83, (\op) | .Lregister.rd << 7 | (\three) << 13, c.addi ra, \number
.endm
.macro .Linsn.cr op, four, rd, a, b, c, d
    .Linsn.register rd, \rd
    .Linsn.register a, \a
    .patch 0xffff, (\op) | .Lregister.a << 2 | .Lregister.rd << 7 | (\four) << 12, c.nop
.endm
.macro .Linsn.ciw op, three, rd, number, a, b, c
    .Linsn.short rd, \rd
    .Linsn.in \number, 256
    .patch 0xffff, (\op) | .Lregister.rd << 2 | (\number) << 5 | (\three) << 13, c.nop
.endm
.macro .Linsn.css op, three, data, number, a, b, c
    .Linsn.register data, \data
    .Linsn.in \number, 64
    .patch 0xffff, (\op) | .Lregister.data << 2 | (\number) << 7 | (\three) << 13, c.nop
.endm
# The offset is before the register in parentheses: \place is `4(a0)`.
.irp kind, cl, cs
.macro .Linsn.\kind op, three, data, place, a, b, c
    .Linsn.short data, \data
    .with_base \place, .Linsn.placed, (\op) | .Lregister.data << 2 | (\three) << 13
.endm
.endr
.macro .Linsn.placed number, base, rest
    .Linsn.short base, \base
    .Linsn.in \number, 32
    .patch 0xffff, (\rest) | ((\number) & 3) << 5 | .Lregister.base << 7 | ((\number) >> 2) << 10, c.nop
.endm
.macro .Linsn.ca op, six, two, rd, a, b, c
    .Linsn.short rd, \rd
    .Linsn.short a, \a
    .patch 0xffff, (\op) | .Lregister.a << 2 | (\two) << 5 | .Lregister.rd << 7 | (\six) << 10, c.nop
.endm
.macro .Linsn.cb op, three, a, target, b, c, d
    .Linsn.short a, \a
    .patch 0xe383, (\op) | .Lregister.a << 7 | (\three) << 13, c.beqz s0, \target
.endm
.macro .Linsn.cj op, three, target, a, b, c, d
    .patch 0xe003, (\op) | (\three) << 13, c.j \target
.endm

# Functions with another convention of calls.
.macro .variant_cc name:req
    .st_other \name, 0x80
.endm

# Names of relocations.
.relocation R_RISCV_NONE, 0
.relocation R_RISCV_32, 1
.relocation R_RISCV_64, 2
.relocation R_RISCV_BRANCH, 16
.relocation R_RISCV_JAL, 17
.relocation R_RISCV_CALL, 18
.relocation R_RISCV_CALL_PLT, 19
.relocation R_RISCV_GOT_HI20, 20
.relocation R_RISCV_TLS_GOT_HI20, 21
.relocation R_RISCV_TLS_GD_HI20, 22
.relocation R_RISCV_PCREL_HI20, 23
.relocation R_RISCV_PCREL_LO12_I, 24
.relocation R_RISCV_PCREL_LO12_S, 25
.relocation R_RISCV_HI20, 26
.relocation R_RISCV_LO12_I, 27
.relocation R_RISCV_LO12_S, 28
.relocation R_RISCV_TPREL_HI20, 29
.relocation R_RISCV_TPREL_LO12_I, 30
.relocation R_RISCV_TPREL_LO12_S, 31
.relocation R_RISCV_TPREL_ADD, 32
.relocation R_RISCV_ADD8, 33
.relocation R_RISCV_ADD16, 34
.relocation R_RISCV_ADD32, 35
.relocation R_RISCV_ADD64, 36
.relocation R_RISCV_SUB8, 37
.relocation R_RISCV_SUB16, 38
.relocation R_RISCV_SUB32, 39
.relocation R_RISCV_SUB64, 40
.relocation R_RISCV_ALIGN, 43
.relocation R_RISCV_RVC_BRANCH, 44
.relocation R_RISCV_RVC_JUMP, 45
.relocation R_RISCV_RELAX, 51
.relocation R_RISCV_SUB6, 52
.relocation R_RISCV_SET6, 53
.relocation R_RISCV_SET8, 54
.relocation R_RISCV_SET16, 55
.relocation R_RISCV_SET32, 56
.relocation R_RISCV_32_PCREL, 57
.relocation R_RISCV_SET_ULEB128, 60
.relocation R_RISCV_SUB_ULEB128, 61

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

# Parts of registers, extended to whole ones: by two shifts where no extension has an instruction for it.
.macro .Lextended rd, rs, shift, bits
.ifgeneration RV64
    slli \rd, \rs, 64 - \bits
    \shift \rd, \rd, 64 - \bits
.else
    slli \rd, \rs, 32 - \bits
    \shift \rd, \rd, 32 - \bits
.endif
.endm
.fallback sext.b rd:req, rs:req
    .Lextended \rd, \rs, srai, 8
.endm
.fallback sext.h rd:req, rs:req
    .Lextended \rd, \rs, srai, 16
.endm
.fallback zext.h rd:req, rs:req
    .Lextended \rd, \rs, srli, 16
.endm
.ifgeneration RV64
.fallback zext.w rd:req, rs:req
    .Lextended \rd, \rs, srli, 32
.endm
.endif

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
.set .Lis_known, 0
.irp known, push, pop, pic, nopic, rvc, norvc, arch, relax, norelax, csr-check, no-csr-check
.ifc \word, \known
    .set .Lis_known, 1
.endif
.endr
.if .Lis_known == 0
    .warning "the option \word is not known"
.endif
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

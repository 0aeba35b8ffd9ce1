"""What the package does, on the specifications of the repository and on files of the system.

Files of the system, and capstone, are compared with where they are installed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import isadl

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "spec"
LIBC = {
    "a64": Path("/usr/aarch64-linux-gnu/lib/libc.so.6"),
    "riscv": Path("/usr/riscv64-linux-gnu/lib/libc.so.6"),
}

TINY = """
__DefIsa TINY<8>
__DefImmediate Code<4>
    Number = unsigned;
__DefGroup ALL : []
__DefOptype SKIP : [ALL]
__DefOpcode SKIP_X : [SKIP]
  __Encoding
    field<0, 4> Code code == 7;
    field<4, 4> Code count;
  __OperandInfo
    Order<count>;
"""


@pytest.fixture(scope="session")
def a64():
    return isadl.load(SPEC / "a64")


@pytest.fixture(scope="session")
def rv64():
    return isadl.load(SPEC / "riscv", generation="RV64")


@pytest.fixture(scope="session")
def gcn():
    return isadl.load(SPEC / "gcn", generation="GCN1_4")


def test_text_of_a_specification():
    tiny = isadl.loads(TINY)
    assert (tiny.name, tiny.opcodes) == ("TINY", ["SKIP_X"])
    inst = tiny.assemble("SKIP 2")
    assert (inst.word, inst.bytes, inst.length, len(inst)) == (0x27, b"\x27", 1, 1)
    assert tiny.decode(b"\x27").text == str(inst) == "SKIP 2"
    assert tiny.decode(b"\x27") == tiny.decode_word(0x27)
    assert hash(tiny.decode(b"\x27")) == hash(tiny.decode_word(0x27))
    with pytest.raises(isadl.DecodeError, match="unknown opcode"):
        tiny.decode(b"\x28")
    with pytest.raises(isadl.AssemblyError, match="16"):
        tiny.assemble("SKIP 16")


def test_errors_of_a_specification_are_objects(tmp_path):
    bad = TINY.replace("== 7", "== 77")
    with pytest.raises(isadl.SpecError, match=r"error\[E\d{4}\]") as raised:
        isadl.loads(bad)
    (found,) = [one for one in raised.value.findings if one.is_error]
    assert bad.splitlines()[found.line - 1].strip().startswith("field<0, 4>")
    path = tmp_path / "bad.isa"
    path.write_text(bad)
    (same,) = [one for one in isadl.check(path) if one.is_error]
    assert (same.code, same.line, same.column) == (found.code, found.line, found.column)
    assert same.file == str(path) and same.message in str(same)
    assert not any(one.is_error for one in isadl.check(SPEC / "simt"))


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(OSError):
        isadl.load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="several generations"):
        isadl.load(SPEC / "riscv")
    with pytest.raises(ValueError, match="is not a generation"):
        isadl.load(SPEC / "riscv", generation="RV65")
    with pytest.raises(ValueError):
        isadl.load(SPEC / "riscv", generation="RV64", extensions=["Zq"])
    with pytest.raises(isadl.SpecError, match="not a compiled instruction set"):
        isadl.loads(b"\x7fELF")


def test_extensions_decide_what_is_there(rv64):
    none = isadl.load(SPEC / "riscv", generation="RV64", extensions=["A"])
    mul = rv64.assemble("mul a0, a1, a2")
    with pytest.raises(isadl.DecodeError):
        none.decode(mul.bytes)


def test_operands(a64, rv64, gcn):
    load = a64.assemble("ldr x0, [x1, #8]")
    to, address = load.operands
    assert (to.kind, to.value.file, to.value.number, to.width) == ("register", "X", 0, 64)
    assert (to.is_read, to.is_written) == (False, True)
    assert (address.kind, address.width) == ("memory", 64)
    assert address.value["offset"] == 8 and address.value["base"].number == 1
    assert address.text == "[x1, #8]"
    assert [one.kind for one in a64.assemble("fmov d0, #1.5").operands] == ["register", "float"]
    assert a64.assemble("fmov d0, #1.5").operands[1].value == 1.5
    assert a64.assemble("mov x0, #0xff00ff00ff00ff").operands[-1].value == 0x00FF00FF00FF00FF
    store = rv64.assemble("sb a0, -3(sp)")
    assert [one.width for one in store.operands][1] == 8
    assert [(one.kind, one.memory_width) for one in store.writes] == [("memory", 8)]
    branch = rv64.decode(rv64.assemble("beq a0, a1, 0x1010", address=0x1000).bytes, address=0x1000)
    assert branch.operands[-1].kind == "distance" and branch.operands[-1].value == 16
    assert (branch.target, branch.flow, branch.is_branch) == (0x1010, "conditional", True)
    add = gcn.assemble("v_add_f32 v0, 1.0, v2")
    assert [one.kind for one in add.operands].count("register") == 2
    assert add.operands[1].text == "1.0"


def test_programs_and_files(a64):
    text = "_start: mov x0, #5\n mov x8, #93\n svc #0\n"
    assert len(a64.assemble_program(text, address=0x1000)) == 12
    assert a64.assemble_program(text).startswith(b"\x7fELF")
    with pytest.raises(isadl.AssemblyError, match="own.s:2"):
        a64.assemble_program("nop\n nopp x0\n", name="own.s")
    (section,) = [s for s in a64.sections(a64.assemble_program(text)) if s.is_code]
    assert (section.name, section.symbols) == (".text", [(0, "_start")])
    lines = [str(inst) for inst in a64.disassemble(section.data, section.address)]
    assert lines == ["mov x0, #5", "mov x8, #93", "svc #0"]
    with pytest.raises(ValueError):
        a64.sections(b"\x7fELF")


def test_bytes_that_are_no_instruction(rv64):
    known = rv64.assemble("add a0, a1, a2").bytes
    # No extension has an instruction of this halfword.
    data = known + b"\0\x80" + known + known[:3]
    found = list(rv64.disassemble(data))
    assert [one.is_legal for one in found][:3] == [True, False, True]
    assert not found[-1].is_legal and sum(map(len, found)) == len(data)
    assert (found[1].opcode, found[1].text, found[1].operands, found[1].flow) == (None, "", [], "none")
    arrays = rv64.decode_all(data)
    numbers = [2**32 - 1 if one.opcode_number is None else one.opcode_number for one in found]
    assert arrays.opcodes.tolist() == numbers
    assert arrays.lengths.tolist() == [len(one) for one in found]
    assert arrays.offsets.tolist()[:3] == [0, 4, 6]
    assert len(arrays) == len(found)


def test_words_are_explained(a64):
    told = a64.explain(0xF9400420)
    assert (told["opcode"], told["text"]) == ("LDR_X_OFFSET", "ldr x0, [x1, #8]")
    assert told["does"] == "x0 = memory[(x1 + #8)[63:0]][63:0]"
    assert told["description"] == "Loads 64 bits."


def test_a_compiled_set_is_the_same(tmp_path, gcn):
    binary = os.environ.get("ISADL")
    if not binary:
        pytest.skip("ISADL does not name the command line")
    path = tmp_path / "gcn.isac"
    subprocess.run([binary, "compile", SPEC / "gcn", "-o", path], check=True)
    again = isadl.load(path, generation="GCN1_4")
    assert again.opcodes == gcn.opcodes
    assert isadl.loads(path.read_bytes(), generation="GCN1_4").opcodes == gcn.opcodes
    damaged = path.read_bytes()[:-1]
    with pytest.raises(isadl.SpecError, match="cut off"):
        isadl.loads(damaged, generation="GCN1_4")


PROGRAM = """
    .text
    .globl _start
_start:
    li a0, 1
    la a1, text
    li a2, 6
    li a7, 64
    ecall
    li a0, 3
    li a7, 93
    ecall
    .section .rodata
text: .ascii "hello\\n"
"""


@pytest.fixture(scope="session")
def hello(tmp_path_factory):
    tools = [shutil.which(f"riscv64-linux-gnu-{tool}") for tool in ("as", "ld")]
    if not all(tools):
        pytest.skip("no assembler and linker of RISC-V")
    folder = tmp_path_factory.mktemp("hello")
    (folder / "a.s").write_text(PROGRAM)
    subprocess.run([tools[0], folder / "a.s", "-o", folder / "a.o"], check=True)
    subprocess.run([tools[1], folder / "a.o", "-o", folder / "a"], check=True)
    return (folder / "a").read_bytes()


def test_programs_are_executed(rv64, hello):
    result = rv64.run(hello)
    assert (result.status, result.reason, result.stdout, result.stderr) == (3, None, b"hello\n", b"")
    assert result.state.register("a7") == 93
    assert rv64.run(hello, fuel=2).reason == "out of fuel"
    with pytest.raises(isadl.RunError):
        rv64.run(b"no program")


def test_hooks_see_and_change_a_program(rv64, hello):
    seen = []

    def hook(state):
        seen.append((state.pc, state.instruction.mnemonic))
        if state.instruction.mnemonic == "ecall" and state.register("a7") == 64:
            at = state.register("a1")
            assert state.read(at, 6) == b"hello\n"
            state.write(at, b"HELLO\n")
            state.set_register("a2", 5)

    result = rv64.run(hello, hook=hook)
    assert (result.stdout, result.status) == (b"HELLO", 3)
    assert [name for _, name in seen].count("ecall") == 2
    assert len(seen) == result.state.count + 1
    assert rv64.run(hello, hook=lambda state: state.count < 3).reason == "the hook ended it"

    def fails(state):
        state.register("q9")

    with pytest.raises(KeyError, match="q9"):
        rv64.run(hello, hook=fails)
    result.state.set_register("a0", -1)
    assert result.state.register("a0") == 2**64 - 1


def text_section(isa, name):
    if not LIBC[name].exists():
        pytest.skip(f"{LIBC[name]} is not installed")
    sections = isa.sections(LIBC[name].read_bytes())
    return next(section for section in sections if section.name == ".text")


def registers(capstone, isa_name, inst):
    """The registers that capstone names among the operands, as file and number."""
    numbers = {"zr": None, "sp": None, "fp": 29, "lr": 30}
    abi = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"] + [f"a{i}" for i in range(8)]
    abi += [f"s{i}" for i in range(2, 12)] + [f"t{i}" for i in range(3, 7)]
    floats = [f"ft{i}" for i in range(8)] + ["fs0", "fs1"] + [f"fa{i}" for i in range(8)]
    floats += [f"fs{i}" for i in range(2, 12)] + [f"ft{i}" for i in range(8, 12)]
    found = []
    for operand in inst.operands:
        kinds = []
        if operand.type == capstone.CS_OP_REG:
            kinds = [operand.reg]
        elif operand.type == capstone.CS_OP_MEM:
            kinds = [operand.mem.base] + ([operand.mem.index] if isa_name == "a64" else [])
        for kind in kinds:
            name = inst.reg_name(kind)
            if not name:
                continue
            if isa_name == "riscv":
                found.append((abi if name in abi else floats).index(name))
            elif name in numbers or name[1:] in numbers:
                found.append(numbers.get(name, numbers.get(name[1:])))
            else:
                found.append(int(name.lstrip("xwvqdshb").split(".")[0]))
    return [number for number in found if number is not None]


def own_registers(value):
    if isinstance(value, isadl.Register):
        return [value.number] if value.file != "SP" else []
    if isinstance(value, dict):
        return [number for part in value.values() for number in own_registers(part)]
    # The register of RISC-V that is always 0 has a number for capstone.
    return [0] if value == "zero" else []


def own_integers(value):
    if isinstance(value, int):
        return [value]
    if isinstance(value, dict):
        return [number for part in value.values() for number in own_integers(part)]
    return []


@pytest.mark.parametrize("name", ["a64", "riscv"])
def test_operands_are_those_of_capstone(name, request):
    capstone = pytest.importorskip("capstone")
    isa = request.getfixturevalue("a64" if name == "a64" else "rv64")
    section = text_section(isa, name)
    if name == "a64":
        other = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    else:
        other = capstone.Cs(capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC)
    other.detail = True
    compared, memory, different = 0, 0, []
    for inst in list(isa.disassemble(section.data, section.address))[:60000:3]:
        theirs = next(other.disasm(inst.bytes, inst.address), None)
        # Lists of registers, and aliases, have other operands.
        if theirs is None or not inst.is_legal or theirs.mnemonic != inst.mnemonic:
            continue
        if "{" in inst.text:
            continue
        if name == "riscv" and len(inst) == 2:
            continue
        compared += 1
        ours = sorted(n for one in inst.operands if one.text for n in own_registers(one.value))
        known = registers(capstone, name, theirs)
        if sorted(known) != ours:
            different.append((str(inst), known, ours))
        for one, two in zip(
            [one for one in inst.operands if one.kind == "memory"],
            [two for two in theirs.operands if two.type == capstone.CS_OP_MEM],
        ):
            memory += 1
            if two.mem.disp and two.mem.disp not in own_integers(one.value):
                different.append((str(inst), two.mem.disp, one.value))
    assert compared > 8000 and memory > 2000, (compared, memory)
    assert different == [], (len(different), different[:5])


def test_many_words_as_arrays(a64):
    section = text_section(a64, "a64")
    arrays = a64.decode_all(section.data)
    assert len(arrays) == len(section.data) // 4
    step = 1009
    for at in range(0, len(arrays), step):
        inst = a64.decode(section.data[4 * at : 4 * at + 4])
        assert arrays.opcodes[at] == inst.opcode_number


def test_the_stubs_name_everything():
    import ast

    stubs = ast.parse((ROOT / "python" / "isadl.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            real = getattr(isadl, node.name)
            names = [one.name for one in getattr(node, "body", []) if isinstance(one, ast.FunctionDef)]
            if isinstance(node, ast.ClassDef):
                missing = [name for name in names if not hasattr(real, name)]
                assert missing == [], (node.name, missing)
    named = {node.name for node in stubs.body if hasattr(node, "name")}
    public = {name for name in dir(isadl) if not name.startswith("_") and name != "isadl"}
    assert public - named <= {"Disassembly"}
    assert sys.version_info >= (3, 9)


def test_the_example_draws_the_calls_of_a_library(tmp_path):
    if not LIBC["a64"].exists():
        pytest.skip(f"{LIBC['a64']} is not installed")
    example = ROOT / "python" / "examples" / "calls.py"
    out = tmp_path / "calls.svg"
    command = [sys.executable, example, SPEC / "a64", LIBC["a64"], out, "--most", "20"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(printed.split()[0]) > 5000
    picture = out.read_text()
    assert picture.count("<text") == 20 and picture.count("<path") > 20

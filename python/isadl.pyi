"""Instruction sets from their description: decode, disassemble, assemble, analyse, execute.

An address is the number of a byte; a word is the number in the bytes of an instruction, bit 0 the least significant.
"""

from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, Literal, Optional, Union, final

__version__: str

class IsadlError(Exception):
    """What this package raises."""

class SpecError(IsadlError):
    """A specification has errors, or a compiled one is damaged."""

    findings: list[Finding]
    """The errors and warnings; absent for a compiled specification."""

class DecodeError(IsadlError):
    """Bytes are not an instruction; the message says why."""

class AssemblyError(IsadlError):
    """A line or a program does not assemble; the message says where and why."""

class RunError(IsadlError):
    """A program cannot be executed."""

def load(
    *paths: Union[str, PathLike[str]],
    generation: Optional[str] = None,
    extensions: Optional[list[str]] = None,
) -> InstructionSet:
    """Opens a folder of specification files, files, or the file that ``isadl compile`` wrote.

    ``generation`` is necessary if the instruction set has several that differ. ``extensions`` are names of extensions and of sets,
    instead of the default set.

    Raises ``OSError``, ``SpecError``; ``ValueError`` for an unknown generation or extension.
    """

def loads(
    content: Union[str, bytes],
    generation: Optional[str] = None,
    extensions: Optional[list[str]] = None,
) -> InstructionSet:
    """Opens the text of a specification, or the bytes of a compiled one; see ``load``."""

def check(*paths: Union[str, PathLike[str]]) -> list[Finding]:
    """Checks a specification; the errors and warnings, in order of their places."""

@final
class Finding:
    """An error or a warning. ``str`` gives all of it, with an excerpt of the file."""

    @property
    def code(self) -> str:
        """Such as ``E0401``."""
    @property
    def is_error(self) -> bool: ...
    @property
    def message(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """From 1."""
    @property
    def column(self) -> int:
        """In characters, from 1."""
    @property
    def notes(self) -> list[str]:
        """Why."""
    @property
    def helps(self) -> list[str]:
        """How to fix it."""

@final
class InstructionSet:
    """An instruction set, of one generation and with one set of extensions."""

    @property
    def name(self) -> str: ...
    @property
    def generations(self) -> list[str]:
        """All generations that the specification declares."""
    @property
    def generation(self) -> list[str]:
        """The generations that this is: several if they do not differ."""
    @property
    def opcodes(self) -> list[str]:
        """The names of all opcodes; ``Instruction.opcode_number`` and ``Decoded.opcodes`` are indexes."""
    @property
    def register_files(self) -> dict[str, tuple[int, int]]:
        """The number of registers of each file, and the bits of each."""
    def decode(self, data: bytes, address: Optional[int] = None) -> Instruction:
        """The instruction at the start of bytes. Raises ``DecodeError``."""
    def decode_word(self, word: int, address: Optional[int] = None) -> Instruction:
        """The instruction of a word. Raises ``DecodeError``."""
    def disassemble(self, data: bytes, address: Optional[int] = None) -> Iterator[Instruction]:
        """The instructions of bytes, one after another. Bytes that are none have ``is_legal`` false."""
    def decode_all(self, data: bytes) -> Decoded:
        """All instructions of bytes as arrays: for millions of them."""
    def assemble(self, line: str, address: Optional[int] = None) -> Instruction:
        """The instruction of a line. Raises ``AssemblyError``."""
    def assemble_program(
        self, text: str, address: Optional[int] = None, name: str = "<text>"
    ) -> bytes:
        """A program as an ELF object, or as bytes if it has an address. Nothing is read from disk. Raises ``AssemblyError``."""
    def sections(self, data: bytes) -> list[Section]:
        """The sections of an ELF file that have bytes. Raises ``ValueError``."""
    def explain(self, word: int) -> dict[str, Any]:
        """What the bits of a word mean: the JSON of ``isadl decode --format json``."""
    def run(
        self,
        program: bytes,
        args: list[str] = ...,
        *,
        environment: Optional[str] = None,
        fuel: Optional[int] = None,
        hook: Optional[Callable[[State], Optional[bool]]] = None,
        memory: int = ...,
    ) -> Result:
        """Executes a static ELF program, at most ``fuel`` instructions, in so many bytes of memory.

        ``hook`` is called before each instruction; ``False`` ends the program. Files are not opened. Raises ``RunError``.
        """

@final
class Register:
    """Consecutive registers of a file."""

    @property
    def file(self) -> str: ...
    @property
    def number(self) -> int:
        """Of the first."""
    @property
    def count(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Operand:
    """An operand of an instruction."""

    @property
    def name(self) -> str:
        """Its name in the specification."""
    @property
    def kind(
        self,
    ) -> Literal[
        "register", "constant", "indirect", "special", "integer", "distance", "float", "packed", "name", "parts", "memory"
    ]: ...
    @property
    def value(self) -> Any:
        """A ``Register``; an integer, which for a ``distance`` is that to ``Instruction.target``; a float; the text of a ``name``, of a
        ``special`` register, of a ``constant`` such as a register that is always zero; for ``parts`` and ``memory``, the values of the parts by their names."""
    @property
    def text(self) -> str:
        """How it is written; empty if it is left out."""
    @property
    def width(self) -> Optional[int]:
        """The bits of data in it; of ``memory``, the most bits that are accessed. ``None`` if the specification does not say it."""
    @property
    def is_read(self) -> bool: ...
    @property
    def is_written(self) -> bool: ...

@final
class Use:
    """Something that an instruction reads or writes."""

    @property
    def kind(self) -> Literal["register", "unknown", "special", "memory"]: ...
    @property
    def text(self) -> str: ...
    @property
    def is_certain(self) -> bool:
        """Whether it happens whatever the guard and the mask are."""
    @property
    def register(self) -> Optional[Register]: ...
    @property
    def memory_width(self) -> Optional[int]:
        """In bits."""

@final
class Instruction:
    """An instruction, or bytes that are none. ``str`` is its text."""

    @property
    def address(self) -> Optional[int]: ...
    @property
    def length(self) -> int:
        """In bytes."""
    @property
    def bytes(self) -> bytes: ...
    @property
    def word(self) -> int: ...
    @property
    def is_legal(self) -> bool: ...
    @property
    def opcode(self) -> Optional[str]: ...
    @property
    def opcode_number(self) -> Optional[int]: ...
    @property
    def text(self) -> str:
        """As an assembler reads it. With an address, distances are written as the addresses that they lead to."""
    @property
    def mnemonic(self) -> str: ...
    @property
    def operands(self) -> list[Operand]:
        """In the order of the text, also those that are left out of it."""
    @property
    def reads(self) -> list[Use]: ...
    @property
    def writes(self) -> list[Use]: ...
    @property
    def flow(self) -> str:
        """Such as ``next``, ``branch``, ``conditional``, ``call``, ``return``, ``trap``."""
    @property
    def is_branch(self) -> bool:
        """Whether execution may go on elsewhere; not for traps."""
    @property
    def target(self) -> Optional[int]:
        """The address that it names."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Decoded:
    """Instructions as arrays of one length, which ``numpy.asarray`` takes without a copy."""

    @property
    def offsets(self) -> memoryview:
        """Where each begins, in bytes: unsigned, 64 bits."""
    @property
    def opcodes(self) -> memoryview:
        """The number of each opcode, 2**32 - 1 for none: unsigned, 32 bits."""
    @property
    def lengths(self) -> memoryview:
        """The bytes of each: unsigned, 8 bits."""
    def __len__(self) -> int: ...

@final
class Section:
    """A section of an ELF file."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def is_code(self) -> bool: ...
    @property
    def data(self) -> bytes: ...
    @property
    def symbols(self) -> list[tuple[int, str]]:
        """Addresses and names, in order of addresses."""

@final
class State:
    """A program while it is executed."""

    pc: int
    @property
    def count(self) -> int:
        """Instructions that were executed."""
    @property
    def instruction(self) -> Optional[Instruction]:
        """The next one."""
    def register(self, name: str) -> int:
        """Raises ``KeyError``."""
    def set_register(self, name: str, value: int) -> None: ...
    def read(self, address: int, length: int, memory: int = 0) -> bytes:
        """Raises ``ValueError``, also where bytes were never in memory."""
    def write(self, address: int, content: bytes, memory: int = 0) -> None: ...

@final
class Result:
    """How a program ended."""

    @property
    def status(self) -> Optional[int]:
        """What it left with."""
    @property
    def reason(self) -> Optional[str]:
        """Why it ended otherwise."""
    @property
    def state(self) -> State: ...
    @property
    def stdout(self) -> bytes: ...
    @property
    def stderr(self) -> bytes: ...

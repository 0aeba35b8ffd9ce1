"""Instructions a second of a section of an ELF file, and of capstone on the same bytes where it is installed.

    python bench.py SPEC FILE [GENERATION]
"""

import pathlib
import sys
import time

import isadl


def best(work):
    """The shortest of seven times, in seconds."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    spec, path = sys.argv[1:3]
    generation = sys.argv[3] if len(sys.argv) > 3 else None
    isa = isadl.load(spec, generation=generation)
    sections = isa.sections(pathlib.Path(path).read_bytes())
    section = max((one for one in sections if one.is_code), key=lambda one: len(one.data))
    count = len(isa.decode_all(section.data))

    def objects():
        for _ in isa.disassemble(section.data, section.address):
            pass

    def texts():
        for inst in isa.disassemble(section.data, section.address):
            inst.text

    rows = [
        ("objects", objects),
        ("objects with texts", texts),
        ("arrays", lambda: isa.decode_all(section.data)),
    ]
    try:
        import capstone

        kinds = {
            "A64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
            "RISCV": (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC),
        }
        other = capstone.Cs(*kinds[isa.name])
        other.skipdata = True
        rows.append(("capstone", lambda: sum(1 for _ in other.disasm(section.data, 0))))
        rows.append(("capstone, lite", lambda: sum(1 for _ in other.disasm_lite(section.data, 0))))
    except (ImportError, KeyError) as missing:
        print(f"without capstone: {missing}")
    for name, work in rows:
        print(f"{name:20} {count / best(work) / 1e6:6.2f} million a second")


if __name__ == "__main__":
    main()

"""Draws which functions of a library call which others, as a picture in SVG.

    python calls.py SPEC LIBRARY OUT [--generation NAME] [--most N]

The functions with the most callers are in a circle; a line leads from a caller to what it calls, thicker for more calls. Nothing here
knows an instruction set: which instructions call, and where they lead, is said by the specification.
"""

import argparse
import bisect
import collections
import html
import math
import pathlib

import isadl


def calls(isa, sections):
    """How often each function calls each other one, both by name."""
    symbols = sorted({pair for section in sections if section.is_code for pair in section.symbols})
    starts = [address for address, _ in symbols]

    def name(address):
        at = bisect.bisect_right(starts, address) - 1
        return symbols[at][1] if at >= 0 else None

    found = collections.Counter()
    for section in sections:
        if not section.is_code:
            continue
        for inst in isa.disassemble(section.data, section.address):
            if inst.flow == "call" and inst.target is not None:
                found[name(inst.address), name(inst.target)] += 1
    return found


def picture(found, most):
    """The calls among the functions that are called most, as SVG."""
    called = collections.Counter()
    for (caller, callee), count in found.items():
        if caller != callee and callee:
            called[callee] += count
    names = [name for name, _ in called.most_common(most)]
    place = {}
    for index, name in enumerate(names):
        angle = 2 * math.pi * index / max(len(names), 1)
        place[name] = (500 + 360 * math.cos(angle), 500 + 360 * math.sin(angle), angle)
    lines, texts = [], []
    for (caller, callee), count in sorted(found.items(), key=str):
        if caller in place and callee in place and caller != callee:
            (x, y, _), (u, v, _) = place[caller], place[callee]
            width = min(6, 0.5 + math.log2(count))
            lines.append(
                f'<path d="M{x:.1f} {y:.1f} Q500 500 {u:.1f} {v:.1f}" stroke-width="{width:.1f}"/>'
            )
    for name, (x, y, angle) in place.items():
        turn = math.degrees(angle)
        is_left = 90 < turn < 270
        texts.append(
            f'<text transform="translate({x:.1f} {y:.1f}) rotate({turn + 180 * is_left:.1f})" '
            f'x="{-8 if is_left else 8}" text-anchor="{"end" if is_left else "start"}">{html.escape(name)}</text>'
        )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000">\n'
        '<rect width="1000" height="1000" fill="#fff"/>\n'
        f'<g fill="none" stroke="#2563eb" stroke-opacity="0.4">\n{chr(10).join(lines)}\n</g>\n'
        f'<g font-family="sans-serif" font-size="11">\n{chr(10).join(texts)}\n</g>\n</svg>\n'
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--generation")
    parser.add_argument("--most", type=int, default=60)
    options = parser.parse_args()
    isa = isadl.load(options.spec, generation=options.generation)
    found = calls(isa, isa.sections(options.library.read_bytes()))
    options.out.write_text(picture(found, options.most))
    print(f"{sum(found.values())} calls of {len({callee for _, callee in found})} functions")


if __name__ == "__main__":
    main()

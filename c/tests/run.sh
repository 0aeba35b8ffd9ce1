#!/usr/bin/env bash
# Builds the examples and tests with the compilers' warnings as errors, runs them under valgrind where it is installed, and compares
# the examples with the command line: run.sh LIBRARIES ISADL, where LIBRARIES is a folder with libisadl.so and libisadl.a.
set -euo pipefail
libraries=$(realpath "$1")
isadl=$(realpath "$2")
own=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags=(-Wall -Wextra -Werror -pedantic -I "$own/include")
checked=()
command -v valgrind >/dev/null &&
    checked=(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite)

cc -std=c11 "${flags[@]}" "$own/tests/all.c" -o all -L "$libraries" -lisadl -Wl,-rpath,"$libraries"
cc -std=c11 "${flags[@]}" "$own/examples/run.c" -o run -L "$libraries" -lisadl -Wl,-rpath,"$libraries"
cc -std=c11 "${flags[@]}" "$own/examples/disasm.c" -o disasm -L "$libraries" -lisadl -Wl,-rpath,"$libraries"
# The static library, too.
c++ -std=c++17 "${flags[@]}" "$own/examples/assemble.cpp" -o assemble "$libraries/libisadl.a" -lpthread -ldl -lm

"$isadl" compile "$own/../spec/a64" -o a64.isac
"$isadl" new mini >/dev/null
sed -i '/AND "and"/s/== 2;/== 1;/' mini/spec/mini.isa

cat >hello.s <<'END'
.globl _start
_start:
    mov x0, #1
    adr x1, text
    mov x2, #6
    mov x8, #64
    svc #0
    mov x0, #3
    mov x8, #93
    svc #0
text: .ascii "hello\n"
END
"$isadl" asm --spec a64.isac -o hello.o hello.s
program=()
for linker in ld.lld-19 ld.lld aarch64-linux-gnu-ld; do
    command -v "$linker" >/dev/null && "$linker" hello.o -o hello && program=(hello) && break
done
"${checked[@]}" ./all a64.isac mini/spec/mini.isa "${program[@]}"
if [ "${#program[@]}" != 0 ]; then
    # The last call does not return, and is not counted.
    status=0
    ./run a64.isac - hello >found 2>counted || status=$?
    [ "$status" = 3 ] && echo hello | diff - found && echo "7 instructions" | diff - counted
fi

printf 'add x0, x1, x2\nldr x3, [x4, #16]\nfmov d0, #1.5\nret\nnop nop\nb.eq 0x20\n' >lines.s
"$isadl" asm --lines --spec a64.isac lines.s >expected || true
./assemble a64.isac - <lines.s >found
diff expected found
grep -v nop lines.s >code.s
"$isadl" asm --spec a64.isac --emit raw -o code.bin code.s
"$isadl" disasm --spec a64.isac --binary code.bin --address 0 | sed 's/^[0-9a-f]*:  *[0-9a-f ]\{11\}  //' >expected
"${checked[@]}" ./disasm a64.isac - code.bin | sed 's/^ *[0-9a-f]*  //; s/   .*//' >found
diff <(sed 's/ *$//; s/ <.*//' expected) <(sed 's/ *$//' found)
echo "the examples do what the command line does"

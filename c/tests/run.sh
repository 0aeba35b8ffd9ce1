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
    checked=(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite)

cc -std=c11 "${flags[@]}" "$own/tests/all.c" -o all -L "$libraries" -lisadl -Wl,-rpath,"$libraries"
cc -std=c11 "${flags[@]}" "$own/examples/disasm.c" -o disasm -L "$libraries" -lisadl -Wl,-rpath,"$libraries"
# The static library, too.
c++ -std=c++17 "${flags[@]}" "$own/examples/assemble.cpp" -o assemble "$libraries/libisadl.a" -lpthread -ldl -lm

"$isadl" compile "$own/../spec/a64" -o a64.isac
"${checked[@]}" ./all a64.isac

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

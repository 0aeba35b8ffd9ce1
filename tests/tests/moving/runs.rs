//! Functions that are moved while an emulator runs the program: they return what they returned where they were.

use std::process::Command;

use isadl_exec::moving::{Block, Mover};
use object::{Object, ObjectSection, ObjectSymbol};

use super::{A64, RISCV, Target, spec};
use crate::asm_files::has;

/// `work` has loops, a table of jumps, calls, data and constants of the program.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

static int counter = 7;
static double scale = 0.375;
static const char *const names[] = { "zero", "one", "two", "three" };
static int by_length(const void *a, const void *b) {
    return (int)strlen(*(const char *const *)a) - (int)strlen(*(const char *const *)b);
}
__attribute__((noinline, noclone)) long work(long n, char *out) {
    long sum = 0;
    const char *copy[4];
    memcpy(copy, names, sizeof copy);
    qsort(copy, 4, sizeof copy[0], by_length);
    for (long i = 0; i < n; i++) {
        counter += 3;
        switch (i & 15) {
        case 0: sum += strlen(copy[i & 3]); break;
        case 1: sum ^= counter; break;
        case 2: sum *= 31; break;
        case 3: sum += (long)(scale * (double)i * 1.7); break;
        case 4: scale += 0.125; break;
        case 5: sum -= names[i & 3][1]; break;
        case 7: if (sum & 1) sum += 1000; else sum -= i; break;
        case 9: counter ^= 0x55; break;
        default: sum += i;
        }
    }
    return sum + snprintf(out, 64, "%s %d %.3f %ld", copy[3], counter, scale, sum);
}
static long run(long (*function)(long, char *), char *out) {
    counter = 7;
    scale = 0.375;
    return function(1000, out);
}
int main(int argc, char **argv) {
    char own[64], other[64];
    unsigned long to = strtoul(argv[2], 0, 16);
    char *page = (char *)(to & ~0xffful);
    int file = open(argv[1], O_RDONLY);
    if (mmap(page, 0x4000, PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page) return 3;
    if (read(file, (char *)to, 0x2000) <= 0) return 4;
    __builtin___clear_cache(page, page + 0x4000);
    long one = run(work, own);
    long two = run((long (*)(long, char *))to, other);
    printf("%ld %s\n%ld %s\n", one, own, two, other);
    return one != two || strcmp(own, other);
}
"#;

fn is_run(target: &'static Target, compiler: &str, after: &[u64], flags: &[&str]) {
    if !has(compiler) || !has(target.emulator) {
        eprintln!("skipped: {compiler} and {} are needed", target.emulator);
        return;
    }
    let folder =
        std::env::temp_dir().join(format!("isadl-moved-{}-{compiler}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let (source, program, moved) =
        (folder.join("work.c"), folder.join("work"), folder.join("moved"));
    std::fs::write(&source, PROGRAM).expect("writable");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let compiled = Command::new(compiler)
            .args(["-static", level])
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .output()
            .expect("it runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let bytes = std::fs::read(&program).expect("readable");
        let file = object::File::parse(&*bytes).expect("an ELF file");
        let symbol = file.symbols().find(|one| one.name() == Ok("work")).expect("the function");
        let text = file.section_by_name(".text").expect("code");
        let offset = (symbol.address() - text.address()) as usize;
        let code = &text.data().expect("bytes")[offset..offset + symbol.size() as usize];
        let spec = spec(target);
        let mover = Mover::new(&spec);
        // The end of the program, and of what the heap takes.
        let end = file.sections().map(|one| one.address() + one.size()).max().expect("sections");
        for after in after {
            let to = (end & !0xfff) + after;
            let block = Block { bytes: code, from: symbol.address(), to };
            let done = mover.encode(&[block]).unwrap_or_else(|error| panic!("{level}: {error}"));
            std::fs::write(&moved, &done[0].bytes).expect("writable");
            let output = Command::new(target.emulator)
                .arg(&program)
                .arg(&moved)
                .arg(format!("{to:x}"))
                .output()
                .expect("it runs");
            let printed = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = printed.lines().collect();
            assert!(output.status.success(), "{level} {to:#x}: {printed} {:?}", output.status);
            assert!(lines.len() == 2 && lines[0] == lines[1], "{level} {to:#x}: {printed}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("it was made");
}

#[test]
fn a_moved_function_of_riscv_runs() {
    // Calls reach one MiB.
    is_run(&RISCV, "riscv64-linux-gnu-gcc", &[0x2_4346, 0x2_4000], &["-mcmodel=medany"]);
}

#[test]
fn a_moved_function_of_a64_runs() {
    is_run(&A64, "aarch64-linux-gnu-gcc", &[0x12_4344, 0x400_0000], &[]);
}

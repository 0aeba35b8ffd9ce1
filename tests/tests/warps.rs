//! The programs of `tests/programs/simt` and `tests/programs/gcn`, with `isadl run`: 32 and 64 lanes that do each instruction together.

use std::process::Command;

use isadl_test_support::root;

use crate::cli::binary;

const LANES: usize = 32;

/// The registers that a program of SIMT leaves, for each lane.
fn left(program: &str, options: &[&str]) -> impl Fn(&str) -> Vec<u64> {
    let options = [&["--set", "R0=lane"], options].concat();
    left_of("simt", LANES, program, &options)
}

/// The registers that a program leaves, for each lane.
fn left_of(
    set: &str,
    lanes: usize,
    program: &str,
    options: &[&str],
) -> impl Fn(&str) -> Vec<u64> + use<> {
    let output = Command::new(binary())
        .args(["run", "--regs", "--spec", &format!("spec/{set}")])
        .args(options)
        .arg(format!("tests/programs/{set}/{program}.s"))
        .current_dir(root())
        .output()
        .expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{program}");
    let text = String::from_utf8(output.stdout).expect("text");
    move |register: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{register} ")));
        let numbers = line.unwrap_or("0x0").trim().trim_matches(['[', ']']);
        let number =
            |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number");
        let mut all: Vec<u64> = numbers.split(' ').map(number).collect();
        if all.len() == 1 {
            all = vec![all[0]; lanes];
        }
        assert_eq!(all.len(), lanes, "{register}");
        all
    }
}

#[test]
fn warps_add_their_numbers() {
    let of = left("sums", &[]);
    let numbers: Vec<u64> = (0..LANES as u64).collect();
    let total = numbers.iter().sum::<u64>();
    assert_eq!((of("R1"), of("R5")), (vec![total; LANES], vec![total; LANES]));
    let sums: Vec<u64> = (0..LANES).map(|lane| numbers[..=lane].iter().sum()).collect();
    assert_eq!(of("R3"), sums);
    assert_eq!(of("R6"), vec![16; LANES]);
}

#[test]
fn lanes_that_are_not_launched_do_nothing() {
    let of = left("sums", &["--lanes", "4"]);
    let mut counts = vec![0; LANES];
    counts[..4].fill(2);
    assert_eq!(of("R6"), counts);
    let mut totals = vec![0; LANES];
    totals[..4].fill(6);
    assert_eq!(of("R5"), totals);
}

#[test]
fn wrong_numbers_of_lanes_are_told() {
    for lanes in ["0", "33"] {
        let output = Command::new(binary())
            .args(["run", "--spec", "spec/simt", "--lanes", lanes, "tests/programs/simt/sums.s"])
            .current_dir(root())
            .output()
            .expect("the binary runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{lanes}: {errors}");
        let message = "--lanes must be between 1 and 32, the lanes of SIMT";
        assert!(errors.contains(message), "{lanes}: {errors}");
    }
}

#[test]
fn warps_sort_their_numbers() {
    let of = left("sort", &[]);
    let mut numbers = of("R1");
    assert!(!numbers.is_sorted());
    numbers.sort_unstable();
    assert_eq!(of("R2"), numbers);
}

/// The encoding of a small integer as a number of 16 bits.
fn half(number: u64) -> u64 {
    match number.checked_ilog2() {
        None => 0,
        Some(exponent) => u64::from(exponent + 15) << 10 | number << (10 - exponent) & 0x3ff,
    }
}

#[test]
fn warps_multiply_matrices_of_halves() {
    let of = left("product", &[]);
    let a = |row: usize, column: usize| (4 * row + column) as u64 % 8;
    let b = |row: usize, column: usize| 3 * (4 * row + column) as u64 % 8;
    let element = |lane: usize| {
        let (row, column) = (lane / 4 % 4, lane % 4);
        half((0..4).map(|at| a(row, at) * b(at, column)).sum())
    };
    assert_eq!(of("R3"), (0..LANES).map(element).collect::<Vec<_>>());
}

const WAVE: usize = 64;

/// The registers that a program of GCN leaves, for each lane; lanes whose bits are 1 take part.
fn left_by_wave(program: &str, exec: u64) -> impl Fn(&str) -> Vec<u64> {
    let low = format!("exec_lo={:#x}", exec & 0xffff_ffff);
    let high = format!("exec_hi={:#x}", exec >> 32);
    let options = ["--generation", "GCN1_0", "--set", &low, "--set", &high];
    left_of("gcn", WAVE, program, &options)
}

#[test]
fn waves_add_their_numbers() {
    for exec in [u64::MAX, 0xffff, 0x8421_0000_1234_5678] {
        let of = left_by_wave("sums", exec);
        let numbers = (0..WAVE as u64).map(|lane| (exec >> lane & 1) * 3 * lane);
        let numbers: Vec<u64> = numbers.collect();
        assert_eq!(of("v1"), numbers);
        let total: u64 = numbers.iter().sum();
        let totals = (0..WAVE).map(|lane| (exec >> lane & 1) * total).collect::<Vec<_>>();
        assert_eq!(of("v2"), totals);
        if exec == u64::MAX {
            let sums: Vec<u64> = (0..WAVE).map(|lane| numbers[..=lane].iter().sum()).collect();
            assert_eq!(of("v3"), sums);
        }
    }
}

#[test]
fn waves_sort_their_numbers() {
    let of = left_by_wave("sort", u64::MAX);
    let mut numbers = of("v1");
    assert!(!numbers.is_sorted());
    numbers.sort_unstable();
    assert_eq!(of("v4"), numbers);
}

#[test]
fn waves_multiply_matrices() {
    let of = left_by_wave("product", u64::MAX);
    for column in 0..4 {
        let element = |row: usize| {
            let terms = (0..4).map(|at| (row + at) % 8 * (3 * (4 * at + column) % 8));
            u64::from((terms.sum::<usize>() as f32).to_bits())
        };
        let expected = (0..WAVE).map(element).collect::<Vec<_>>();
        assert_eq!(of(&format!("v{}", 16 + column)), expected);
    }
}

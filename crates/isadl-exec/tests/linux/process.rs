//! Calls about the process, the system and time.

use super::*;

#[test]
fn names_and_numbers() {
    let mut process = process();
    assert_eq!(process.call("getpid", &[]), process.call("gettid", &[]));
    assert_eq!(process.call("set_tid_address", &[DATA]), process.call("gettid", &[]));
    assert_eq!(process.call("getuid", &[]), process.call("geteuid", &[]));
    assert_eq!(process.call("set_robust_list", &[DATA, 24]), 0);
    assert_eq!(process.call("sched_yield", &[]), 0);
    for name in ["rseq", "clone", "execve", "socket", "riscv_hwprobe"] {
        assert_eq!(process.call(name, &[]), NOSYS);
    }
    let unnamed = process.linux.call(None, &[0; 6], &mut process.memory);
    assert_eq!(unnamed, Outcome::Value(NOSYS));
    assert_eq!(process.call("uname", &[DATA]), 0);
    assert_eq!(process.bytes(DATA, 6), b"Linux\0");
    assert_eq!(process.bytes(DATA + 4 * 65, 8), b"unknown\0");
    assert_eq!(process.call("uname", &[DATA + 2 * PAGE - 10]), FAULT);
    assert_eq!(process.call("prctl", &[15, DATA]), 0);
    assert_eq!(process.call("prctl", &[99, 0]), INVAL);
}

#[test]
fn the_end() {
    for (name, status, expected) in
        [("exit", 0, 0), ("exit_group", 7, 7), ("exit", 256 + 3, 3), ("exit_group", u64::MAX, 255)]
    {
        assert_eq!(process().outcome(name, &[status]), Outcome::Exit(expected));
    }
}

#[test]
fn signals() {
    let mut process = process();
    let own = process.call("getpid", &[]) as u64;
    assert_eq!(process.outcome("tgkill", &[own, own, 6]), Outcome::Exit(134));
    assert_eq!(process.outcome("kill", &[own, 9]), Outcome::Exit(137));
    assert_eq!(process.outcome("kill", &[0, 15]), Outcome::Exit(143));
    assert_eq!(process.outcome("tkill", &[own, 11]), Outcome::Exit(139));
    assert_eq!(process.call("kill", &[own, 0]), 0);
    assert_eq!(process.call("kill", &[own, 17]), 0);
    assert_eq!(process.call("kill", &[own, 65]), INVAL);
    assert_eq!(process.call("kill", &[1, 9]), -3);
    assert_eq!(process.call("tgkill", &[own, 1, 9]), -3);
    // Ignored, and then not.
    process.put(DATA, &[1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(process.call("rt_sigaction", &[15, DATA, 0, 8]), 0);
    assert_eq!(process.call("kill", &[own, 15]), 0);
    process.put(DATA, &[0; 8]);
    assert_eq!(process.call("rt_sigaction", &[15, DATA, DATA + 64, 8]), 0);
    assert_eq!(process.number(DATA + 64, 8), 1);
    assert_eq!(process.outcome("kill", &[own, 15]), Outcome::Exit(143));
    assert_eq!(process.call("rt_sigaction", &[9, DATA, 0, 8]), INVAL);
    assert_eq!(process.call("rt_sigaction", &[0, 0, 0, 8]), INVAL);
    assert_eq!(process.call("rt_sigaction", &[1, 0, 0, 4]), INVAL);
    assert_eq!(process.call("rt_sigaction", &[1, NOWHERE, 0, 8]), FAULT);
    assert_eq!(process.call("rt_sigaction", &[1, 0, NOWHERE, 8]), FAULT);
    process.put(DATA, &[6, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(process.call("rt_sigprocmask", &[0, DATA, 0, 8]), 0);
    process.put(DATA, &[2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(process.call("rt_sigprocmask", &[1, DATA, DATA + 64, 8]), 0);
    assert_eq!(process.number(DATA + 64, 8), 6);
    assert_eq!(process.call("rt_sigprocmask", &[0, 0, DATA + 64, 8]), 0);
    assert_eq!(process.number(DATA + 64, 8), 4);
    assert_eq!(process.call("rt_sigprocmask", &[3, DATA, 0, 8]), INVAL);
    assert_eq!(process.call("rt_sigprocmask", &[0, NOWHERE, 0, 8]), FAULT);
    assert_eq!(process.call("sigaltstack", &[0, DATA]), 0);
    assert_eq!(process.number(DATA + 8, 4), 2);
    assert_eq!(process.call("sigaltstack", &[0, NOWHERE]), FAULT);
}

#[test]
fn limits_and_sizes() {
    let mut process = process();
    assert_eq!(process.call("prlimit64", &[0, 3, 0, DATA]), 0);
    assert_eq!((process.number(DATA, 8), process.number(DATA + 8, 8)), (STACK, u64::MAX));
    assert_eq!(process.call("prlimit64", &[0, 3, DATA, 0]), 0);
    assert_eq!(process.call("prlimit64", &[0, 3, NOWHERE, 0]), FAULT);
    assert_eq!(process.call("prlimit64", &[0, 16, 0, DATA]), INVAL);
    assert_eq!(process.call("prlimit64", &[1, 3, 0, DATA]), -3);
    assert_eq!(process.call("getrlimit", &[7, DATA]), 0);
    assert_eq!(process.number(DATA, 8), 1024);
    assert_eq!(process.call("sysinfo", &[DATA]), 0);
    assert_eq!(process.number(DATA + 32, 8), SIZE);
    assert_eq!((process.number(DATA + 80, 2), process.number(DATA + 104, 4)), (1, 1));
    let mut small = process_with(4, None, "");
    assert_eq!(small.call("sysinfo", &[DATA]), 0);
    assert_eq!(small.number(DATA + 16, 4), SIZE);
    assert_eq!((small.number(DATA + 40, 2), small.number(DATA + 52, 4)), (1, 1));
}

#[test]
fn random_numbers_are_always_the_same() {
    let random = || {
        let mut process = process();
        assert_eq!(process.call("getrandom", &[DATA, 100, 0]), 100);
        process.bytes(DATA, 100)
    };
    assert_eq!(random(), random());
    assert!(random().iter().any(|byte| *byte != 0));
    let mut process = process();
    assert_eq!(process.call("getrandom", &[DATA + PAGE, 1 << 40, 0]), PAGE as i64);
    assert_eq!(process.call("getrandom", &[NOWHERE, 1, 0]), FAULT);
    assert_eq!(process.call("getrandom", &[NOWHERE, 0, 0]), 0);
}

#[test]
fn counted_time() {
    let mut process = process();
    let mut time = |clock: u64| {
        assert_eq!(process.call("clock_gettime", &[clock, DATA]), 0);
        process.number(DATA, 8) * 1_000_000_000 + process.number(DATA + 8, 8)
    };
    assert_eq!([time(1), time(0), time(4)], [1000, 2000, 3000]);
    assert_eq!(process.call("clock_gettime", &[8, DATA]), INVAL);
    assert_eq!(process.call("clock_gettime", &[0, NOWHERE]), FAULT);
    assert_eq!(process.call("clock_getres", &[0, DATA]), 0);
    assert_eq!(process.number(DATA + 8, 8), 1);
    assert_eq!(process.call("clock_getres", &[0, 0]), 0);
    // A second passes.
    process.put(DATA, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(process.call("nanosleep", &[DATA, 0]), 0);
    assert_eq!(process.call("gettimeofday", &[DATA + 64, 0]), 0);
    assert_eq!(process.number(DATA + 64, 8), 1);
    process.put(DATA, &[9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(process.call("clock_nanosleep", &[1, 1, DATA, 0]), 0);
    assert_eq!(process.call("gettimeofday", &[DATA + 64, DATA + 96]), 0);
    assert_eq!(process.number(DATA + 64, 8), 9);
    process.put(DATA + 8, &[0xff; 8]);
    assert_eq!(process.call("nanosleep", &[DATA, 0]), INVAL);
    assert_eq!(process.call("nanosleep", &[NOWHERE, 0]), FAULT);
    let mut small = process_with(4, None, "");
    assert_eq!(small.call("clock_gettime64", &[1, DATA]), 0);
    assert_eq!(small.number(DATA + 8, 8), 1000);
    assert_eq!(small.call("clock_gettime", &[1, DATA]), 0);
    assert_eq!(small.number(DATA + 4, 4), 2000);
}

#[test]
fn waiting() {
    let mut process = process();
    process.put(DATA, &[5, 0, 0, 0]);
    assert_eq!(process.call("futex", &[DATA, 128, 5, 0]), AGAIN);
    assert_eq!(process.call("futex", &[DATA, 128, 6, 0]), AGAIN);
    assert_eq!(process.call("futex", &[DATA, 9, 5, DATA]), -110);
    assert_eq!(process.call("futex", &[DATA, 129, 1, 0]), 0);
    assert_eq!(process.call("futex", &[DATA, 6, 1, 0]), NOSYS);
    assert_eq!(process.call("futex", &[NOWHERE, 0, 1, 0]), FAULT);
    assert_eq!(process.call("futex", &[NOWHERE, 1, 1, 0]), FAULT);
    assert_eq!(process.call("futex", &[DATA + 1, 0, 1, 0]), INVAL);
}

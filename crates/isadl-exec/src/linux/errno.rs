//! Numbers of errors: `include/uapi/asm-generic/errno-base.h` and `errno.h` of Linux.

/// Why a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Errno(i64);

impl Errno {
    /// The result of the call.
    pub(super) fn result(self) -> i64 {
        -self.0
    }
}

macro_rules! errors {
    ($($name:ident = $number:literal;)*) => {
        impl Errno {
            $(pub(super) const $name: Errno = Errno($number);)*
        }
    };
}

errors! {
    PERM = 1;
    NOENT = 2;
    SRCH = 3;
    IO = 5;
    BADF = 9;
    AGAIN = 11;
    NOMEM = 12;
    ACCES = 13;
    FAULT = 14;
    EXIST = 17;
    NOTDIR = 20;
    ISDIR = 21;
    INVAL = 22;
    MFILE = 24;
    NOTTY = 25;
    SPIPE = 29;
    ROFS = 30;
    PIPE = 32;
    RANGE = 34;
    NAMETOOLONG = 36;
    NOSYS = 38;
    LOOP = 40;
    TIMEDOUT = 110;
}

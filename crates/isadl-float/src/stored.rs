//! Formats in files: their two widths, which are checked when they are read.

use super::format::Format;

impl From<Format> for (u32, u32) {
    fn from(format: Format) -> (u32, u32) {
        (format.exponent(), format.fraction())
    }
}

impl TryFrom<(u32, u32)> for Format {
    type Error = &'static str;

    fn try_from((exponent, fraction): (u32, u32)) -> Result<Format, &'static str> {
        Format::new(exponent, fraction).ok_or("no format has these numbers of bits")
    }
}

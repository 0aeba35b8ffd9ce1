//! Which registers a machine has, as a debugger is told.

use std::fmt::Write;

/// What a debugger has to know about a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// gdb's name of the architecture. Without it, gdb takes the one that its user chose.
    pub architecture: Option<String>,
    /// The registers in groups that gdb knows by name. Their order is that of the numbers.
    pub features: Vec<Feature>,
    /// The number of the register that holds the address of the next instruction.
    pub pc: usize,
    /// Whether debuggers expect of this architecture that a watchpoint stops before the instruction that touches it: they
    /// then step over the instruction before they look at memory. [`Machine`](crate::Machine)s stop after the instruction,
    /// so the server says that they did not, and leaves this step out.
    pub steps_from_watch: bool,
}

/// Registers that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feature {
    /// The name, such as `org.gnu.gdb.` and more.
    pub name: String,
    /// The registers.
    pub registers: Vec<Register>,
}

/// One register.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Register {
    /// The name.
    pub name: String,
    /// The size. gdb wants that of its type, so it is a multiple of 8.
    pub bits: u32,
    /// gdb's type: `int`, `data_ptr`, `code_ptr`, `ieee_double` and others. Without it, it is an integer.
    pub kind: Option<String>,
    /// gdb's group, such as `general` or `float`. Without it, gdb chooses by the type.
    pub group: Option<String>,
}

impl Description {
    /// The sizes of all registers in bytes, by their numbers.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let registers = self.features.iter().flat_map(|feature| &feature.registers);
        registers.map(|register| register.bits.div_ceil(8) as usize).collect()
    }

    /// The target description, as gdb reads it.
    pub(crate) fn xml(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n",
        );
        if let Some(architecture) = &self.architecture {
            push(
                &mut text,
                format_args!("<architecture>{}</architecture>\n", escaped(architecture)),
            );
        }
        let mut number = 0;
        for feature in &self.features {
            push(&mut text, format_args!("<feature name=\"{}\">\n", escaped(&feature.name)));
            for register in &feature.registers {
                let (name, bits) = (escaped(&register.name), register.bits);
                push(
                    &mut text,
                    format_args!("<reg name=\"{name}\" bitsize=\"{bits}\" regnum=\"{number}\""),
                );
                for (attribute, value) in [("type", &register.kind), ("group", &register.group)] {
                    if let Some(value) = value {
                        push(&mut text, format_args!(" {attribute}=\"{}\"", escaped(value)));
                    }
                }
                text.push_str("/>\n");
                number += 1;
            }
            text.push_str("</feature>\n");
        }
        text.push_str("</target>\n");
        text
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a string takes all text");
}

/// A name as it may be in XML; control characters may not be there at all.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => text.push('?'),
            c if c.is_control() => text.push('?'),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let register = Register {
            name: "a<b>\"c\"&'d'\n".into(),
            bits: 12,
            kind: Some("x&y".into()),
            group: None,
        };
        let feature =
            Feature { name: "f\"g".into(), registers: vec![Register::default(), register] };
        let description = Description {
            architecture: Some("<a>".into()),
            features: vec![feature],
            ..Description::default()
        };
        assert_eq!(description.sizes(), [0, 2]);
        let xml = description.xml();
        assert!(xml.contains("<architecture>&lt;a&gt;</architecture>"), "{xml}");
        assert!(xml.contains("<feature name=\"f&quot;g\">"), "{xml}");
        let expected = "<reg name=\"a&lt;b&gt;&quot;c&quot;&amp;&apos;d&apos;?\" bitsize=\"12\" regnum=\"1\" type=\"x&amp;y\"/>";
        assert!(xml.contains(expected), "{xml}");
    }
}

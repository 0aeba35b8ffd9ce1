//! The classes and kinds of differences, with their codes.

use std::fmt;

/// The effect of a difference, from strict to mild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A word means something else, or nothing.
    Encoding,
    /// A word became legal or illegal.
    Legality,
    /// An instruction is written otherwise, or a line means another word.
    Text,
    /// An instruction reads or writes something else.
    Flow,
    /// An instruction does something else.
    Semantics,
    /// Code that uses the generated Rust code has to change.
    Interface,
    /// Prose changed.
    Documentation,
}

impl Class {
    /// All of them, from strict to mild.
    pub const ALL: [Class; 7] = [
        Class::Encoding,
        Class::Legality,
        Class::Text,
        Class::Flow,
        Class::Semantics,
        Class::Interface,
        Class::Documentation,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Encoding => "encoding",
            Class::Legality => "legality",
            Class::Text => "text",
            Class::Flow => "flow",
            Class::Semantics => "semantics",
            Class::Interface => "interface",
            Class::Documentation => "documentation",
        }
    }
}

macro_rules! kinds {
    ($($code:ident $name:ident $class:ident $title:literal;)*) => {
        /// A kind of difference.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = $title] $name,)*
        }

        impl Kind {
            /// All of them, from strict classes to mild ones, and in each in the order of their codes.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// Its code, which never changes its meaning.
            pub fn code(self) -> &'static str {
                match self { $(Kind::$name => stringify!($code),)* }
            }

            /// The effect of the difference.
            pub fn class(self) -> Class {
                match self { $(Kind::$name => Class::$class,)* }
            }

            /// The change, as a phrase after the name of the item.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$name => $title,)* }
            }
        }
    };
}

kinds! {
    D101 OpcodeRemoved Encoding "was removed";
    D102 WordsTaken Encoding "takes words of another opcode";
    D103 Length Encoding "has another length";
    D104 FieldMoved Encoding "is at other bits";
    D105 FieldRemoved Encoding "was removed";
    D106 FieldAdded Encoding "is new in an existing opcode";
    D107 FieldType Encoding "has another type";
    D108 FixedValue Encoding "is fixed at another value";
    D109 NameMoved Encoding "has another value";
    D110 Meaning Encoding "means something else";
    D111 GenerationRemoved Encoding "was removed";
    D112 ByteOrder Encoding "changed";

    D201 OpcodeAdded Legality "is new";
    D202 ValueRemoved Legality "is no longer legal";
    D203 ValueAdded Legality "is now legal";
    D204 RuleAdded Legality "is new";
    D205 RuleRemoved Legality "was removed";
    D206 RuleCondition Legality "has another condition";
    D207 RuleScope Legality "applies to others";
    D208 ReservedBits Legality "must be zero, or no longer have to be";
    D209 Fixing Legality "became fixed, or is no longer fixed";
    D210 Requires Legality "needs other extensions";

    D301 Mnemonic Text "changed";
    D302 Spelling Text "is written otherwise";
    D303 Operands Text "changed";
    D304 Modifiers Text "changed";
    D305 Controls Text "changed";
    D306 Default Text "has another default, so that lines without it mean another word";
    D307 Notation Text "is written otherwise";
    D308 LeftOut Text "is left out in other cases";
    D309 Signs Text "changed";
    D310 Case Text "changed";
    D311 Relocations Text "has other relocations";
    D312 AliasRemoved Text "was removed";
    D313 AliasAdded Text "is new";
    D314 AliasChanged Text "is another text, or one of others";
    D315 AliasOrder Text "are in another order";
    D316 Short Text "is a shorter encoding of others";

    D401 Flow Flow "is accessed otherwise";
    D402 RegisterFile Flow "has other registers";
    D403 RegisterFileAdded Flow "is new";
    D404 RegisterFileRemoved Flow "was removed";
    D405 Register Flow "is another register or constant";
    D406 FlowControl Flow "goes on elsewhere";

    D701 Behaviour Semantics "means something else";

    D501 OpcodeRenamed Interface "has another name";
    D502 OpcodeNumber Interface "has another number";
    D503 FieldRenamed Interface "has another name";
    D504 TypeRenamed Interface "has another name";
    D505 ValueRenamed Interface "has another name";
    D506 TypeRemoved Interface "was removed";
    D507 TypeAdded Interface "is new";
    D508 Membership Interface "belongs to other operations or groups";
    D509 Argument Interface "became an argument of constructors, or is no longer one";
    D510 InstructionSet Interface "has another name or width";
    D511 GenerationAdded Interface "is new";
    D512 Role Interface "has another role";
    D513 NameRemoved Interface "was removed";
    D514 NameAdded Interface "is new";
    D515 AliasRenamed Interface "has another name";

    D601 Prose Documentation "has other text";
    D602 ValueProse Documentation "has another description";
    D603 RuleMessage Documentation "has another message or kind";
}

/// The page on all codes.
pub const CODES: &str = include_str!("codes.md");

impl Kind {
    /// The kind with a code, in letters of either case.
    pub fn find(code: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.code().eq_ignore_ascii_case(code))
    }

    /// The meaning of its code.
    pub fn explanation(self) -> &'static str {
        let heading = format!("### {}\n\n", self.code());
        let section = CODES.split_once(&heading).map_or("", |(_, rest)| rest);
        section.split("\n\n").next().unwrap_or_default().trim_end()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

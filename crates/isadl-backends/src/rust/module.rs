//! The code of an instruction set as a list of modules: the files of a crate, or nested modules inside a module of
//! another crate.

use proc_macro2::TokenStream;
use quote::quote;

use super::layout::file;
use super::plan::Plan;
use super::{HEADER, names};

/// Generated code.
pub(super) struct Code {
    pub(super) modules: Vec<Part>,
    /// The items beside the modules.
    pub(super) items: TokenStream,
}

/// A module of the code.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// `pub`, or nothing.
    pub(super) visibility: TokenStream,
    pub(super) source: Source,
}

/// The contents of a module.
pub(super) enum Source {
    /// Made of tokens.
    Tokens(TokenStream),
    /// Kept as text: written by people, or tables.
    Text(String),
    /// Modules, each with its text, below some items of the module itself.
    Modules {
        /// Attributes and doc comments of the module.
        head: String,
        /// Name and text.
        modules: Vec<(String, String)>,
    },
}

impl Source {
    /// Text for people.
    fn formatted(self) -> String {
        match self {
            Source::Tokens(tokens) => file(tokens),
            other => other.plain(),
        }
    }

    /// Text for a compiler: the same tokens. Modules are within.
    fn plain(self) -> String {
        match self {
            Source::Tokens(tokens) => tokens.to_string(),
            Source::Text(text) => text,
            Source::Modules { head, modules } => {
                let inner = modules
                    .into_iter()
                    .map(|(name, text)| format!("pub mod {name} {{\n{text}}}\n"));
                head + &inner.collect::<String>()
            }
        }
    }

    /// The files of a module in a folder: their paths and texts.
    pub(super) fn files(self, name: &str) -> Vec<(String, String)> {
        let Source::Modules { head, modules } = self else {
            return vec![(format!("{name}.rs"), self.formatted())];
        };
        let declarations: String =
            modules.iter().map(|(inner, _)| format!("pub mod {inner};\n")).collect();
        let inner = modules.into_iter().map(|(inner, text)| (format!("{name}/{inner}.rs"), text));
        let root = (format!("{name}.rs"), format!("{HEADER}{head}{declarations}"));
        std::iter::once(root).chain(inner).collect()
    }
}

impl Code {
    pub(super) fn new(items: TokenStream) -> Code {
        Code { modules: Vec::new(), items }
    }

    pub(super) fn add(&mut self, name: &'static str, tokens: TokenStream) {
        self.push(name, quote!(), Source::Tokens(tokens));
    }

    pub(super) fn add_public(&mut self, name: &'static str, tokens: TokenStream) {
        self.push(name, quote!(pub), Source::Tokens(tokens));
    }

    pub(super) fn add_text(&mut self, name: &'static str, text: String) {
        self.push(name, quote!(), Source::Text(text));
    }

    pub(super) fn add_modules(
        &mut self,
        name: &'static str,
        head: String,
        modules: Vec<(&'static str, String)>,
    ) {
        let modules = modules.into_iter().map(|(name, text)| (name.to_string(), text)).collect();
        self.push(name, quote!(), Source::Modules { head, modules });
    }

    /// A public module.
    #[cfg(feature = "exec")]
    pub(super) fn add_source(&mut self, name: &'static str, source: Source) {
        self.push(name, quote!(pub), source);
    }

    /// Makes a module public that was added before.
    pub(super) fn publish(&mut self, name: &str) {
        for part in self.modules.iter_mut().filter(|part| part.name == name) {
            part.visibility = quote!(pub);
        }
    }

    fn push(&mut self, name: &'static str, visibility: TokenStream, source: Source) {
        self.modules.push(Part { name, visibility, source });
    }
}

/// The name of the module of the engine.
pub(super) const ENGINE: &str = "engine";

/// Lints that can occur in other crates, because they use only a part of the code.
const ALLOWED: &str = "dead_code, unused_imports, unreachable_pub, non_snake_case, bindings_with_variant_name, clippy::all, clippy::pedantic";

/// Lints for code with unreachable parts.
pub(super) const UNREACHABLE_CODE: &str = "unreachable_code, unused_mut, unused_variables";

/// How the module of an instruction set begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleHead {
    /// `pub`, `pub(crate)` and so on, or nothing.
    pub visibility: String,
    /// The name: an identifier.
    pub name: String,
}

impl ModuleHead {
    /// Whether a module can have the name: an identifier that is no keyword.
    pub fn can_name(name: &str) -> bool {
        names::is_identifier(name)
    }
}

/// The code of an instruction set as a single module.
pub struct Module {
    head: ModuleHead,
    has_unreachable_code: bool,
    about: TokenStream,
    code: Code,
    /// Where the engine is, if not within.
    engine: Option<String>,
}

impl Module {
    pub(super) fn new(head: ModuleHead, plan: &Plan<'_>, about: TokenStream, code: Code) -> Module {
        Module {
            head,
            has_unreachable_code: plan.has_unreachable_code(),
            about,
            code,
            engine: None,
        }
    }

    /// Takes the engine out, so that modules of a crate can share it: the code uses the engine at a path. Returns the
    /// contents of that module, which are the same for modules with the same parts and the same word type.
    pub fn take_engine(&mut self, path: &str) -> String {
        self.engine = Some(path.to_string());
        let parts = std::mem::take(&mut self.code.modules);
        let (engine, rest): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| part.name == ENGINE);
        self.code.modules = rest;
        engine.into_iter().map(|part| part.source.plain()).collect()
    }

    /// The module as text for people.
    pub fn formatted(self) -> String {
        format!("{HEADER}#[rustfmt::skip]\n{}", self.written(Source::formatted))
    }

    /// The module as text for a compiler: the same tokens, made faster.
    pub fn plain(self) -> String {
        self.written(Source::plain)
    }

    fn written(self, show: fn(Source) -> String) -> String {
        let Module { head, has_unreachable_code, about, code, engine } = self;
        let ModuleHead { visibility, name } = head;
        let items = code.items;
        let mut root = show(Source::Tokens(quote!(#about #items)));
        if let Some(path) = engine {
            root += &format!("\nuse {path} as {ENGINE};\n");
        }
        let more =
            if has_unreachable_code { format!(", {}", UNREACHABLE_CODE) } else { String::new() };
        let mut text = format!(
            "#[allow({ALLOWED}{more})]\n#[forbid(unsafe_code)]\n{visibility} mod {name} {{\n{root}\n"
        );
        for Part { name, visibility, source } in code.modules {
            text += &format!("{visibility} mod {name} {{\n{}\n}}\n", show(source));
        }
        text + "}\n"
    }
}

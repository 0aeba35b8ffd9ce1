//! `isadl explain`: the meaning of a code, the lints of a group, and the list of all of them.

use isadl::diagnostic::{Code, Severity};
use isadl::levels::LintGroup;
use isadl_codegen::diff::{Class, Kind};

use crate::{Failure, Outcome, report};

pub(crate) fn run(name: Option<&str>) -> Outcome {
    let Some(name) = name else { return report::print(&all()) };
    if let Ok(code) = name.parse::<Code>() {
        return report::print(code.page());
    }
    if let Some(kind) = Kind::find(name) {
        let (class, text) = (kind.class().as_str(), kind.explanation());
        return report::print(&format!(
            "# {kind}: a difference of the class `{class}`\n\n{text}\n"
        ));
    }
    match LintGroup::ALL.iter().find(|group| group.as_str() == name) {
        Some(group) => report::print(&of_group(*group)),
        None => Err(Failure::Usage(format!(
            "`{name}` is neither a code such as E0401 nor a group; `isadl explain` lists them"
        ))),
    }
}

/// All groups with their lints, then the codes that are always errors.
fn all() -> String {
    let mut text = LintGroup::ALL.iter().map(|group| of_group(*group) + "\n").collect::<String>();
    text += "errors, whose level cannot be changed\n";
    let errors = Code::ALL.iter().filter(|code| code.severity() == Severity::Error);
    text += &errors.map(|code| line(*code)).collect::<String>();
    for class in Class::ALL {
        text += &format!("\ndifferences of the class `{}`\n", class.as_str());
        for kind in Kind::ALL.iter().filter(|kind| kind.class() == class) {
            let sentence = kind.explanation().split(['.', ':']).next().unwrap_or_default();
            text += &format!("  {kind}  {}\n", sentence.replace('\n', " "));
        }
    }
    text
}

fn of_group(group: LintGroup) -> String {
    let name = group.as_str();
    let mut text =
        format!("{name} ({} by default): {}\n", group.default_level().as_str(), group.title());
    text += &group.codes().map(line).collect::<String>();
    text
}

fn line(code: Code) -> String {
    format!("  {code}  {}\n", code.title())
}

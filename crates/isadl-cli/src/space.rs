//! `isadl space`: the taken and free parts of the encoding.

use isadl::isa::{Selection, SelectionKind, UnknownSelection};
use isadl::visible::visible;
use isadl_codegen::space;

use crate::args::{Pictured, Space};
use crate::spec::{Needs, Opened};
use crate::{Failure, Outcome, report};

pub(crate) fn run(options: &Space) -> Outcome {
    if options.format == Pictured::Svg && options.find.is_some() {
        return Err(Failure::Usage("`--find` is for text and JSON".to_string()));
    }
    let opened = Opened::new(&options.spec, Needs::Words)?;
    let mut family = opened.family()?;
    if options.spec.extensions.is_some() {
        let extensions = options.spec.extensions.clone();
        let selection = Selection { extensions, ..Selection::default() };
        family = family.select(&selection).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    let mut spaces = space::spaces(&family);
    if options.spec.generation.is_some() {
        // An unknown name is reported.
        let isa = &family.isas()[opened.generation()?];
        let names: Vec<&str> = isa.generation_names(isa.describes()).collect();
        spaces.retain(|space| space.generations.iter().any(|name| names.contains(&name.as_str())));
    }
    let known: Vec<String> = family
        .isas()
        .iter()
        .flat_map(|isa| isa.groups().iter().map(|group| group.name.clone()))
        .collect();
    if let Some(name) = options.groups.iter().find(|name| !known.contains(name)) {
        let kind = SelectionKind::Group;
        let unknown = UnknownSelection { kind, name: name.clone(), known };
        return Err(Failure::Usage(unknown.to_string()));
    }
    spaces.retain(|space| options.groups.is_empty() || options.groups.contains(&space.group));
    let proposals = options.find.map(|bits| space::proposals(&spaces, bits));
    let proposals = proposals.as_deref();
    report::print(&match options.format {
        Pictured::Human => visible(&space::text(&spaces, proposals)).into_owned(),
        Pictured::Json => space::json(&spaces, proposals),
        Pictured::Svg => space::svg(&spaces),
    })
}

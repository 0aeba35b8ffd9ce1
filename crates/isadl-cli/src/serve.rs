//! `isadl serve`: the page for a browser on this machine.

use isadl::source::specification_files;
use isadl_serve::{PortChoice, Service, Set};

use crate::args::Serve;
use crate::spec::MACROS;
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Serve) -> Outcome {
    if options.paths.iter().any(|path| check::is_input(path)) {
        return Err(Failure::Usage("standard input cannot be served".to_string()));
    }
    let mut sets = Vec::new();
    for set in check::sets(&options.paths)? {
        // Unreadable files are reported now, not on the page.
        specification_files(&set.paths)?;
        let macros = set.paths.iter().map(|path| path.join(MACROS)).find(|path| path.is_file());
        sets.push(Set { paths: set.paths, macros });
    }
    let place = options.port.map_or(PortChoice::Any, PortChoice::Port);
    isadl_serve::serve(Service::new(sets), place, |address| {
        let link = format!("http://{address}/");
        // A reader that is gone does not end the server.
        let _ = report::print(&format!("{link}\n"));
        report::note("serving this machine only; end the program to stop\n");
        if options.open
            && let Err(error) = open::that_detached(&link)
        {
            report::complain(&format!("cannot open a browser: {error}"));
        }
    })?;
    Ok(())
}

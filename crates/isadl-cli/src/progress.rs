//! Shows the progress of long work: on terminals, after a second.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isadl::visible::visible_line;

/// How long work takes before it is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval of the animation.
const TICK: Duration = Duration::from_millis(120);

/// Does work that can take long. Nothing may be printed meanwhile. The display is removed afterwards.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let target = ProgressDrawTarget::stderr();
    if target.is_hidden() {
        return work();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(visible_line(what).into_owned());
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let shown = bar.clone();
        scope.spawn(move || {
            // The work ends when the other end of the channel does.
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(target);
                shown.enable_steady_tick(TICK);
                let _ = waiting.recv();
            }
            shown.finish_and_clear();
        });
        let made = work();
        drop(done);
        made
    })
}

/// Paths as they are named while they are worked on.
pub(crate) fn names(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

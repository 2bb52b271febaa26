//! Settings of passes and backends that the environment variables select. Passes and backends receive them as
//! arguments and never read the environment.

use grus_passes::{Debugging, Forced, printable};
use grus_support::environment::{environment, warn_invalid};
use grus_support::fork::Global;
use grus_support::target::BackendChoice;

/// Returns the debugging settings of the passes.
pub(super) fn debugging() -> Debugging {
    Debugging { print_after: print_after(), chunk: environment().test.chunk }
}

/// Completes `forced`: unforced settings take the value that the user selected. The caller sets the number of
/// lanes.
pub(super) fn filled(forced: Forced) -> Forced {
    let environment = environment();
    Forced {
        backend: forced.backend.or(environment.backend),
        overrides: forced.overrides.or(environment.test.overrides),
        debugging: debugging(),
        ..forced
    }
}

/// Returns the backend and its settings, given what is forced; `is_unoptimized` is true for unoptimized code.
pub(super) fn choice(forced: Forced, is_unoptimized: bool) -> BackendChoice {
    let Forced { backend, overrides, .. } = filled(forced);
    BackendChoice {
        overrides,
        prints_clif: environment().print_clif,
        ..BackendChoice::of(backend, is_unoptimized)
    }
}

/// Returns the pass that `GRUS_PRINT_AFTER` names, if it exists.
fn print_after() -> Option<&'static str> {
    static WANTED: Global<Option<&'static str>> = Global::fact();
    *WANTED.get(|| {
        let wanted = environment().print_after.as_deref()?;
        let known = printable().find(|name| *name == wanted);
        if known.is_none() {
            let names = printable().collect::<Vec<_>>().join(", ");
            warn_invalid("GRUS_PRINT_AFTER", &format!("one of {names}"), wanted);
        }
        known
    })
}

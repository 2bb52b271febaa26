//! Settings that the user's environment asks for, as passes and backends are given them: they do not look themselves.

use crate::passes::{Debugging, Forced, printable};
use crate::support::environment::{environment, warn_invalid};
use crate::support::fork::Global;
use crate::support::target::Choice;

/// Returns the settings of passes for those who look inside.
pub(super) fn debugging() -> Debugging {
    Debugging { print_after: print_after(), chunk: environment().test.chunk }
}

/// Returns what is forced, and where that leaves a choice what the user asks for. Lanes are the caller's to choose.
pub(super) fn filled(forced: Forced) -> Forced {
    let environment = environment();
    Forced {
        backend: forced.backend.or(environment.backend),
        overrides: forced.overrides.or(environment.test.overrides),
        debugging: debugging(),
        ..forced
    }
}

/// Returns who makes code for which so much is forced, and how.
pub(super) fn choice(forced: Forced, is_plain: bool) -> Choice {
    let Forced { backend, overrides, .. } = filled(forced);
    Choice { overrides, prints_clif: environment().print_clif, ..Choice::of(backend, is_plain) }
}

/// Returns what `GRUS_PRINT_AFTER` names, if there is such a pass.
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

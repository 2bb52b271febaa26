//! Commands as their queue keeps them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::error::{Error, Result};
use super::event::{Event, Work};
use super::launch::KernelRun;
use super::object::Object;
use super::queue::Queue;

/// What a command does.
pub(super) enum Code {
    /// Nothing: a marker, a barrier.
    Nothing,
    Work(Work),
    /// Not `Work` only because launches are many: this knows its queue from who runs it.
    Launch(Box<KernelRun>),
}

impl From<Option<Work>> for Code {
    fn from(work: Option<Work>) -> Self {
        work.map_or(Code::Nothing, Code::Work)
    }
}

impl Code {
    /// Does it. What it kept alive has been let go when this returns. A panic is a bug of ours: the command fails, the
    /// program lives.
    pub fn run(self, queue: &Object<Queue>) -> Result<()> {
        let run = || match self {
            Code::Nothing => Ok(()),
            Code::Work(work) => work(),
            Code::Launch(launch) => launch.run(queue),
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            eprintln!("grus: internal error while a command ran; please report it");
            Err(Error::OutOfHostMemory)
        })
    }
}

/// A command in the line of an in-order queue.
pub(super) enum Command {
    /// One with an event.
    Told(Arc<Object<Event>>),
    /// One that nobody has an event of. It waits for its turn only, nothing waits for it but who finishes the queue, and
    /// nobody can ask how it ended.
    Silent(Code),
}

impl Command {
    /// Its event, if it has one.
    pub fn event(&self) -> Option<&Arc<Object<Event>>> {
        match self {
            Command::Told(event) => Some(event),
            Command::Silent(_) => None,
        }
    }

    /// Whether it may run when its turn comes.
    pub fn is_ready(&self) -> bool {
        self.event().is_none_or(|event| event.is_ready())
    }
}

//! Commands as their queue keeps them.

use std::sync::Arc;

use super::error::{Error, Result};
use super::event::{CommandTask, Event};
use super::launch::KernelRun;
use super::object::Object;
use super::queue::Queue;
use crate::cl::CL_COMPLETE;
use crate::exec::Runner;
use crate::support::{bug, trace};

/// What a command does.
pub(super) enum CommandBody {
    /// Nothing: a marker, a barrier.
    Nothing,
    /// None once it is done.
    Work(Option<CommandTask>),
    /// Not `CommandTask` only because launches are many: this needs no memory of its own, and gets its queue when it is run.
    Launch(KernelRun),
}

impl From<Option<CommandTask>> for CommandBody {
    fn from(work: Option<CommandTask>) -> Self {
        work.map_or(CommandBody::Nothing, |work| CommandBody::Work(Some(work)))
    }
}

impl CommandBody {
    /// What recordings say of a launch.
    fn recorded(&self) -> Option<trace::TracedLaunch> {
        match self {
            CommandBody::Launch(launch) => launch.recorded(),
            CommandBody::Nothing | CommandBody::Work(_) => None,
        }
    }

    /// Does it. What it kept alive has been let go when this returns. A panic is a bug of ours: the command fails, the
    /// program lives.
    ///
    /// `place` is the command's in its queue. `ended` is called when a kernel has ended, if what it has enqueued goes on.
    pub fn run(
        &mut self,
        queue: &Object<Queue>,
        place: u64,
        runner: &mut Runner,
        ended: &mut dyn FnMut(),
    ) -> Result<()> {
        let running = trace::is_on().then(|| (self.recorded(), trace::run(queue.recorded_number(), place)));
        let run = || match self {
            CommandBody::Nothing => Ok(()),
            CommandBody::Work(work) => {
                // It may be the application's.
                runner.release_caches();
                work.take().map_or(Ok(()), |work| work())
            }
            CommandBody::Launch(launch) => launch.run(queue, runner, ended),
        };
        let result = bug::contained("a command", run).unwrap_or(Err(Error::OutOfHostMemory));
        if let Some((launch, running)) = running {
            running.end(result.as_ref().map_or_else(|error| error.code(), |()| CL_COMPLETE), launch);
        }
        *self = CommandBody::Nothing;
        result
    }
}

/// A command in an in-order queue.
pub(super) enum Command {
    /// One with an event.
    WithEvent(Arc<Object<Event>>),
    /// One that nobody has an event of. It waits for its place in the queue only, nothing waits for it but a finish of the queue, and
    /// nobody can ask how it ended.
    Bare(CommandBody),
}

impl Command {
    /// Its event, if it has one.
    pub fn event(&self) -> Option<&Arc<Object<Event>>> {
        match self {
            Command::WithEvent(event) => Some(event),
            Command::Bare(_) => None,
        }
    }

    /// Whether it may run when its turn comes.
    pub fn is_ready(&self) -> bool {
        self.event().is_none_or(|event| event.is_ready())
    }
}

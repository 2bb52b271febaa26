//! Commands as a queue stores them.

use std::sync::Arc;

use super::error::{Error, Result};
use super::event::{CommandTask, Event};
use super::launch::KernelRun;
use super::object::Object;
use super::queue::Queue;
use crate::cl::CL_COMPLETE;
use grus_exec::Runner;
use grus_support::{bug, trace};

/// Action of a command.
pub(super) enum CommandBody {
    /// No action: a marker or a barrier.
    Nothing,
    /// Action that is called once; none after the call.
    Work(Option<CommandTask>),
    /// Launch of a kernel. It is not a `CommandTask` because launches are frequent: this variant needs no
    /// allocation, and receives its queue when it runs.
    Launch(KernelRun),
}

impl From<Option<CommandTask>> for CommandBody {
    fn from(work: Option<CommandTask>) -> Self {
        work.map_or(CommandBody::Nothing, |work| CommandBody::Work(Some(work)))
    }
}

impl CommandBody {
    /// Returns the description of a launch for recordings.
    fn recorded(&self) -> Option<trace::TracedLaunch> {
        match self {
            CommandBody::Launch(launch) => launch.recorded(),
            CommandBody::Nothing | CommandBody::Work(_) => None,
        }
    }

    /// Runs the command, and releases the objects that it kept alive. A panic is an internal error: the command
    /// fails, and the process continues.
    ///
    /// `number` counts the commands of the queue, from 1. `ended` is called when the kernel itself has ended, if
    /// kernels that it has enqueued still run.
    pub fn run(
        &mut self,
        queue: &Object<Queue>,
        number: u64,
        runner: &mut Runner,
        ended: &mut dyn FnMut(),
    ) -> Result<()> {
        let running = trace::is_on().then(|| (self.recorded(), trace::run(queue.recorded_number(), number)));
        let run = || match self {
            CommandBody::Nothing => Ok(()),
            CommandBody::Work(work) => {
                // The action may be a function of the application.
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

/// Command in an in-order queue.
pub(super) enum Command {
    /// Command with an event.
    WithEvent(Arc<Object<Event>>),
    /// Command without an event. It waits only for its predecessors in the queue, only a finish of the queue waits
    /// for it, and its status cannot be queried.
    Bare(CommandBody),
}

impl Command {
    /// Returns the command's event, if it has one.
    pub fn event(&self) -> Option<&Arc<Object<Event>>> {
        match self {
            Command::WithEvent(event) => Some(event),
            Command::Bare(_) => None,
        }
    }

    /// Checks whether the command may run when it is at the head of the queue.
    pub fn is_ready(&self) -> bool {
        self.event().is_none_or(|event| event.is_ready())
    }
}

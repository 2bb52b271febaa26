//! Events (API s5.11) and profiling (s5.14).

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::Error;
use grus_core::runtime::event::{Event, wait_for_all};

use crate::arg::{Handle, Handles, Memory};
use crate::boundary::entry;
use crate::callback;

entry! {
    /// s5.11
    fn clCreateUserEvent(context: Handle<Context>) -> create Event {
        Ok(Event::user(&context.get()?))
    }
}

entry! {
    /// s5.11
    fn clSetUserEventStatus(event: Handle<Event>, execution_status: cl_int) -> status {
        let event = event.get()?;
        if !event.is_user() {
            return Err(Error::InvalidEvent);
        }
        // The status is neither CL_COMPLETE nor an error.
        if execution_status > CL_COMPLETE {
            return Err(Error::InvalidValue);
        }
        event.set_user_status(execution_status)
    }
}

entry! {
    /// s5.11
    fn clWaitForEvents(num_events: cl_uint, event_list: Handles<Event>) -> status {
        if num_events == 0 || event_list.is_null() {
            return Err(Error::InvalidValue);
        }
        let events: Vec<_> = event_list.get(num_events)?;
        wait_for_all(&events)
    }
}

entry! {
    /// s5.11
    fn clGetEventInfo(event: Handle<Event>, param_name: cl_event_info) -> info |out| {
        let event = event.get()?;
        match param_name {
            CL_EVENT_COMMAND_QUEUE => {
                let queue = event.queue().map_or(std::ptr::null_mut(), |queue| queue.handle());
                out.write::<cl_command_queue>(queue)
            }
            CL_EVENT_CONTEXT => out.write::<cl_context>(event.context().handle()),
            CL_EVENT_COMMAND_TYPE => out.write::<cl_command_type>(event.command_type()),
            CL_EVENT_COMMAND_EXECUTION_STATUS => out.write::<cl_int>(event.poll()),
            CL_EVENT_REFERENCE_COUNT => out.write::<cl_uint>(event.api_refs()),
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// s5.11
    fn clSetEventCallback(
        event: Handle<Event>,
        command_exec_callback_type: cl_int,
        pfn_event_notify: Option<EventNotify>,
        user_data: Memory,
    ) -> status {
        let event = event.get()?;
        let function = pfn_event_notify.ok_or(Error::InvalidValue)?;
        if !(CL_COMPLETE..=CL_SUBMITTED).contains(&command_exec_callback_type) {
            return Err(Error::InvalidValue);
        }
        event.on_status(command_exec_callback_type, callback::event(function, user_data));
        Ok(())
    }
}

entry! {
    /// s5.11
    fn clRetainEvent(event: Handle<Event>) -> status {
        event.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.11
    fn clReleaseEvent(event: Handle<Event>) -> status {
        event.get()?.release()
    }
}

entry! {
    /// s5.14
    fn clGetEventProfilingInfo(event: Handle<Event>, param_name: cl_profiling_info) -> info |out| {
        let event = event.get()?;
        let time = match param_name {
            CL_PROFILING_COMMAND_QUEUED => event.time_of(CL_QUEUED),
            CL_PROFILING_COMMAND_SUBMIT => event.time_of(CL_SUBMITTED),
            CL_PROFILING_COMMAND_START => event.time_of(CL_RUNNING),
            CL_PROFILING_COMMAND_END => event.end_time(),
            CL_PROFILING_COMMAND_COMPLETE => event.time_of(CL_COMPLETE),
            _ => Err(Error::InvalidValue),
        };
        out.write::<cl_ulong>(time?)
    }
}

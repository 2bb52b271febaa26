//! Event wait lists.

use std::sync::Arc;

use grus_core::cl::{cl_event, cl_uint};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::{Event, Events, WaitList};
use grus_core::runtime::object::Object;
use grus_core::runtime::queue::Queue;

use crate::arg::{Handles, Out};

/// Checks the wait list of an enqueue function and returns its events.
pub fn wait_list(queue: &Object<Queue>, count: cl_uint, list: &Handles<Event>) -> Result<WaitList> {
    // `event_wait_list` is NULL and `num_events_in_wait_list` above 0, or vice versa.
    if list.is_null() != (count == 0) {
        return Err(Error::InvalidEventWaitList);
    }
    if count == 0 {
        return Ok(WaitList::new());
    }
    let events: WaitList = list.get(count).map_err(|_| Error::InvalidEventWaitList)?;
    // An event belongs to another context.
    if events.iter().any(|event| !Arc::ptr_eq(event.context(), queue.context())) {
        return Err(Error::InvalidContext);
    }
    Ok(events)
}

/// Checks the last three parameters of an enqueue function and returns their events.
pub fn events(
    queue: &Object<Queue>,
    count: cl_uint,
    list: &Handles<Event>,
    event: &Out<cl_event>,
) -> Result<Events> {
    Ok(Events { waits: wait_list(queue, count, list)?, is_wanted: !event.is_null() })
}

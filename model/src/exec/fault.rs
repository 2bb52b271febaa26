//! Faults of kernels.

use std::sync::Arc;

use crate::support::sync::Mutex;

/// Fault of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub kernel: Option<Arc<str>>,
}

impl Fault {
    pub fn new(message: &str) -> Fault {
        Fault { message: message.into(), kernel: None }
    }

    pub fn bug() -> Fault {
        Fault::new("bug")
    }
}

pub type FirstFault = Mutex<Option<Fault>>;

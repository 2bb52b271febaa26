//! Tests, with a file for each subject.

mod accuracy;
mod buffer;
mod bug;
mod codes_enqueue;
mod codes_objects;
mod collective;
mod confine;
mod context;
mod device;
mod device_address;
mod enqueue;
mod event;
mod fault;
mod fork;
mod handle;
mod host;
mod il;
mod il_build;
mod image_args;
mod image_codes;
mod image_create;
mod image_data;
mod image_fill;
mod image_model;
mod kernel;
mod later;
mod launch;
mod load;
mod map;
mod memory;
mod native;
mod order;
mod overlap;
mod pipe;
mod platform;
mod profile;
mod program;
mod queue;
mod rect;
mod sampler;
mod shortage;
mod stress;
mod subbuffer;
mod subgroup;
mod svm;
mod uniform;
mod unsupported;
mod usm;
mod usm_codes;

use crate::check::Outcome;
use crate::context::Ctx;

/// Test of this program.
pub struct Test {
    /// CTS executable to which the test belongs.
    pub suite: &'static str,
    pub name: &'static str,
    pub run: fn(&Ctx) -> Outcome,
}

/// Lists the tests of a file by suite.
#[macro_export]
macro_rules! tests {
    ($($suite:literal: $($name:ident),+ $(,)?;)+) => {
        pub const TESTS: &[$crate::tests::Test] = &[
            $($($crate::tests::Test { suite: $suite, name: stringify!($name), run: $name },)+)+
        ];
    };
}

/// Returns all tests.
pub fn all() -> impl Iterator<Item = &'static Test> {
    let files = [
        accuracy::TESTS,
        buffer::TESTS,
        bug::TESTS,
        codes_enqueue::TESTS,
        codes_objects::TESTS,
        collective::TESTS,
        confine::TESTS,
        context::TESTS,
        device::TESTS,
        device_address::TESTS,
        enqueue::TESTS,
        event::TESTS,
        fault::TESTS,
        fork::TESTS,
        handle::TESTS,
        host::TESTS,
        il::TESTS,
        il_build::TESTS,
        image_args::TESTS,
        image_codes::TESTS,
        image_create::TESTS,
        image_data::TESTS,
        image_fill::TESTS,
        kernel::TESTS,
        later::TESTS,
        launch::TESTS,
        load::TESTS,
        map::TESTS,
        memory::TESTS,
        native::TESTS,
        order::TESTS,
        overlap::TESTS,
        pipe::TESTS,
        platform::TESTS,
        profile::TESTS,
        program::TESTS,
        queue::TESTS,
        rect::TESTS,
        sampler::TESTS,
        shortage::TESTS,
        stress::TESTS,
        subbuffer::TESTS,
        subgroup::TESTS,
        svm::TESTS,
        uniform::TESTS,
        unsupported::TESTS,
        usm::TESTS,
        usm_codes::TESTS,
    ];
    files.into_iter().flatten()
}

//! Program objects: source or binaries, and for each device what became of them.
//!
//! All devices run the same machine code, so one build serves them all; only a program with variables of its own is
//! built for each device, which has its own copy of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::kernel::Kernel;
use super::object::{Body, Object, Parent};
use crate::cl::*;
use crate::compile::{self, Artifact, BuildError, Source};

/// What diagnostics call the program's text.
const SOURCE_NAME: &str = "program.cl";

/// What cl_program points to.
pub struct Program {
    context: Parent<Context>,
    devices: Vec<Parent<Device>>,
    source: Option<String>,
    /// One for each device, in their order.
    builds: Mutex<Vec<Build>>,
    /// Kernel objects of this program that exist.
    kernels: AtomicUsize,
}

impl Body for Program {
    const INVALID: Error = Error::InvalidProgram;
}

/// What became of a program for one device.
#[derive(Clone)]
pub struct Build {
    /// CL_PROGRAM_BUILD_STATUS.
    pub status: cl_build_status,
    /// CL_PROGRAM_BUILD_OPTIONS.
    pub options: String,
    /// CL_PROGRAM_BUILD_LOG.
    pub log: String,
    /// CL_PROGRAM_BINARY_TYPE.
    pub binary_type: cl_program_binary_type,
    /// What can be run or linked; of a binary, even before it is built.
    pub artifact: Option<Arc<Artifact>>,
    /// The binary the program was created with.
    given: Option<Arc<[u8]>>,
}

impl Build {
    const NONE: Self = Self {
        status: CL_BUILD_NONE,
        options: String::new(),
        log: String::new(),
        binary_type: CL_PROGRAM_BINARY_TYPE_NONE,
        artifact: None,
        given: None,
    };

    /// The binary, empty if there is none.
    pub fn binary(&self) -> Vec<u8> {
        match (&self.given, &self.artifact) {
            (Some(given), _) => given.to_vec(),
            (None, Some(artifact)) => compile::save(artifact),
            (None, None) => Vec::new(),
        }
    }

    /// The artifact, if kernels can be made from it.
    pub fn executable(&self) -> Option<&Arc<Artifact>> {
        let ready = self.status == CL_BUILD_SUCCESS && self.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        self.artifact.as_ref().filter(|_| ready)
    }
}

/// What to make of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Build,
    Compile,
}

impl Program {
    /// A program of source text, for all devices of the context.
    pub fn with_source(context: &Arc<Object<Context>>, source: String) -> Arc<Object<Self>> {
        let devices = context.devices().to_vec();
        let builds = vec![Build::NONE; devices.len()];
        Object::new(Self::new(context, devices, Some(source), builds))
    }

    /// A program of binaries, one for each device; for each, whether it is valid.
    pub fn with_binaries(
        context: &Arc<Object<Context>>,
        devices: &[Arc<Object<Device>>],
        binaries: &[&[u8]],
    ) -> (Result<Arc<Object<Self>>>, Vec<Result<()>>) {
        let loaded: Vec<_> =
            binaries.iter().map(|binary| compile::load(binary).map_err(|_| Error::InvalidBinary)).collect();
        let statuses = loaded.iter().map(|l| l.as_ref().map(|_| ()).map_err(|e| *e)).collect();
        let program = loaded.into_iter().collect::<Result<Vec<_>>>().map(|artifacts| {
            let builds = artifacts.into_iter().zip(binaries).map(|(artifact, &binary)| Build {
                binary_type: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                artifact: Some(artifact),
                given: Some(binary.into()),
                ..Build::NONE
            });
            let devices = devices.iter().map(Parent::new).collect();
            Object::new(Self::new(context, devices, None, builds.collect()))
        });
        (program, statuses)
    }

    fn new(
        context: &Arc<Object<Context>>,
        devices: Vec<Parent<Device>>,
        source: Option<String>,
        builds: Vec<Build>,
    ) -> Self {
        Self {
            context: Parent::new(context),
            devices,
            source,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        }
    }

    /// The context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// The devices in their order.
    pub fn devices(&self) -> &[Parent<Device>] {
        &self.devices
    }

    /// Whether the program was made from source.
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// CL_PROGRAM_SOURCE; empty if there is none.
    pub fn source(&self) -> &str {
        self.source.as_deref().unwrap_or("")
    }

    /// What became of the program for `device`.
    pub fn build_for(&self, device: &Object<Device>) -> Result<Build> {
        let index = self.index_of(device)?;
        let builds = self.builds.lock();
        Ok(builds[self.source_of(&builds, index)].clone())
    }

    /// What became of the program for each device.
    pub fn builds(&self) -> Vec<Build> {
        let builds = self.builds.lock();
        (0..builds.len()).map(|index| builds[self.source_of(&builds, index)].clone()).collect()
    }

    /// Whose build device `index` uses: its own, or, if it was not built for, that of the nearest device it is a part
    /// of.
    fn source_of(&self, builds: &[Build], index: usize) -> usize {
        let mut device = self.devices[index].object();
        let mut index = index;
        while builds[index].status == CL_BUILD_NONE
            && let Some(parent) = device.parent()
        {
            device = parent;
            index = self.devices.iter().position(|d| d.is(parent)).unwrap_or(index);
        }
        index
    }

    /// The first device's executable.
    pub fn any_executable(&self) -> Result<Arc<Artifact>> {
        let builds = self.builds.lock();
        let found = builds.iter().find_map(Build::executable).cloned();
        found.ok_or(Error::InvalidProgramExecutable)
    }

    fn index_of(&self, device: &Object<Device>) -> Result<usize> {
        let found = self.devices.iter().position(|d| d.is(device));
        found.ok_or(Error::InvalidDevice)
    }

    /// A kernel object was made or destroyed.
    pub(super) fn count_kernel(&self, made: bool) {
        if made {
            self.kernels.fetch_add(1, Ordering::AcqRel);
        } else {
            self.kernels.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// clBuildProgram for `devices` (all, if there is no list).
    pub fn build(&self, devices: Option<&[Arc<Object<Device>>]>, options: &str) -> Result<()> {
        self.make(Goal::Build, devices, &[], options)
    }

    /// clCompileProgram: as a build, with the texts of headers, but nothing can be run yet.
    pub fn compile(
        &self,
        devices: Option<&[Arc<Object<Device>>]>,
        headers: &[(String, Arc<Object<Program>>)],
        options: &str,
    ) -> Result<()> {
        // There is no source.
        if self.source.is_none() {
            return Err(Error::InvalidOperation);
        }
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, program)| Source { name: name.clone(), text: program.source().to_owned() })
            .collect();
        self.make(Goal::Compile, devices, &headers, options)
    }

    fn make(
        &self,
        goal: Goal,
        devices: Option<&[Arc<Object<Device>>]>,
        headers: &[Source],
        options: &str,
    ) -> Result<()> {
        let targets: Vec<usize> = match devices {
            Some(list) => list.iter().map(|d| self.index_of(d)).collect::<Result<_>>()?,
            None => (0..self.devices.len()).collect(),
        };
        self.begin(&targets, options)?;
        let mut shared: Option<Build> = None;
        let mut result = Ok(());
        for index in targets {
            // Variables of the program are the device's own; else one artifact does for all.
            let reusable = |build: &Build| {
                build.artifact.as_ref().is_none_or(|artifact| artifact.global_variable_size == 0)
            };
            let build = match shared.take().filter(reusable) {
                Some(build) => build,
                None => {
                    let (build, outcome) = self.make_one(goal, index, headers, options);
                    result = result.and(outcome);
                    build
                }
            };
            self.builds.lock()[index] = build.clone();
            if self.source.is_some() {
                shared = Some(build);
            }
        }
        result
    }

    /// Marks the targets as being built.
    fn begin(&self, targets: &[usize], options: &str) -> Result<()> {
        // Kernel objects are attached to the program.
        if self.kernels.load(Ordering::Acquire) != 0 {
            return Err(Error::InvalidOperation);
        }
        let mut builds = self.builds.lock();
        // A build that began earlier has not ended.
        if targets.iter().any(|&i| builds[i].status == CL_BUILD_IN_PROGRESS) {
            return Err(Error::InvalidOperation);
        }
        for &index in targets {
            builds[index].status = CL_BUILD_IN_PROGRESS;
            options.clone_into(&mut builds[index].options);
        }
        Ok(())
    }

    fn make_one(&self, goal: Goal, index: usize, headers: &[Source], options: &str) -> (Build, Result<()>) {
        let binary_type = match goal {
            Goal::Build => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            Goal::Compile => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        };
        let Some(text) = &self.source else {
            // A binary was checked when the program was created.
            let mut build = self.builds.lock()[index].clone();
            let found = build.artifact.is_some();
            build.status = if found { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
            let outcome = if found { Ok(()) } else { Err(Error::InvalidBinary) };
            return (build, outcome);
        };
        let source = Source { name: SOURCE_NAME.to_owned(), text: text.clone() };
        let built = compile::build(&source, headers, options);
        let outcome = built.result.as_ref().map(|_| ()).map_err(|e| failure(goal, *e));
        let build = Build {
            status: if outcome.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR },
            options: options.to_owned(),
            log: built.log,
            binary_type: if outcome.is_ok() { binary_type } else { CL_PROGRAM_BINARY_TYPE_NONE },
            artifact: built.result.ok(),
            given: None,
        };
        (build, outcome)
    }
}

fn failure(goal: Goal, error: BuildError) -> Error {
    match (goal, error) {
        (Goal::Build, BuildError::Options) => Error::InvalidBuildOptions,
        (Goal::Build, BuildError::Program) => Error::BuildProgramFailure,
        (Goal::Compile, BuildError::Options) => Error::InvalidCompilerOptions,
        (Goal::Compile, BuildError::Program) => Error::CompileProgramFailure,
        (_, BuildError::Binary) => Error::InvalidBinary,
    }
}

impl Object<Program> {
    /// clCreateKernel.
    pub fn create_kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Object<Kernel>>> {
        let artifact = self.any_executable()?;
        let known = artifact.kernels.iter().any(|info| info.name == name);
        if !known {
            return Err(Error::InvalidKernelName);
        }
        Kernel::create(self, name)
    }

    /// clCreateKernelsInProgram: one of each.
    pub fn create_kernels(self: &Arc<Self>) -> Result<Vec<Arc<Object<Kernel>>>> {
        let artifact = self.any_executable()?;
        artifact.kernels.iter().map(|info| Kernel::create(self, &info.name)).collect()
    }
}

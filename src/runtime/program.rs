//! Program objects: source or binaries, and for each device what became of them.
//!
//! All devices run the same machine code, so one build serves them all; only a program with variables of its own is
//! built for each device, which has its own copy of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::capture::{self, Origin};
use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::kernel::Kernel;
use super::object::{Object, ObjectBody, ParentRef};
use crate::cl::*;
use crate::compile::{self, Artifact, BuildError, BuildOutput, Built, KernelInfo, Preprocessed, Source};
use crate::support::sync::Mutex;

/// What diagnostics call the program's text.
const SOURCE_NAME: &str = "program.cl";

/// What cl_program points to.
pub struct Program {
    context: ParentRef<Context>,
    devices: Vec<ParentRef<Device>>,
    source: Option<String>,
    /// Whether clLinkProgram made it.
    is_linked: bool,
    /// What it was made of then, where a launch is to be captured.
    linked_from: Option<Origin>,
    /// One for each device, in their order.
    builds: Mutex<Vec<Build>>,
    /// Kernel objects of this program that exist.
    kernels: AtomicUsize,
}

impl ObjectBody for Program {
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
    /// What can be run or linked; of a binary, even before it is built.
    code: Option<BuildOutput>,
    /// The binary the program was created with.
    given: Option<Arc<[u8]>>,
    /// The options of a build that began with a binary ask for work-groups of one size.
    uniform_groups: bool,
    /// Texts of headers that clCompileProgram was given, if there were any.
    headers: Option<Arc<[Source]>>,
}

impl Build {
    const NONE: Self = Self {
        status: CL_BUILD_NONE,
        options: String::new(),
        log: String::new(),
        code: None,
        given: None,
        uniform_groups: false,
        headers: None,
    };

    /// The binary, empty if there is none.
    pub fn binary(&self) -> Result<Arc<[u8]>> {
        match (&self.given, &self.code) {
            (Some(given), _) => Ok(Arc::clone(given)),
            (None, Some(code)) => compile::try_save(code).map(Arc::from).map_err(|_| Error::OutOfHostMemory),
            (None, None) => Ok(Arc::default()),
        }
    }

    /// CL_PROGRAM_BINARY_TYPE.
    pub fn binary_type(&self) -> cl_program_binary_type {
        match &self.code {
            None => CL_PROGRAM_BINARY_TYPE_NONE,
            Some(BuildOutput::Executable(_)) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            Some(BuildOutput::Object(object)) if object.is_library => CL_PROGRAM_BINARY_TYPE_LIBRARY,
            Some(BuildOutput::Object(_)) => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        }
    }

    /// CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
    pub fn global_variable_size(&self) -> u64 {
        match &self.code {
            Some(BuildOutput::Executable(artifact)) => artifact.global_variable_size,
            _ => 0,
        }
    }

    /// CL_PROGRAM_BUILD_IR_GRUS; empty if the build failed.
    pub fn ir(&self) -> String {
        self.code.as_ref().map(BuildOutput::ir).unwrap_or_default()
    }

    /// The compiled object or library, if it can be linked.
    fn object(&self) -> Option<&Arc<compile::CompiledObject>> {
        match &self.code {
            Some(BuildOutput::Object(object)) if self.status != CL_BUILD_IN_PROGRESS => Some(object),
            _ => None,
        }
    }

    /// What came of building, compiling or linking with these options.
    fn new(built: Built<BuildOutput>, options: &str) -> Self {
        Self {
            status: if built.result.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR },
            options: options.to_owned(),
            log: built.log,
            code: built.result.ok(),
            given: None,
            uniform_groups: false,
            headers: None,
        }
    }

    /// Whether work-groups of a launch must have one size.
    pub(super) fn wants_uniform_groups(&self) -> bool {
        self.uniform_groups || self.executable().is_some_and(|artifact| artifact.wants_uniform_groups())
    }

    /// Texts of headers that clCompileProgram was given.
    pub(super) fn headers(&self) -> &[Source] {
        self.headers.as_deref().unwrap_or_default()
    }

    /// The artifact, if kernels can be made from it. An executable that came as a binary was built already, where the
    /// binary was made; programs may leave out the build that would change nothing.
    pub fn executable(&self) -> Option<&Arc<Artifact>> {
        let is_built = match self.status {
            CL_BUILD_SUCCESS => true,
            CL_BUILD_NONE => self.given.is_some(),
            _ => false,
        };
        match &self.code {
            Some(BuildOutput::Executable(artifact)) if is_built => Some(artifact),
            _ => None,
        }
    }
}

/// What to make of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BuildGoal {
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
        let loaded: Vec<_> = binaries
            .iter()
            .map(|binary| compile::load(binary).map_err(|error| failure(BuildGoal::Build, error)))
            .collect();
        let statuses = loaded.iter().map(|l| l.as_ref().map(|_| ()).map_err(|e| *e)).collect();
        let program = loaded.into_iter().collect::<Result<Vec<_>>>().map(|codes| {
            let builds = codes.into_iter().zip(binaries).map(|(code, &binary)| Build {
                code: Some(code),
                given: Some(binary.into()),
                ..Build::NONE
            });
            let devices = devices.iter().map(ParentRef::new).collect();
            Object::new(Self::new(context, devices, None, builds.collect()))
        });
        (program, statuses)
    }

    fn new(
        context: &Arc<Object<Context>>,
        devices: Vec<ParentRef<Device>>,
        source: Option<String>,
        builds: Vec<Build>,
    ) -> Self {
        Self {
            context: ParentRef::new(context),
            devices,
            source,
            is_linked: false,
            linked_from: None,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        }
    }

    /// The context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// The devices in their order.
    pub fn devices(&self) -> &[ParentRef<Device>] {
        &self.devices
    }

    /// What clLinkProgram made it of, if that may be asked for.
    pub(super) fn linked_from(&self) -> Option<&Origin> {
        self.linked_from.as_ref()
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

    /// The executables there are, each once, in the order of the devices; an error if there is none.
    fn executables(&self) -> Result<Vec<Arc<Artifact>>> {
        let builds = self.builds.lock();
        let mut found: Vec<Arc<Artifact>> = Vec::new();
        for artifact in builds.iter().filter_map(Build::executable) {
            if !found.iter().any(|other| Arc::ptr_eq(other, artifact)) {
                found.push(Arc::clone(artifact));
            }
        }
        if found.is_empty() { Err(Error::InvalidProgramExecutable) } else { Ok(found) }
    }

    /// The names of the kernels that are the same on all devices the program was built for, and so can be made.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let executables = self.executables()?;
        let alone = executables.len() == 1;
        let names = executables.iter().take(1).flat_map(|artifact| &artifact.kernels).map(|k| &k.name);
        Ok(names.filter(|n| alone || check_definition(&executables, n).is_ok()).cloned().collect())
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
        // It is the result of a link.
        if self.is_linked {
            return Err(Error::InvalidOperation);
        }
        self.make(BuildGoal::Build, devices, &[], options)
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
        if headers.iter().any(|(_, header)| !Arc::ptr_eq(header.context(), self.context())) {
            return Err(Error::InvalidContext);
        }
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, program)| Source { name: name.clone(), text: program.source().to_owned() })
            .collect();
        self.make(BuildGoal::Compile, devices, &headers, options)
    }

    fn make(
        &self,
        goal: BuildGoal,
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
            let build = match shared.take().filter(|build| build.global_variable_size() == 0) {
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

    fn make_one(
        &self,
        goal: BuildGoal,
        index: usize,
        headers: &[Source],
        options: &str,
    ) -> (Build, Result<()>) {
        let Some(text) = &self.source else {
            let build = self.builds.lock()[index].clone();
            return build_binary(build, options);
        };
        let source = Source { name: SOURCE_NAME.to_owned(), text: text.clone() };
        let built = match goal {
            BuildGoal::Build => compile::build(&source, headers, options).map(BuildOutput::Executable),
            BuildGoal::Compile => compile::compile(&source, headers, options).map(BuildOutput::Object),
        };
        let outcome = built.result.as_ref().map(|_| ()).map_err(|e| failure(goal, *e));
        let headers = (!headers.is_empty()).then(|| headers.into());
        (Build { headers, ..Build::new(built, options) }, outcome)
    }

    /// The source after preprocessing with the options and headers of a build, and the files that it includes. It is made
    /// anew: nobody asks for it as a rule. None if there is no source, or it was not built.
    pub fn preprocessed(&self, build: &Build) -> Result<Option<Preprocessed>> {
        let Some(text) = self.source.as_ref().filter(|_| build.status != CL_BUILD_NONE) else {
            return Ok(None);
        };
        let source = Source { name: SOURCE_NAME.to_owned(), text: text.clone() };
        match compile::preprocess(&source, build.headers(), &build.options).result {
            Ok(read) => Ok(Some(read)),
            Err(BuildError::Memory) => Err(Error::OutOfHostMemory),
            // The options make no sense.
            Err(_) => Ok(None),
        }
    }

    /// clLinkProgram for `devices` (all of the context, if there is no list): a program, and whether linking succeeded.
    /// The program exists even if not, for the sake of its log.
    pub fn link(
        context: &Arc<Object<Context>>,
        devices: Option<&[Arc<Object<Device>>]>,
        options: &str,
        inputs: &[Arc<Object<Self>>],
    ) -> Result<(Arc<Object<Self>>, Result<()>)> {
        compile::link_makes_library(options).map_err(|_| Error::InvalidLinkerOptions)?;
        if inputs.iter().any(|input| !Arc::ptr_eq(input.context(), context)) {
            return Err(Error::InvalidContext);
        }
        let devices = match devices {
            Some(list) => list.iter().map(ParentRef::new).collect(),
            None => context.devices().to_vec(),
        };
        let parts: Vec<LinkInputs> =
            devices.iter().map(|d| parts_for(d.object(), inputs)).collect::<Result<_>>()?;
        // No program was compiled for any of the devices.
        if parts.iter().all(Vec::is_empty) {
            return Err(Error::InvalidOperation);
        }
        let builds = link_all(&parts, options);
        let failed = builds.iter().any(|build| build.status == CL_BUILD_ERROR);
        let device = devices.first().map(|device| Arc::clone(device.object()));
        let linked_from = device.filter(|_| capture::is_on()).map(|device| Origin::Linked {
            units: inputs.iter().map(|input| Origin::of(input, &device)).collect(),
            options: options.to_owned(),
        });
        let plain = Self::new(context, devices, None, builds);
        let program = Object::new(Self { is_linked: true, linked_from, ..plain });
        Ok((program, if failed { Err(Error::LinkProgramFailure) } else { Ok(()) }))
    }
}

/// What is linked for one device.
type LinkInputs = Vec<Arc<compile::CompiledObject>>;

/// The compiled object or library of every input for `device`, or nothing if none has one.
fn parts_for(device: &Object<Device>, inputs: &[Arc<Object<Program>>]) -> Result<LinkInputs> {
    let part = |input: &Arc<Object<Program>>| input.build_for(device).ok()?.object().cloned();
    let parts: LinkInputs = inputs.iter().filter_map(part).collect();
    // Some of the programs were compiled for the device and some were not.
    if !parts.is_empty() && parts.len() != inputs.len() {
        return Err(Error::InvalidOperation);
    }
    Ok(parts)
}

/// Links for each device; one link serves several with the same parts, unless it has variables.
fn link_all(parts: &[LinkInputs], options: &str) -> Vec<Build> {
    let mut builds: Vec<Build> = Vec::new();
    for (index, objects) in parts.iter().enumerate() {
        let same = |before: &LinkInputs| before.iter().map(Arc::as_ptr).eq(objects.iter().map(Arc::as_ptr));
        let done = parts[..index].iter().position(same).map(|at| &builds[at]);
        let build = match done.filter(|build| build.global_variable_size() == 0) {
            Some(build) => build.clone(),
            None if objects.is_empty() => Build::NONE,
            None => Build::new(compile::link(objects, options), options),
        };
        builds.push(build);
    }
    builds
}

/// clBuildProgram of a binary: an executable is one already (it was checked when the program was created), an object is
/// linked. Of the options, most have had their effect when it was compiled.
fn build_binary(mut build: Build, options: &str) -> (Build, Result<()>) {
    match compile::asks_for_uniform_groups(options) {
        Ok(uniform) => build.uniform_groups = uniform,
        Err(log) => {
            (build.log, build.status) = (log, CL_BUILD_ERROR);
            return (build, Err(Error::InvalidBuildOptions));
        }
    }
    let outcome = match &build.code {
        None => Err(Error::InvalidBinary),
        Some(BuildOutput::Executable(_)) => Ok(()),
        Some(BuildOutput::Object(object)) => {
            let built = compile::link(std::slice::from_ref(object), "");
            build.log = built.log;
            built.result.map_err(|e| failure(BuildGoal::Build, e)).map(|code| {
                (build.code, build.given) = (Some(code), None);
            })
        }
    };
    build.status = if outcome.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
    (build, outcome)
}

/// An error unless there is a kernel of this name, and the same one in each of `executables`. Devices may have been
/// built for with different options.
fn check_definition(executables: &[Arc<Artifact>], name: &str) -> Result<()> {
    let kernel = |artifact: &Arc<Artifact>| artifact.kernels.iter().find(|k| k.name == name).cloned();
    let found: Vec<_> = executables.iter().filter_map(kernel).collect();
    let first = found.first().ok_or(Error::InvalidKernelName)?;
    let agrees = |other: &KernelInfo| {
        let pairs = first.args.iter().zip(&other.args);
        first.args.len() == other.args.len()
            && pairs.into_iter().all(|(a, b)| a.kind == b.kind && a.type_name == b.type_name)
    };
    let everywhere = found.len() == executables.len() && found.iter().all(|other| agrees(other));
    if everywhere { Ok(()) } else { Err(Error::InvalidKernelDefinition) }
}

fn failure(goal: BuildGoal, error: BuildError) -> Error {
    match (goal, error) {
        (BuildGoal::Build, BuildError::Options) => Error::InvalidBuildOptions,
        (BuildGoal::Build, BuildError::Program) => Error::BuildProgramFailure,
        (BuildGoal::Compile, BuildError::Options) => Error::InvalidCompilerOptions,
        (BuildGoal::Compile, BuildError::Program) => Error::CompileProgramFailure,
        (_, BuildError::Binary) => Error::InvalidBinary,
        (_, BuildError::Memory) => Error::OutOfHostMemory,
    }
}

impl Object<Program> {
    /// clCreateKernel.
    pub fn create_kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Object<Kernel>>> {
        check_definition(&self.executables()?, name)?;
        Kernel::create(self, name)
    }

    /// clCreateKernelsInProgram: one of each of these names.
    pub fn create_kernels(self: &Arc<Self>, names: &[String]) -> Result<Vec<Arc<Object<Kernel>>>> {
        names.iter().map(|name| Kernel::create(self, name)).collect()
    }
}

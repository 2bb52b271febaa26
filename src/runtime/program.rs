//! Program objects: source, a module in SPIR-V or binaries, and their builds for each device.
//!
//! All devices run the same machine code, so one build serves them all. Only a program with program-scope variables
//! is built for each device, because each device has its own copy of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::capture::{self, Origin};
use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::kernel::Kernel;
use super::object::{Object, ObjectBody, ParentRef};
use super::program_text::{IlText, ProgramText};
use crate::cl::*;
use crate::compile::{
    self, Artifact, BuildError, BuildOutput, Built, Il, KernelInfo, Preprocessed, Source, SpecValues,
};
use grus_support::sync::Mutex;

/// File name of the program's source in diagnostics.
const SOURCE_NAME: &str = "program.cl";

/// Body of a cl_program.
pub struct Program {
    context: ParentRef<Context>,
    devices: Vec<ParentRef<Device>>,
    text: ProgramText,
    /// True if clLinkProgram created the program.
    is_linked: bool,
    /// Inputs of that link, if a launch is to be captured.
    linked_from: Option<Origin>,
    state: Mutex<State>,
    /// Number of kernel objects of this program.
    kernels: AtomicUsize,
}

impl ObjectBody for Program {
    const INVALID: Error = Error::InvalidProgram;
}

/// State of a program that calls change.
struct State {
    /// Builds of the program, one for each device in the same order.
    builds: Vec<Build>,
    /// Values of specialization constants for the next build.
    spec: SpecValues,
}

/// Build of a program for one device.
#[derive(Clone)]
pub struct Build {
    /// Value of CL_PROGRAM_BUILD_STATUS.
    pub status: cl_build_status,
    /// Value of CL_PROGRAM_BUILD_OPTIONS.
    pub options: String,
    /// Value of CL_PROGRAM_BUILD_LOG.
    pub log: String,
    /// Output that can be run or linked. A binary has one even before it is built.
    code: Option<BuildOutput>,
    /// Binary that the program was created with.
    given: Option<Arc<[u8]>>,
    /// True if the options of a build from a binary require uniform work-groups.
    uniform_groups: bool,
    /// Headers that were passed to clCompileProgram, if there were any.
    headers: Option<Arc<[Source]>>,
    /// Values of specialization constants that the build used, if any were set.
    spec: Option<Arc<SpecValues>>,
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
        spec: None,
    };

    /// Returns the binary; it is empty if there is none.
    pub fn binary(&self) -> Result<Arc<[u8]>> {
        match (&self.given, &self.code) {
            (Some(given), _) => Ok(Arc::clone(given)),
            (None, Some(code)) => compile::try_save(code).map(Arc::from).map_err(|_| Error::OutOfHostMemory),
            (None, None) => Ok(Arc::default()),
        }
    }

    /// Returns CL_PROGRAM_BINARY_TYPE.
    pub fn binary_type(&self) -> cl_program_binary_type {
        match &self.code {
            None => CL_PROGRAM_BINARY_TYPE_NONE,
            Some(BuildOutput::Executable(_)) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            Some(BuildOutput::Object(object)) if object.is_library => CL_PROGRAM_BINARY_TYPE_LIBRARY,
            Some(BuildOutput::Object(_)) => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        }
    }

    /// Returns CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
    pub fn global_variable_size(&self) -> u64 {
        match &self.code {
            Some(BuildOutput::Executable(artifact)) => artifact.global_variable_size,
            _ => 0,
        }
    }

    /// Returns CL_PROGRAM_BUILD_IR_GRUS; empty if the build failed.
    pub fn ir(&self) -> String {
        self.code.as_ref().map(BuildOutput::ir).unwrap_or_default()
    }

    /// Returns the compiled object or library, if it can be linked.
    fn object(&self) -> Option<&Arc<compile::CompiledObject>> {
        match &self.code {
            Some(BuildOutput::Object(object)) if self.status != CL_BUILD_IN_PROGRESS => Some(object),
            _ => None,
        }
    }

    /// Returns the build that results from building, compiling or linking with these options.
    fn new(built: Built<BuildOutput>, options: &str) -> Self {
        Self {
            status: if built.result.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR },
            options: options.to_owned(),
            log: built.log,
            code: built.result.ok(),
            given: None,
            uniform_groups: false,
            headers: None,
            spec: None,
        }
    }

    /// Checks whether all work-groups of a launch must have the same size.
    pub(super) fn wants_uniform_groups(&self) -> bool {
        self.uniform_groups || self.executable().is_some_and(|artifact| artifact.wants_uniform_groups())
    }

    /// Returns the headers that were passed to clCompileProgram.
    pub(super) fn headers(&self) -> &[Source] {
        self.headers.as_deref().unwrap_or_default()
    }

    /// Returns the values of specialization constants that the build used.
    pub(super) fn spec(&self) -> SpecValues {
        self.spec.as_deref().cloned().unwrap_or_default()
    }

    /// Returns the artifact, if kernels can be created from it. An executable binary was built when the binary was
    /// made, so programs may omit clBuildProgram, which would change nothing.
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

/// Goal of processing the source or module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BuildGoal {
    Build,
    Compile,
}

impl Program {
    /// Creates a program from source, for all devices of the context.
    pub fn with_source(context: &Arc<Object<Context>>, source: String) -> Arc<Object<Self>> {
        let devices = context.devices().to_vec();
        let builds = vec![Build::NONE; devices.len()];
        Object::new(Self::new(context, devices, ProgramText::Source(source), builds))
    }

    /// Creates a program from a module in SPIR-V, for all devices of the context.
    pub fn with_il(context: &Arc<Object<Context>>, bytes: &[u8]) -> Result<Arc<Object<Self>>> {
        let text = ProgramText::Il(IlText::read(context, bytes)?);
        let devices = context.devices().to_vec();
        let builds = vec![Build::NONE; devices.len()];
        Ok(Object::new(Self::new(context, devices, text, builds)))
    }

    /// Creates a program from binaries, one for each device. Also returns for each binary whether it is valid.
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
            Object::new(Self::new(context, devices, ProgramText::None, builds.collect()))
        });
        (program, statuses)
    }

    fn new(
        context: &Arc<Object<Context>>,
        devices: Vec<ParentRef<Device>>,
        text: ProgramText,
        builds: Vec<Build>,
    ) -> Self {
        Self {
            context: ParentRef::new(context),
            devices,
            text,
            is_linked: false,
            linked_from: None,
            state: Mutex::new(State { builds, spec: SpecValues::default() }),
            kernels: AtomicUsize::new(0),
        }
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// Returns the devices in their order.
    pub fn devices(&self) -> &[ParentRef<Device>] {
        &self.devices
    }

    /// Returns the inputs of clLinkProgram, if they were recorded for a capture.
    pub(super) fn linked_from(&self) -> Option<&Origin> {
        self.linked_from.as_ref()
    }

    /// Checks whether the program was created from source.
    pub fn has_source(&self) -> bool {
        matches!(self.text, ProgramText::Source(_))
    }

    /// Returns CL_PROGRAM_SOURCE; empty if there is none.
    pub fn source(&self) -> &str {
        match &self.text {
            ProgramText::Source(source) => source,
            ProgramText::Il(_) | ProgramText::None => "",
        }
    }

    /// Returns CL_PROGRAM_IL; none if the program was not created from a module.
    pub fn il(&self) -> Result<Option<Vec<u8>>> {
        self.il_text().map(IlText::bytes).transpose()
    }

    fn il_text(&self) -> Option<&IlText> {
        match &self.text {
            ProgramText::Il(il) => Some(il),
            ProgramText::Source(_) | ProgramText::None => None,
        }
    }

    /// Returns the size in bytes of a specialization constant.
    pub fn size_of_constant(&self, spec_id: cl_uint) -> Result<usize> {
        self.il_text().ok_or(Error::InvalidProgram)?.size_of_constant(spec_id)
    }

    /// Sets the value of a specialization constant for the builds that begin from now on.
    pub fn set_constant(&self, spec_id: cl_uint, value: u64) {
        self.state.lock().spec.set(spec_id, value);
    }

    /// Returns the build for `device`.
    pub fn build_for(&self, device: &Object<Device>) -> Result<Build> {
        let index = self.index_of(device)?;
        let builds = &self.state.lock().builds;
        Ok(builds[self.source_of(builds, index)].clone())
    }

    /// Returns the builds for all devices.
    pub fn builds(&self) -> Vec<Build> {
        let builds = &self.state.lock().builds;
        (0..builds.len()).map(|index| builds[self.source_of(builds, index)].clone()).collect()
    }

    /// Returns the index of the build that device `index` uses: its own or, if there was none, that of its nearest
    /// ancestor with a build.
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

    /// Returns the distinct executables in the order of the devices. Fails if there are none.
    fn executables(&self) -> Result<Vec<Arc<Artifact>>> {
        let builds = &self.state.lock().builds;
        let mut found: Vec<Arc<Artifact>> = Vec::new();
        for artifact in builds.iter().filter_map(Build::executable) {
            if !found.iter().any(|other| Arc::ptr_eq(other, artifact)) {
                found.push(Arc::clone(artifact));
            }
        }
        if found.is_empty() { Err(Error::InvalidProgramExecutable) } else { Ok(found) }
    }

    /// Returns the names of the kernels that can be created: those that are the same on all devices with a build.
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

    /// Counts a kernel object that was created or destroyed.
    pub(super) fn count_kernel(&self, made: bool) {
        if made {
            self.kernels.fetch_add(1, Ordering::AcqRel);
        } else {
            self.kernels.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Implements clBuildProgram for `devices` (all of them if there is no list).
    pub fn build(&self, devices: Option<&[Arc<Object<Device>>]>, options: &str) -> Result<()> {
        // The program is the result of a link.
        if self.is_linked {
            return Err(Error::InvalidOperation);
        }
        self.make(BuildGoal::Build, devices, &[], options)
    }

    /// Implements clCompileProgram, which also takes headers, and whose result cannot be run yet.
    pub fn compile(
        &self,
        devices: Option<&[Arc<Object<Device>>]>,
        headers: &[(String, Arc<Object<Program>>)],
        options: &str,
    ) -> Result<()> {
        // There is neither source nor a module.
        if matches!(self.text, ProgramText::None) {
            return Err(Error::InvalidOperation);
        }
        // Modules include nothing, so that their headers are ignored.
        let headers = if matches!(self.text, ProgramText::Il(_)) { &[] } else { headers };
        // A header is no source.
        if headers.iter().any(|(_, header)| header.il_text().is_some()) {
            return Err(Error::InvalidProgram);
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
        let spec = Arc::new(self.begin(&targets, options)?);
        let mut shared: Option<Build> = None;
        let mut result = Ok(());
        for index in targets {
            // Variables of the program belong to one device; without any, one artifact serves all devices.
            let build = match shared.take().filter(|build| build.global_variable_size() == 0) {
                Some(build) => build,
                None => {
                    let (build, outcome) = self.make_one(goal, index, headers, &spec, options);
                    result = result.and(outcome);
                    build
                }
            };
            self.state.lock().builds[index] = build.clone();
            if !matches!(self.text, ProgramText::None) {
                shared = Some(build);
            }
        }
        result
    }

    /// Marks the builds of the targets as in progress. Returns the values of specialization constants for them.
    fn begin(&self, targets: &[usize], options: &str) -> Result<SpecValues> {
        // Kernel objects are attached to the program.
        if self.kernels.load(Ordering::Acquire) != 0 {
            return Err(Error::InvalidOperation);
        }
        let State { builds, spec } = &mut *self.state.lock();
        // An earlier build has not ended.
        if targets.iter().any(|&i| builds[i].status == CL_BUILD_IN_PROGRESS) {
            return Err(Error::InvalidOperation);
        }
        for &index in targets {
            builds[index].status = CL_BUILD_IN_PROGRESS;
            options.clone_into(&mut builds[index].options);
        }
        Ok(spec.clone())
    }

    fn make_one(
        &self,
        goal: BuildGoal,
        index: usize,
        headers: &[Source],
        spec: &Arc<SpecValues>,
        options: &str,
    ) -> (Build, Result<()>) {
        let built = match &self.text {
            ProgramText::Source(text) => from_source(goal, text, headers, options),
            ProgramText::Il(text) => {
                let il = Il { module: Arc::clone(&text.module), spec: (**spec).clone() };
                from_il(goal, &il, options)
            }
            ProgramText::None => {
                let build = self.state.lock().builds[index].clone();
                return build_binary(build, options);
            }
        };
        let outcome = built.result.as_ref().map(|_| ()).map_err(|e| failure(goal, *e));
        let headers = (!headers.is_empty()).then(|| headers.into());
        let spec = (!spec.is_empty()).then(|| Arc::clone(spec));
        (Build { headers, spec, ..Build::new(built, options) }, outcome)
    }

    /// Preprocesses the source with the options and headers of a build. Returns the text and the names of the
    /// included files; none if there is no source or no build. The result is not stored, because it is rarely
    /// requested.
    pub fn preprocessed(&self, build: &Build) -> Result<Option<Preprocessed>> {
        let ProgramText::Source(text) = &self.text else { return Ok(None) };
        if build.status == CL_BUILD_NONE {
            return Ok(None);
        }
        match compile::preprocess(&source_of_program(text), build.headers(), &build.options).result {
            Ok(read) => Ok(Some(read)),
            Err(BuildError::Memory) => Err(Error::OutOfHostMemory),
            // The options are invalid.
            Err(_) => Ok(None),
        }
    }

    /// Implements clLinkProgram for `devices` (all of the context if there is no list). Returns the program and
    /// whether linking succeeded. The program is created even if linking failed, because of its log.
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
        let plain = Self::new(context, devices, ProgramText::None, builds);
        let program = Object::new(Self { is_linked: true, linked_from, ..plain });
        Ok((program, if failed { Err(Error::LinkProgramFailure) } else { Ok(()) }))
    }
}

fn source_of_program(text: &str) -> Source {
    Source { name: SOURCE_NAME.to_owned(), text: text.to_owned() }
}

fn from_source(goal: BuildGoal, text: &str, headers: &[Source], options: &str) -> Built<BuildOutput> {
    let source = source_of_program(text);
    match goal {
        BuildGoal::Build => compile::build(&source, headers, options).map(BuildOutput::Executable),
        BuildGoal::Compile => compile::compile(&source, headers, options).map(BuildOutput::Object),
    }
}

fn from_il(goal: BuildGoal, il: &Il, options: &str) -> Built<BuildOutput> {
    match goal {
        BuildGoal::Build => compile::build_il(il, options).map(BuildOutput::Executable),
        BuildGoal::Compile => compile::compile_il(il, options).map(BuildOutput::Object),
    }
}

/// Objects and libraries that are linked for one device.
type LinkInputs = Vec<Arc<compile::CompiledObject>>;

/// Returns the compiled object or library of every input for `device`; empty if no input has one.
fn parts_for(device: &Object<Device>, inputs: &[Arc<Object<Program>>]) -> Result<LinkInputs> {
    let part = |input: &Arc<Object<Program>>| input.build_for(device).ok()?.object().cloned();
    let parts: LinkInputs = inputs.iter().filter_map(part).collect();
    // Some of the programs were compiled for the device and some were not.
    if !parts.is_empty() && parts.len() != inputs.len() {
        return Err(Error::InvalidOperation);
    }
    Ok(parts)
}

/// Links for each device. Devices with the same inputs share the result, unless it has variables.
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

/// Builds a binary for clBuildProgram: an executable is complete (it was checked when the program was created), and
/// an object is linked. Most options took effect when the binary was compiled.
fn build_binary(mut build: Build, options: &str) -> (Build, Result<()>) {
    match compile::asks_for_uniform_groups(options) {
        Ok(uniform) => build.uniform_groups = uniform,
        Err(error) => {
            (build.log, build.status) = (format!("error: {error}\n"), CL_BUILD_ERROR);
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

/// Checks that a kernel of this name exists and is the same in all of `executables`, which may have been built with
/// different options.
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
    /// Implements clCreateKernel.
    pub fn create_kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Object<Kernel>>> {
        check_definition(&self.executables()?, name)?;
        Kernel::create(self, name)
    }

    /// Implements clCreateKernelsInProgram: creates one kernel for each of these names.
    pub fn create_kernels(self: &Arc<Self>, names: &[String]) -> Result<Vec<Arc<Object<Kernel>>>> {
        names.iter().map(|name| Kernel::create(self, name)).collect()
    }
}

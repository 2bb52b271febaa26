//! Execution of a plan on a device: creates the objects, compares the results, then times sequences.

use std::time::{Duration, Instant};

use cl_sys as cl;

use crate::client::{Arg, Buffer, Code, Device, Image, Kernel, Program, Result, Sampler, Session};
use crate::suite::plan::{Memory, Plan, Timed, Value};

/// Reason why a workload has no time.
pub enum RunError {
    Wrong(String),
    Failed(String),
}

impl From<String> for RunError {
    fn from(message: String) -> RunError {
        RunError::Failed(message)
    }
}

enum MemoryObject {
    Buffer(Buffer),
    Image(Image),
}

/// Program of a plan, and its kernels by name.
struct Built<'p> {
    /// Module that takes the place of the plan's source.
    module: Option<&'p [u8]>,
    /// Kept for as long as the kernels are.
    _program: Program,
    kernels: Vec<(&'static str, Kernel)>,
}

/// Plan whose objects have been created.
pub struct PreparedPlan<'p> {
    plan: &'p Plan,
    session: Session,
    /// Programs of the plan's source and of the modules that were added.
    programs: Vec<Built<'p>>,
    /// Index of the program that sequences use.
    chosen: usize,
    objects: Vec<MemoryObject>,
    sampler: Option<Sampler>,
}

/// Returns a number that differs in every build of every run.
fn fresh() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64)
}

/// Returns the options that the plan's source, or a module that was compiled from it, is built with. Those of a
/// source hold a macro of their own if `is_fresh`, so that no cache knows the build.
pub fn build_options(plan: &Plan, is_module: bool, is_fresh: bool) -> String {
    // The other options were the compiler's.
    let concerns_modules = |option: &&str| option.starts_with("-cl-") && !option.starts_with("-cl-std");
    if is_module {
        plan.options.split_whitespace().filter(concerns_modules).collect::<Vec<_>>().join(" ")
    } else if is_fresh {
        format!("{} -D FRESH={}ul", plan.options, fresh())
    } else {
        plan.options.to_owned()
    }
}

impl<'p> Built<'p> {
    fn new(session: &Session, plan: &Plan, module: Option<&'p [u8]>) -> Result<Built<'p>> {
        let code = module.map_or(Code::Source(plan.source.as_bytes()), Code::Module);
        let options = build_options(plan, module.is_some(), plan.timed == Timed::Build);
        let program = session.complete(session.create(code)?, &options)?;
        let kernels = kernels_of(&program, plan)?;
        Ok(Built { module, _program: program, kernels })
    }
}

fn kernels_of(program: &Program, plan: &Plan) -> Result<Vec<(&'static str, Kernel)>> {
    let mut names: Vec<&'static str> = plan.launches.iter().map(|launch| launch.kernel).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Ok((name, program.kernel(name)?))).collect()
}

impl<'p> PreparedPlan<'p> {
    /// Builds the program and creates the memory.
    pub fn new(device: Device, plan: &'p Plan) -> Result<PreparedPlan<'p>> {
        let session = Session::new(device)?;
        let programs = vec![Built::new(&session, plan, None)?];
        let mut objects = Vec::new();
        for memory in &plan.memory {
            objects.push(match memory {
                Memory::Buffer(bytes) => MemoryObject::Buffer(session.buffer(bytes.len())?),
                Memory::Image { width, height, .. } => {
                    MemoryObject::Image(session.image(cl::CL_UNORM_INT8, [*width, *height, 1])?)
                }
            });
        }
        let sampled = plan.launches.iter().any(|l| l.args.iter().any(|a| matches!(a, Value::Sampler)));
        let sampler = if sampled {
            Some(session.sampler(false, cl::CL_ADDRESS_CLAMP_TO_EDGE, cl::CL_FILTER_LINEAR)?)
        } else {
            None
        };
        Ok(PreparedPlan { plan, session, programs, chosen: 0, objects, sampler })
    }

    /// Builds a module that was compiled from the plan's source, and returns its number for [`PreparedPlan::choose`].
    pub fn add(&mut self, module: &'p [u8]) -> Result<usize> {
        self.programs.push(Built::new(&self.session, self.plan, Some(module))?);
        Ok(self.programs.len() - 1)
    }

    /// Chooses the program of the sequences that follow: 0 is that of the source. The memory stays.
    pub fn choose(&mut self, number: usize) {
        self.chosen = number;
    }

    fn write(&self, number: usize) -> Result<()> {
        match (&self.objects[number], &self.plan.memory[number]) {
            (MemoryObject::Buffer(buffer), Memory::Buffer(bytes)) => self.session.write(buffer, bytes),
            (MemoryObject::Image(image), Memory::Image { texels, .. }) => {
                self.session.write_image(image, texels)
            }
            _ => Err("memory is not what it was made as".into()),
        }
    }

    /// Writes all memory, runs the sequence once and compares the results.
    pub fn check(&mut self) -> std::result::Result<(), RunError> {
        (0..self.objects.len()).try_for_each(|number| self.write(number))?;
        self.sequence()?;
        for (number, expected) in &self.plan.expectations {
            let MemoryObject::Buffer(buffer) = &self.objects[*number] else { continue };
            let mut got = vec![0u8; buffer.size];
            self.session.read(buffer, &mut got)?;
            expected.check(&got).map_err(RunError::Wrong)?;
        }
        Ok(())
    }

    /// Measures the time of one sequence.
    pub fn time(&mut self) -> Result<Duration> {
        self.plan.restored.iter().try_for_each(|&number| self.write(number))?;
        self.session.finish()?;
        let start = Instant::now();
        self.sequence()?;
        Ok(start.elapsed())
    }

    fn sequence(&mut self) -> Result<()> {
        if self.plan.timed == Timed::Build {
            let module = self.programs[self.chosen].module;
            self.programs[self.chosen] = Built::new(&self.session, self.plan, module)?;
        }
        for launch in &self.plan.launches {
            let kernel = self.programs[self.chosen].kernels.iter().find(|(name, _)| *name == launch.kernel);
            let (_, kernel) = kernel.ok_or("no such kernel")?;
            let args = launch.args.iter().map(|arg| self.arg(*arg)).collect::<Result<Vec<_>>>()?;
            kernel.set(&args)?;
            for _ in 0..launch.times {
                self.session.enqueue(kernel, &launch.global, launch.local.as_deref())?;
                if launch.finish {
                    self.session.finish()?;
                }
            }
        }
        self.session.finish()
    }

    fn arg(&self, value: Value) -> Result<Arg<'_>> {
        Ok(match value {
            Value::Memory(number) => match &self.objects[number] {
                MemoryObject::Buffer(buffer) => Arg::Buffer(buffer),
                MemoryObject::Image(image) => Arg::Image(image),
            },
            Value::Sampler => Arg::Sampler(self.sampler.as_ref().ok_or("no sampler")?),
            Value::Int(value) => Arg::Int(value),
            Value::Float(value) => Arg::Float(value),
            Value::Local(size) => Arg::Local(size),
        })
    }
}

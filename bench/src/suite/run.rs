//! Execution of a plan on a device: creates the objects, compares the results, then times sequences.

use std::time::{Duration, Instant};

use cl_sys as cl;

use crate::client::{Arg, Buffer, Device, Image, Kernel, Program, Result, Sampler, Session};
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

/// Plan whose objects have been created.
pub struct PreparedPlan<'p> {
    plan: &'p Plan,
    session: Session,
    program: Program,
    kernels: Vec<(&'static str, Kernel)>,
    objects: Vec<MemoryObject>,
    sampler: Option<Sampler>,
}

/// Returns a number that differs in every build of every run.
fn fresh() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64)
}

/// Builds the program with the plan's options, and with a macro of its own if the build is timed.
fn build(session: &Session, plan: &Plan) -> Result<Program> {
    let options = match plan.timed {
        Timed::Launches => plan.options.to_owned(),
        Timed::Build => format!("{} -D FRESH={}ul", plan.options, fresh()),
    };
    session.build(&*plan.source, &options)
}

fn kernels_of(program: &Program, plan: &Plan) -> Result<Vec<(&'static str, Kernel)>> {
    let mut names: Vec<&'static str> = plan.launches.iter().map(|launch| launch.kernel).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Ok((name, program.kernel(name)?))).collect()
}

impl PreparedPlan<'_> {
    /// Builds the program and creates the memory.
    pub fn new(device: Device, plan: &Plan) -> Result<PreparedPlan<'_>> {
        let session = Session::new(device)?;
        let program = build(&session, plan)?;
        let kernels = kernels_of(&program, plan)?;
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
        Ok(PreparedPlan { plan, session, program, kernels, objects, sampler })
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
            self.program = build(&self.session, self.plan)?;
            self.kernels = kernels_of(&self.program, self.plan)?;
        }
        for launch in &self.plan.launches {
            let kernel = self.kernels.iter().find(|(name, _)| *name == launch.kernel);
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

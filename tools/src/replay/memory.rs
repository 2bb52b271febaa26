//! Objects of a captured launch on a device.
//!
//! Shared virtual memory is allocated at other addresses than those captured. Words that are captured addresses
//! within such allocations are translated to the new addresses wherever they occur, and back when results are read,
//! so that lists and trees stay intact. A number is unlikely to look like such an address by chance, since
//! addresses have 47 bits; if the launch had no shared virtual memory, nothing is translated.

use super::pipes;
use crate::capture::file::Capture;
use crate::capture::manifest::{self, ArgumentValue, Manifest, Object};
use crate::cl::*;
use crate::problem::{Problem, Result, input};

/// Object on a device.
enum ReplayedObject<'s> {
    Buffer(Buffer<'s>),
    Image(Image<'s>, usize),
    /// Pipe, created anew for each run, since only kernels can empty a pipe.
    Pipe(Option<Buffer<'s>>),
    Shared(Shared<'s>),
    /// Program-scope variable, which belongs to the program.
    Variable,
}

/// All objects, in the order of the manifest.
pub struct Memory<'s, 'c> {
    session: &'s Session,
    capture: &'c Capture,
    objects: Vec<ReplayedObject<'s>>,
    samplers: Vec<Option<Sampler<'s>>>,
    queues: Vec<Option<DeviceQueue<'s>>>,
    _default_queue: Option<DeviceQueue<'s>>,
    addresses: AddressMap,
}

impl<'s, 'c> Memory<'s, 'c> {
    /// Creates the objects without contents.
    ///
    /// # Errors
    /// If the device does not support an object, or an object was not captured.
    pub fn new(session: &'s Session, capture: &'c Capture) -> Result<Memory<'s, 'c>> {
        let manifest = &capture.manifest;
        let mut objects: Vec<ReplayedObject<'s>> = Vec::new();
        for (index, object) in manifest.objects.iter().enumerate() {
            let object = create_object(session, object, &objects)
                .map_err(|problem| problem.of(manifest.name(manifest.root(index))))?;
            objects.push(object);
        }
        let (mut samplers, mut queues) = (Vec::new(), Vec::new());
        for argument in &manifest.arguments {
            let (mut sampler, mut queue) = (None, None);
            match argument.value {
                ArgumentValue::Sampler { normalized, addressing, filter } => {
                    sampler = Some(session.sampler(normalized, addressing, filter)?);
                }
                ArgumentValue::Queue { size } => queue = Some(session.device_queue(size, false)?),
                _ => {}
            }
            samplers.push(sampler);
            queues.push(queue);
        }
        let default = manifest.default_queue.map(|size| session.device_queue(size, true)).transpose()?;
        let addresses = AddressMap::of(manifest, &objects);
        Ok(Memory { session, capture, objects, samplers, queues, _default_queue: default, addresses })
    }

    /// Gives all objects their contents before the launch.
    ///
    /// # Errors
    /// If a command fails.
    pub fn restore(&mut self) -> Result<()> {
        for (&index, bytes) in &self.capture.before {
            let translated = self.addresses.to_replayed(bytes);
            let bytes = translated.as_deref().unwrap_or(bytes);
            match &mut self.objects[index] {
                ReplayedObject::Buffer(buffer) => buffer.write(bytes)?,
                ReplayedObject::Image(image, texel) => image.write(bytes, *texel)?,
                ReplayedObject::Shared(shared) => shared.write(bytes)?,
                ReplayedObject::Pipe(pipe) => {
                    if let Object::Pipe { packet_size, max_packets } = self.capture.manifest.objects[index] {
                        let new = self.session.pipe(packet_size, max_packets)?;
                        pipes::fill(self.session, &new, packet_size, bytes)?;
                        *pipe = Some(new);
                    }
                }
                ReplayedObject::Variable => {}
            }
        }
        Ok(())
    }

    /// Returns the contents of an object, with addresses translated to those captured.
    ///
    /// # Errors
    /// If a command fails.
    pub fn read(&self, index: usize) -> Result<Option<Vec<u8>>> {
        let mut bytes = match &self.objects[index] {
            ReplayedObject::Buffer(buffer) => buffer.read()?,
            ReplayedObject::Image(image, texel) => image.read(*texel)?,
            ReplayedObject::Shared(shared) => shared.read()?,
            ReplayedObject::Pipe(Some(pipe)) => match self.capture.manifest.objects[index] {
                Object::Pipe { packet_size, max_packets } => {
                    pipes::drain(self.session, pipe, packet_size, max_packets)?
                }
                _ => return Ok(None),
            },
            ReplayedObject::Pipe(None) | ReplayedObject::Variable => return Ok(None),
        };
        self.addresses.to_captured(&mut bytes);
        Ok(Some(bytes))
    }

    /// Sets the arguments of a kernel.
    ///
    /// # Errors
    /// If the kernel does not accept an argument; the text names it.
    pub fn set(&self, kernel: &Kernel<'_>) -> Result<()> {
        for (index, argument) in self.capture.manifest.arguments.iter().enumerate() {
            self.set_argument(kernel, index, &argument.value)
                .map_err(|problem| problem.of(format!("argument {index}, {}", argument.name)))?;
        }
        let shared = self.objects.iter().filter_map(|objects| match objects {
            ReplayedObject::Shared(shared) => Some(shared),
            _ => None,
        });
        kernel.uses_shared(shared)
    }

    fn set_argument(&self, kernel: &Kernel<'_>, index: usize, value: &ArgumentValue) -> Result<()> {
        match value {
            ArgumentValue::Object { object } => match &self.objects[*object] {
                ReplayedObject::Buffer(buffer) | ReplayedObject::Pipe(Some(buffer)) => {
                    kernel.set_buffer(index, buffer)
                }
                ReplayedObject::Image(image, _) => kernel.set_image(index, image),
                ReplayedObject::Pipe(None) | ReplayedObject::Shared(_) | ReplayedObject::Variable => Ok(()),
            },
            ArgumentValue::Shared { object, offset } => match &self.objects[*object] {
                ReplayedObject::Shared(shared) => kernel.set_shared(index, shared, *offset),
                _ => Ok(()),
            },
            ArgumentValue::Value { bytes } => {
                let translated = self.addresses.to_replayed(bytes);
                kernel.set_bytes(index, translated.as_deref().unwrap_or(bytes))
            }
            ArgumentValue::Null => kernel.set_null(index),
            ArgumentValue::Pointer { address } => input(format!(
                "it points to memory of the program at {address:#x}, which is neither a buffer nor allocated by OpenCL: how much there \
                 is of it nobody knows, so it was not captured"
            )),
            ArgumentValue::Sampler { .. } => {
                self.samplers[index].as_ref().map_or(Ok(()), |sampler| kernel.set_sampler(index, sampler))
            }
            ArgumentValue::Local { size } => kernel.set_local(index, *size),
            ArgumentValue::Queue { .. } => {
                self.queues[index].as_ref().map_or(Ok(()), |queue| kernel.set_queue(index, queue))
            }
        }
    }
}

fn create_object<'s>(
    session: &'s Session,
    object: &Object,
    objects: &[ReplayedObject<'s>],
) -> Result<ReplayedObject<'s>> {
    Ok(match object {
        Object::Buffer { size } => ReplayedObject::Buffer(session.buffer(*size)?),
        Object::Part { of, offset, size } => match &objects[*of] {
            ReplayedObject::Buffer(buffer) => ReplayedObject::Buffer(session.part(buffer, *offset, *size)?),
            _ => return Err(Problem::Failed("it is a part of what has none".into())),
        },
        Object::Image(image) => ReplayedObject::Image(image_of(session, image, objects)?, image.texel),
        Object::Pipe { .. } => ReplayedObject::Pipe(None),
        Object::Shared { size, .. } => ReplayedObject::Shared(session.shared(*size)?),
        Object::Variable { .. } => ReplayedObject::Variable,
    })
}

/// Access flags of an image, on which the formats depend that a device supports.
const ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;

fn image_of<'s>(
    session: &'s Session,
    image: &manifest::Image,
    objects: &[ReplayedObject<'s>],
) -> Result<Image<'s>> {
    let buffer = match image.of.map(|of| &objects[of]) {
        Some(ReplayedObject::Buffer(buffer)) => buffer.handle(),
        Some(ReplayedObject::Image(image, _)) => image.handle(),
        _ => std::ptr::null_mut(),
    };
    let desc = ImageDesc {
        image_type: image.image_type,
        width: image.width,
        height: image.height,
        depth: image.depth,
        array_size: image.array_size,
        row_pitch: image.row_pitch,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer,
    };
    let format = ImageFormat { order: image.order, data_type: image.channel_type };
    // A view has the access flags of its parent.
    let flags = if image.of.is_some() { 0 } else { image.flags & ACCESS };
    let replayed = session.image_with(flags, format, desc)?;
    // The manifest's size limits the bytes that are written to the image.
    let texels = replayed.region.iter().try_fold(image.texel, |product, &size| product.checked_mul(size));
    if replayed.texel_size()? != image.texel || texels != image.size() {
        return input("the file is damaged: the image's sizes do not fit its format");
    }
    Ok(replayed)
}

/// Ranges of shared virtual memory: captured address, size, new address.
struct AddressMap(Vec<(u64, u64, u64)>);

impl AddressMap {
    fn of(manifest: &Manifest, objects: &[ReplayedObject<'_>]) -> AddressMap {
        let pairs = manifest.objects.iter().zip(objects);
        let addresses = pairs.filter_map(|(object, replayed)| match (object, replayed) {
            (Object::Shared { address, size }, ReplayedObject::Shared(shared)) => {
                Some((*address, *size as u64, shared.address()))
            }
            _ => None,
        });
        AddressMap(addresses.collect())
    }

    /// Returns the bytes with new addresses; `None` if nothing needs translation.
    fn to_replayed(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.0.is_empty() {
            return None;
        }
        let mut bytes = bytes.to_vec();
        replace(&mut bytes, |word| {
            let from = self.0.iter().find(|(begin, size, _)| word.wrapping_sub(*begin) < *size);
            from.map(|(begin, _, new)| word - begin + new)
        });
        Some(bytes)
    }

    /// Restores the captured addresses in `bytes`.
    fn to_captured(&self, bytes: &mut [u8]) {
        if self.0.is_empty() {
            return;
        }
        replace(bytes, |word| {
            let from = self.0.iter().find(|(_, size, new)| word.wrapping_sub(*new) < *size);
            from.map(|(begin, _, new)| word - new + begin)
        });
    }
}

fn replace(bytes: &mut [u8], with: impl Fn(u64) -> Option<u64>) {
    for word in bytes.chunks_exact_mut(size_of::<u64>()) {
        let old = word.try_into().map_or(0, u64::from_le_bytes);
        if let Some(new) = with(old) {
            word.copy_from_slice(&new.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_move_and_come_back() {
        let addresses = AddressMap(vec![(0x1000, 0x100, 0x9000), (0x9000, 0x10, 0x1000)]);
        let words = |list: &[u64]| list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let before = words(&[0x1000, 0x10ff, 0x1100, 0xfff, 0x9008, 7]);
        let mut translated = addresses.to_replayed(&before).expect("moved");
        assert_eq!(translated, words(&[0x9000, 0x90ff, 0x1100, 0xfff, 0x1008, 7]));
        addresses.to_captured(&mut translated);
        assert_eq!(translated, before);
        assert!(AddressMap(Vec::new()).to_replayed(&before).is_none());
    }
}

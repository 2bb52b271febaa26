//! Pipes (API s5.4). `kernels/pipe` defines the contents of their memory.

use std::sync::Arc;

use super::{CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE, HostPtr, Mem, Storage};
use crate::cl::*;
use crate::compile::pipe;
use crate::runtime::context::Context;
use crate::runtime::error::{Error, Result};
use crate::runtime::object::Object;

/// Value of CL_DEVICE_PIPE_MAX_PACKET_SIZE.
// Arbitrary.
pub const PIPE_MAX_PACKET_SIZE: cl_uint = 64 << 10;
/// Value of CL_DEVICE_MAX_PIPE_ARGS. The number of arguments is not actually limited.
// Arbitrary.
pub const MAX_PIPE_ARGS: cl_uint = 64;
/// Value of CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS. The number is not actually limited, because a reservation only
/// consists of slots of the pipe.
// Arbitrary.
pub const PIPE_MAX_ACTIVE_RESERVATIONS: cl_uint = 64 << 10;

/// Maximum number of packets.
// Source: reservations count packets in 31 bits.
const MAX_PACKETS: cl_uint = 0x7fff_ffff;

/// Properties of a memory object that is a pipe.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// Value of CL_PIPE_PACKET_SIZE.
    pub packet_size: cl_uint,
    /// Value of CL_PIPE_MAX_PACKETS.
    pub max_packets: cl_uint,
}

impl Pipe {
    /// Checks whether kernels can access packets of this size and alignment in the pipe.
    pub fn takes(&self, size: u32, align: u32) -> bool {
        size <= self.packet_size && self.packet_size.is_multiple_of(align.max(1))
    }
}

impl Mem {
    /// Implements clCreatePipe: creates an empty pipe.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for flags that a pipe cannot have, CL_INVALID_PIPE_SIZE for sizes that are 0 or too large.
    pub fn create_pipe(
        context: &Arc<Object<Context>>,
        flags: cl_mem_flags,
        packet_size: cl_uint,
        max_packets: cl_uint,
    ) -> Result<Arc<Object<Self>>> {
        // The host cannot access a pipe, whatever its flags say.
        if flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) != 0 {
            return Err(Error::InvalidValue);
        }
        if !(1..=PIPE_MAX_PACKET_SIZE).contains(&packet_size) || !(1..=MAX_PACKETS).contains(&max_packets) {
            return Err(Error::InvalidPipeSize);
        }
        let (before, size) = pipe::sizes(packet_size, max_packets);
        if size > context.max_alloc_size() {
            return Err(Error::InvalidPipeSize);
        }
        let storage = Storage::allocate(size as usize, context.node())?;
        let header = pipe::header(packet_size, max_packets);
        // SAFETY: the storage is fresh and has `size` bytes, which is more than `before`, which is more than the
        // header.
        unsafe {
            storage.base().fill(&[0], before as usize);
            HostPtr::new(header.as_ptr()).copy_to(storage.base(), header.len());
        }
        let flags = if flags == 0 { CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS } else { flags };
        let mem = Self::new(context, flags, size as usize, storage);
        Ok(Object::new(Self { pipe: Some(Pipe { packet_size, max_packets }), ..mem }))
    }

    /// Returns the pipe properties.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT if the object is not a pipe.
    pub fn pipe(&self) -> Result<&Pipe> {
        self.pipe.as_ref().ok_or(Error::InvalidMemObject)
    }
}

/// Returns the address and size in bytes of the packets in a pipe, in reading order. A slot that is reserved but
/// not committed ends the sequence, as it does for readers. No kernel may use the pipe meanwhile.
pub(in crate::runtime) fn packets(mem: &Mem) -> Vec<(HostPtr, usize)> {
    let Ok(pipe) = mem.pipe() else { return Vec::new() };
    let (packet, room) = (u64::from(pipe.packet_size), u64::from(pipe.max_packets));
    let position = u64::from_le_bytes(read(mem, pipe::READ));
    let (lap, start) = (position >> 32, position & 0xffff_ffff);
    if start >= room {
        return Vec::new();
    }
    // Slots are full up to the first one with another state; the sequence wraps around the ring.
    let is_full = |index: &u64| {
        let (place, laps) = ((start + index) % room, (start + index) / room);
        let state = u32::from_le_bytes(read(mem, pipe::STATES as usize + 4 * place as usize));
        state == (2 * (lap + laps) + 1) as u32
    };
    let count = (0..room).take_while(is_full).count() as u64;
    let before = pipe::sizes(pipe.packet_size, pipe.max_packets).0;
    let piece = |place: u64, count: u64| {
        (mem.base().at((before + place * packet) as usize), (count * packet) as usize)
    };
    let first = count.min(room - start);
    let pieces = [piece(start, first), piece(0, count - first)];
    pieces.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
}

/// Reads bytes of a pipe before its packets.
fn read<const N: usize>(mem: &Mem, place: usize) -> [u8; N] {
    let mut bytes = [0; N];
    // SAFETY: a pipe is longer than its header and the states of its slots.
    unsafe { mem.base().at(place).copy_to(HostPtr::new(bytes.as_mut_ptr()), N) };
    bytes
}

//! Pipes (API s5.4): what kernels find in their memory is `kernels/pipe`'s business.

use std::sync::Arc;

use super::{CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE, HostPtr, Mem, Storage};
use crate::cl::*;
use crate::compile::pipe;
use crate::runtime::context::Context;
use crate::runtime::error::{Error, Result};
use crate::runtime::object::Object;

/// CL_DEVICE_PIPE_MAX_PACKET_SIZE.
pub const PIPE_MAX_PACKET_SIZE: cl_uint = 64 << 10;
/// CL_DEVICE_MAX_PIPE_ARGS. More are not refused.
pub const MAX_PIPE_ARGS: cl_uint = 64;
/// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS. More are not refused: a reservation is nothing but places of the pipe.
pub const PIPE_MAX_ACTIVE_RESERVATIONS: cl_uint = 64 << 10;

/// Reservations count their packets in so many bits.
const MOST_PACKETS: cl_uint = 0x7fff_ffff;

/// What makes a memory object a pipe.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// CL_PIPE_PACKET_SIZE.
    pub packet_size: cl_uint,
    /// CL_PIPE_MAX_PACKETS.
    pub max_packets: cl_uint,
}

impl Pipe {
    /// Whether packets of this size and alignment can be read and written here.
    pub fn takes(&self, size: u32, align: u32) -> bool {
        size <= self.packet_size && self.packet_size.is_multiple_of(align.max(1))
    }
}

impl Mem {
    /// clCreatePipe: an empty pipe.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for flags that a pipe cannot have, CL_INVALID_PIPE_SIZE for sizes that are 0 or too large.
    pub fn create_pipe(
        context: &Arc<Object<Context>>,
        flags: cl_mem_flags,
        packet_size: cl_uint,
        max_packets: cl_uint,
    ) -> Result<Arc<Object<Self>>> {
        // The host cannot look into a pipe, whatever is said.
        if flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) != 0 {
            return Err(Error::InvalidValue);
        }
        if !(1..=PIPE_MAX_PACKET_SIZE).contains(&packet_size) || !(1..=MOST_PACKETS).contains(&max_packets) {
            return Err(Error::InvalidPipeSize);
        }
        let (before, size) = pipe::sizes(packet_size, max_packets);
        if size > context.max_alloc_size() {
            return Err(Error::InvalidPipeSize);
        }
        let storage = Storage::allocate(size as usize)?;
        let header = pipe::header(packet_size, max_packets);
        // SAFETY: the storage is fresh and has `size` bytes, which is more than `before`, which is more than the header.
        unsafe {
            storage.base().fill(&[0], before as usize);
            HostPtr::new(header.as_ptr()).copy_to(storage.base(), header.len());
        }
        let flags = if flags == 0 { CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS } else { flags };
        let mem = Self::new(context, flags, size as usize, storage);
        Ok(Object::new(Self { pipe: Some(Pipe { packet_size, max_packets }), ..mem }))
    }

    /// What makes it a pipe.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT if it is none.
    pub fn pipe(&self) -> Result<&Pipe> {
        self.pipe.as_ref().ok_or(Error::InvalidMemObject)
    }
}

/// The packets that are in a pipe: where they lie and how many bytes, the next one to be read first. Those that a reservation holds
/// up are none. No kernel writes or reads it meanwhile.
pub(in crate::runtime) fn packets(mem: &Mem) -> Vec<(HostPtr, usize)> {
    let Ok(pipe) = mem.pipe() else { return Vec::new() };
    let (packet, room) = (pipe.packet_size, pipe.max_packets);
    let mut positions = [[0u64; 2]; 2];
    for (position, place) in positions.iter_mut().zip([pipe::WRITTEN, pipe::READ]) {
        let mut bytes = [0; 8];
        // SAFETY: a pipe is longer than its header, which has both positions.
        unsafe { mem.base().at(place).copy_to(HostPtr::new(bytes.as_mut_ptr()), bytes.len()) };
        let position_bits = u64::from_le_bytes(bytes);
        *position = [position_bits >> 32, position_bits & 0xffff_ffff];
    }
    let [[lap, end], [read_lap, start]] = positions.map(|[lap, place]| [lap, place.min(u64::from(room))]);
    let before = pipe::sizes(packet, room).0;
    let piece = |from: u64, to: u64| {
        let place = before + from * u64::from(packet);
        (mem.base().at(place as usize), (to.saturating_sub(from) * u64::from(packet)) as usize)
    };
    // A ring: what was written a lap ahead is read after the end.
    let pieces = if lap == read_lap {
        [piece(start, end), piece(0, 0)]
    } else {
        [piece(start, room.into()), piece(0, end)]
    };
    pieces.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
}

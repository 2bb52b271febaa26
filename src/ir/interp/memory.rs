//! Memory accesses of the interpreter, at host addresses. All its unsafe accesses are here.

use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use smallvec::SmallVec;

use super::eval::{LaneBits, compare_floats, eval, float2, int2, mask};
use super::{InterpError, lane_bytes};
use crate::image::{Descriptor, texel};
use crate::{
    Attr, FloatBinary, FloatCond, GlobalId, GlobalSpace, Helper, Inst, Kind, MemoryOp, Module, Op, Rmw, Type,
};
use grus_support::IdMap;

/// `local` variables of one work-group.
pub(super) struct LocalMemory {
    memory: Vec<Box<[u128]>>,
    addresses: IdMap<GlobalId, u64>,
}

impl LocalMemory {
    pub(super) fn new(module: &Module) -> LocalMemory {
        let mut memory = Vec::new();
        let mut addresses = IdMap::new(0);
        for (id, global) in module.globals.iter() {
            if global.space == GlobalSpace::Local {
                let buffer =
                    vec![0u128; (global.size + global.align).div_ceil(16) as usize + 1].into_boxed_slice();
                addresses[id] = (buffer.as_ptr() as u64).next_multiple_of(global.align);
                memory.push(buffer);
            }
        }
        LocalMemory { memory, addresses }
    }
    /// Checks whether `address` lies in one of the variables.
    pub(super) fn contains(&self, address: u64) -> bool {
        self.memory.iter().any(|buffer| buffer.as_ptr_range().contains(&(address as *const u128)))
    }
    pub(super) fn address(&self, global: GlobalId) -> u64 {
        self.addresses[global]
    }
}

/// Executes a memory op or a call of a runtime function; returns its result if it has one.
///
/// # Safety
///
/// The addresses among `args` are valid for the access.
pub(super) unsafe fn access(
    inst: &Inst,
    types: &[Type],
    args: &[LaneBits],
) -> Result<Option<LaneBits>, InterpError> {
    let op = MemoryOp::of(inst.op).ok_or(InterpError::Unsupported(inst.op.name()))?;
    let at = |i: usize| args[i][0];
    // SAFETY: each arm touches what the instruction says it touches, which the caller vouches for.
    unsafe {
        match op {
            MemoryOp::Load => {
                let size = lane_bytes(inst.ty.kind);
                let lanes = (0..u64::from(inst.ty.lanes)).map(|i| read(at(0) + i * size, size)).collect();
                return Ok(Some(lanes));
            }
            MemoryOp::Store => {
                let size = lane_bytes(types[1].kind);
                for (i, &lane) in args[1].iter().enumerate() {
                    write(at(0) + i as u64 * size, size, lane);
                }
            }
            MemoryOp::MaskedLoad => {
                let size = lane_bytes(inst.ty.kind);
                return Ok(Some(gather(inst, &args[1], &args[2], |i| at(0) + i as u64 * size)));
            }
            MemoryOp::MaskedStore => {
                let size = lane_bytes(types[1].kind);
                scatter(types[1], &args[1], &args[2], |i| at(0) + i as u64 * size);
            }
            MemoryOp::Gather => return Ok(Some(gather(inst, &args[1], &args[2], |i| args[0][i]))),
            MemoryOp::Scatter => scatter(types[1], &args[1], &args[2], |i| args[0][i]),
            MemoryOp::GatherAt => {
                let address = scaled(inst, types[1], at(0), &args[1]);
                return Ok(Some(gather(inst, &args[2], &args[3], address)));
            }
            MemoryOp::ScatterAt => {
                scatter(types[2], &args[2], &args[3], scaled(inst, types[1], at(0), &args[1]));
            }
            MemoryOp::LaneRmw => {
                let (rmw, kind) = (inst.rmw(), inst.ty.kind);
                let one = |i: usize| {
                    atomic_update(args[0][i], kind.bits(), |old| combine(rmw, kind, old, args[1][i]))
                };
                return Ok(Some(for_active_lanes(&args[2], one)));
            }
            MemoryOp::LaneCas => {
                let (compare, value) = (&args[1], &args[2]);
                let new = |i: usize, old: u64| if old == compare[i] { value[i] } else { old };
                let one = |i: usize| atomic_update(args[0][i], inst.ty.kind.bits(), |old| new(i, old));
                return Ok(Some(for_active_lanes(&args[3], one)));
            }
            MemoryOp::MemCopy => {
                ptr::copy(at(1) as *const u8, at(0) as *mut u8, inst.size_align().0 as usize);
            }
            MemoryOp::MemZero => ptr::write_bytes(at(0) as *mut u8, 0, inst.size_align().0 as usize),
            MemoryOp::AtomicRmw => {
                let (rmw, value, kind) = (inst.rmw(), at(1), inst.ty.kind);
                let old = atomic_update(at(0), kind.bits(), |old| combine(rmw, kind, old, value));
                return Ok(Some(one(old)));
            }
            MemoryOp::AtomicCas => {
                let (compare, value) = (at(1), at(2));
                let old =
                    atomic_update(at(0), inst.ty.kind.bits(), |old| if old == compare { value } else { old });
                return Ok(Some(one(old)));
            }
            MemoryOp::AtomicLoad => {
                return Ok(Some(one(atomic_update(at(0), inst.ty.kind.bits(), |old| old))));
            }
            MemoryOp::AtomicStore => {
                let value = at(1);
                atomic_update(at(0), types[1].kind.bits(), |_| value);
            }
            MemoryOp::Trap => return Err(InterpError::Trap),
            MemoryOp::Fence => std::sync::atomic::fence(Ordering::SeqCst),
            MemoryOp::ImageQuery => {
                let size = lane_bytes(inst.ty.kind);
                return Ok(Some(one(read(at(0) + inst.field().offset() as u64, size))));
            }
            MemoryOp::ImageLoad => {
                let components = texel::load(at(0) as *const Descriptor, at(1), inst.ty.kind == Kind::F32);
                return Ok(Some(components.iter().map(|&bits| u64::from(bits)).collect()));
            }
            MemoryOp::ImageStore => {
                let components = [0, 1, 2, 3].map(|i: usize| args[2][i] as u32);
                texel::store(at(0) as *const Descriptor, at(1), components, types[2].kind == Kind::F32);
            }
            MemoryOp::CallHelper => return helper_call(inst.helper(), inst, types, args),
        }
    }
    Ok(None)
}

/// Evaluates `lane` for the active lanes; the others get 0.
fn for_active_lanes(mask: &LaneBits, lane: impl Fn(usize) -> u64) -> LaneBits {
    (0..mask.len()).map(|i| if mask[i] != 0 { lane(i) } else { 0 }).collect()
}

/// Loads the active lanes from their addresses; the others get the lane of `other`.
unsafe fn gather(inst: &Inst, mask: &LaneBits, other: &LaneBits, address: impl Fn(usize) -> u64) -> LaneBits {
    let size = lane_bytes(inst.ty.kind);
    // SAFETY: the caller vouches for the addresses of lanes that are set.
    let lane = |i: usize| if mask[i] != 0 { unsafe { read(address(i), size) } } else { other[i] };
    (0..mask.len()).map(lane).collect()
}

/// Stores the active lanes to their addresses.
unsafe fn scatter(ty: Type, value: &LaneBits, mask: &LaneBits, address: impl Fn(usize) -> u64) {
    for i in (0..mask.len()).filter(|&i| mask[i] != 0) {
        // SAFETY: the caller vouches for the addresses of lanes that are set.
        unsafe { write(address(i), lane_bytes(ty.kind), value[i]) };
    }
}

/// Returns a function that computes the address of a lane from a base and scaled offsets.
fn scaled(inst: &Inst, ty: Type, base: u64, offsets: &LaneBits) -> impl Fn(usize) -> u64 {
    let scale = u64::from(inst.scaled_mem().1);
    move |i| {
        let offset = if ty.kind == Kind::I32 { offsets[i] as u32 as i32 as u64 } else { offsets[i] };
        base.wrapping_add(offset.wrapping_mul(scale))
    }
}

fn one(value: u64) -> LaneBits {
    SmallVec::from_elem(value, 1)
}

unsafe fn read(address: u64, size: u64) -> u64 {
    // SAFETY: the caller vouches for the address.
    unsafe {
        match size {
            1 => u64::from(ptr::read_unaligned(address as *const u8)),
            2 => u64::from(ptr::read_unaligned(address as *const u16)),
            4 => u64::from(ptr::read_unaligned(address as *const u32)),
            _ => ptr::read_unaligned(address as *const u64),
        }
    }
}

unsafe fn write(address: u64, size: u64, value: u64) {
    // SAFETY: the caller vouches for the address.
    unsafe { ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), address as *mut u8, size as usize) }
}

/// Applies `update` atomically and returns the old value.
unsafe fn atomic_update(address: u64, bits: u32, update: impl Fn(u64) -> u64) -> u64 {
    const ORDER: Ordering = Ordering::SeqCst;
    macro_rules! with {
        ($atomic:ty, $int:ty) => {{
            // SAFETY: the caller vouches for the address; atomics are naturally aligned.
            let atomic = unsafe { <$atomic>::from_ptr(address as *mut $int) };
            let mut old = atomic.load(ORDER);
            while let Err(now) = atomic.compare_exchange(old, update(u64::from(old)) as $int, ORDER, ORDER) {
                old = now;
            }
            u64::from(old)
        }};
    }
    match bits {
        8 => with!(AtomicU8, u8),
        16 => with!(AtomicU16, u16),
        32 => with!(AtomicU32, u32),
        _ => with!(AtomicU64, u64),
    }
}

/// Returns the value that an atomic read-modify-write stores.
fn combine(rmw: Rmw, kind: Kind, old: u64, value: u64) -> u64 {
    let is_true = |cond, a, b| compare_floats(cond, kind, a, b);
    match rmw {
        Rmw::Fadd => float2(FloatBinary::Fadd, kind, old, value),
        Rmw::Fmin | Rmw::Fmax => {
            let replaces = is_true(rmw.replaces(), old, value) && is_true(FloatCond::Ord, value, value);
            if replaces { value } else { old }
        }
        _ => rmw.by().map_or(mask(kind.bits(), value), |op| int2(op, kind.bits(), old, value)),
    }
}

/// Copies elements of `size` bytes. Arguments: destination, source, count, destination stride, source stride.
pub(super) unsafe fn strided_copy(args: &[u64], size: u64) {
    let [to, from, count, to_stride, from_stride] = [0, 1, 2, 3, 4].map(|i| args[i]);
    for i in 0..count {
        let source = from.wrapping_add(i.wrapping_mul(from_stride).wrapping_mul(size));
        let target = to.wrapping_add(i.wrapping_mul(to_stride).wrapping_mul(size));
        // SAFETY: the kernel asked for these addresses; the caller vouches for them.
        unsafe { ptr::copy(source as *const u8, target as *mut u8, size as usize) };
    }
}

/// Copies a box of bytes. Arguments: destination, source, bytes of a line, lines, planes, then line and plane
/// strides of the destination and of the source (`Op::AsyncRect`).
pub(super) unsafe fn rect_copy(args: &[u64]) {
    let [to, from, bytes, lines, planes] = [0, 1, 2, 3, 4].map(|i| args[i]);
    let [to_line, to_plane, from_line, from_plane] = [5, 6, 7, 8].map(|i| args[i]);
    for (plane, line) in (0..planes).flat_map(|plane| (0..lines).map(move |line| (plane, line))) {
        let at = |start: u64, line_step: u64, plane_step: u64| {
            start.wrapping_add(line.wrapping_mul(line_step)).wrapping_add(plane.wrapping_mul(plane_step))
        };
        let (source, target) = (at(from, from_line, from_plane), at(to, to_line, to_plane));
        // SAFETY: the kernel asked for these addresses; the caller vouches for them.
        unsafe { ptr::copy(source as *const u8, target as *mut u8, bytes as usize) };
    }
}

unsafe fn helper_call(
    helper: Helper,
    inst: &Inst,
    types: &[Type],
    args: &[LaneBits],
) -> Result<Option<LaneBits>, InterpError> {
    let refs: SmallVec<[&LaneBits; 4]> = args.iter().collect();
    let pure = match helper {
        Helper::FmaF32 | Helper::FmaF64 => Op::Fma,
        // The printed text is not a result that tests compare.
        Helper::Printf => return Ok(Some(one(0))),
        Helper::MemCopy => {
            let [to, from, size] = [0, 1, 2].map(|i| args[i][0]);
            // SAFETY: the kernel asked for these addresses; the caller vouches for them.
            unsafe { ptr::copy(from as *const u8, to as *mut u8, size as usize) };
            return Ok(None);
        }
        Helper::StridedCopy => {
            let words: Vec<u64> = args.iter().map(|arg| arg[0]).collect();
            // SAFETY: as above.
            unsafe { strided_copy(&words, words[5]) };
            return Ok(None);
        }
        Helper::RectCopy => {
            // SAFETY: as above; group code puts nine numbers there.
            unsafe { rect_copy(&(args[0][0] as *const [u64; 9]).read_unaligned()) };
            return Ok(None);
        }
        Helper::MemZero => {
            // SAFETY: as above.
            unsafe { ptr::write_bytes(args[0][0] as *mut u8, 0, args[1][0] as usize) };
            return Ok(None);
        }
        Helper::TexelLoad => {
            let [image, offset, buffer, floats] = [0, 1, 2, 3].map(|i| args[i][0]);
            // SAFETY: as above.
            unsafe {
                let components = texel::load(image as *const Descriptor, offset, floats != 0);
                (buffer as *mut [u32; 4]).write_unaligned(components);
            }
            return Ok(None);
        }
        Helper::TexelStore => {
            let [image, offset, buffer, floats] = [0, 1, 2, 3].map(|i| args[i][0]);
            // SAFETY: as above.
            unsafe {
                let components = (buffer as *const [u32; 4]).read_unaligned();
                texel::store(image as *const Descriptor, offset, components, floats != 0);
            }
            return Ok(None);
        }
        Helper::Clock => return Ok(Some(one(grus_support::trace::now()))),
        Helper::SpaceOf | Helper::Enqueue => {
            return Err(InterpError::Unsupported(helper.name()));
        }
    };
    Ok(eval(pure, inst.ty, &Attr::None, types, &refs))
}

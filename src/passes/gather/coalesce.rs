//! Coalesces gathers of adjacent memory, such as the channels of a pixel or the members of a structure at a
//! divergent index: several gathers become one gather of words, and each result is extracted from the word.
//! Scatters that fill words become scatters of words.
//!
//! The bytes of a word that the original accesses do not touch lie between bytes that the lane accesses, or in the
//! same aligned word as some of them. So no page is touched that the lane does not access.

use std::ops::Range;

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::{Combined, Replacements, combine};
use super::subword::{LaneAddresses, Rounded};
use grus_ir::interp::signed;
use grus_ir::{Block, Builder, Effect, Function, Inst, InstId, Kind, Mem, Op, Type, Value};

/// Bytes of a word of 8 or 16-bit elements. A word of 32-bit elements has twice as many.
const WORD: i64 = 4;
/// Maximum number of groups that are open at a time.
// Arbitrary.
const MAX_OPEN: usize = 16;
/// Maximum distance in bytes between the members of a group.
// Arbitrary.
const MAX_BYTES: u64 = 64;
/// Memory attributes of a word access, which need not be aligned.
const UNALIGNED: Mem = Mem::aligned(1);
/// Maximum number of sums that are looked through.
// Arbitrary.
const MAX_DEPTH: usize = 8;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    if func.instructions().filter(|inst| element(func, inst).is_some()).nth(1).is_none() {
        return false;
    }
    combine(func, find_words)
}

/// Returns the type of the elements that an instruction gathers or scatters, if it can be coalesced into words.
fn element(func: &Function, inst: &Inst) -> Option<Type> {
    let ty = elements(func, inst)?;
    let is_zero_masked = || inst.args.last().is_some_and(|&other| func.is_zero(other));
    let is_plain = matches!(ty.kind.bytes(), 1 | 2 | 4) && !ty.is_mask();
    (is_plain && (inst.result.is_none() || is_zero_masked())).then_some(ty)
}

/// Returns the type of the elements that an instruction gathers or scatters, if it is not volatile.
pub(crate) fn elements(func: &Function, inst: &Inst) -> Option<Type> {
    let (ty, mem) = match inst.op {
        Op::Gather => (inst.ty, inst.mem()),
        Op::GatherAt => (inst.ty, inst.scaled_mem().0),
        Op::Scatter => (func.ty(inst.args[1]), inst.mem()),
        Op::ScatterAt => (func.ty(inst.args[2]), inst.scaled_mem().0),
        _ => return None,
    };
    (!mem.volatile).then_some(ty)
}

/// Properties that are equal for accesses that differ only in a constant offset.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CoalesceKey {
    pub op: Op,
    kind: Kind,
    /// Base pointer, or the addresses of the lanes.
    root: Value,
    /// Values that are added to the base.
    more: SmallVec<[Value; 4]>,
    index: Option<Index>,
    scale: u32,
    /// Mask of active lanes; `None` if all lanes are active.
    pub mask: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Value(Value),
    /// Multiples of a constant step from 0 on, as lanes of this kind.
    Multiples(Kind, i64),
}

#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub id: InstId,
    /// Offset in bytes from the key's address.
    pub distance: i64,
}

/// Accesses with the same key, in program order.
pub(crate) struct Group {
    pub key: CoalesceKey,
    pub members: Vec<Member>,
}

/// Start of the bytes that are read for a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// The word starts at its first element.
    Exact,
    /// Three bytes are read, starting at an even address.
    Three,
    /// Two bytes are read with the aligned word that contains the first one, or from 2 bytes after its start if the
    /// second one is in the next word.
    Two,
}

/// Word that replaces several accesses.
struct Word {
    segment: SegmentAccess,
    fit: Fit,
}

/// Accesses to one segment of memory of each lane.
pub(crate) struct SegmentAccess {
    pub is_scatter: bool,
    /// Start of the segment, in bytes from the key's address.
    pub start: i64,
    pub members: Vec<Member>,
}

fn find_words(func: &Function, block: Block) -> Vec<Word> {
    let mut words = Vec::new();
    groups(func, block, element).into_iter().for_each(|group| group.append_words(&mut words));
    words
}

/// Returns the groups of accesses of a block. `element` returns the element type of accesses to be considered.
pub(crate) fn groups(
    func: &Function,
    block: Block,
    element: impl Fn(&Function, &Inst) -> Option<Type>,
) -> Vec<Group> {
    let mut open: Vec<Group> = Vec::new();
    let mut closed = Vec::new();
    for &id in &func.blocks[block].insts {
        let inst = &func.insts[id];
        let effect = inst.op.effect();
        if effect == Effect::Pure {
            continue;
        }
        let found = element(func, inst).map(|ty| (key(func, inst, ty.kind), ty));
        let mut at = 0;
        while at < open.len() {
            let is_scatter = inst.result.is_none();
            let passes = match &found {
                Some(((key, _), _)) if open[at].key == *key => true,
                _ => effect == Effect::Read && open[at].key.op.effect() == Effect::Read,
            };
            debug_assert!(!passes || !is_scatter || open[at].key.op == inst.op);
            if passes {
                at += 1;
            } else {
                closed.push(open.swap_remove(at));
            }
        }
        let Some(((key, distance), _)) = found else { continue };
        let member = Member { id, distance };
        if let Some(at) = open.iter().position(|open| open.key == key) {
            if open[at].fits(member) {
                open[at].members.push(member);
                continue;
            }
            closed.push(open.swap_remove(at));
        }
        if open.len() < MAX_OPEN {
            open.push(Group { key, members: vec![member] });
        }
    }
    closed.append(&mut open);
    closed
}

/// Returns the key of an access, and its offset in bytes.
fn key(func: &Function, inst: &Inst, kind: Kind) -> (CoalesceKey, i64) {
    let mask_at = inst.args.len() - if inst.result.is_some() { 2 } else { 1 };
    let mask = Some(inst.args[mask_at]).filter(|&mask| func.as_const_of_lanes(mask) != Some(1));
    let mut key = CoalesceKey {
        op: inst.op,
        kind,
        root: inst.args[0],
        more: SmallVec::new(),
        index: None,
        scale: 1,
        mask,
    };
    if matches!(inst.op, Op::Gather | Op::Scatter) {
        // Bitcasts of integers to pointers are looked through.
        let numbers = func.def_inst(key.root).filter(|def| def.op == Op::Bitcast).map(|def| def.args[0]);
        if let Some(def) = numbers.and_then(|numbers| func.def_inst(numbers)).filter(|def| def.op == Op::Iadd)
            && let Some(constant) = func.as_const_of_lanes(def.args[1])
        {
            return (CoalesceKey { root: def.args[0], ..key }, constant as i64);
        }
        key.root = numbers.unwrap_or(key.root);
        return (key, 0);
    }
    let index = inst.args[1];
    key.index = Some(multiples(func, index).unwrap_or(Index::Value(index)));
    key.scale = inst.scaled_mem().1;
    let distance;
    (key.root, key.more, distance) = address(func, key.root);
    (key, distance)
}

/// Decomposes an address into a base, the values that are added to it, and a constant offset in bytes.
pub(crate) fn address(func: &Function, mut root: Value) -> (Value, SmallVec<[Value; 4]>, i64) {
    let (mut more, mut distance) = (SmallVec::new(), 0i64);
    for _ in 0..MAX_DEPTH {
        let Some(def) = func.def_inst(root).filter(|def| def.op == Op::PtrAdd) else { break };
        match func.as_const(def.args[1]) {
            Some(constant) => distance = distance.wrapping_add(constant as i64),
            None => more.push(def.args[1]),
        }
        root = def.args[0];
    }
    more.sort_unstable();
    (root, more, distance)
}

/// Returns the step if an index vector consists of the constants 0, step, 2 * step and so on.
fn multiples(func: &Function, index: Value) -> Option<Index> {
    let def = func.def_inst(index).filter(|def| def.op == Op::BuildVector)?;
    let kind = def.ty.kind;
    let constant = |&arg: &Value| func.as_const(arg).map(|bits| signed(kind.bits(), bits));
    let step = constant(def.args.get(1)?)?;
    let is_multiple = |(lane, arg)| constant(arg) == Some(step.wrapping_mul(lane));
    (0i64..).zip(&def.args).all(is_multiple).then_some(Index::Multiples(kind, step))
}

impl Group {
    /// Checks whether another access may join the group: at most `MAX_BYTES` away, at a multiple of the element
    /// size, and no second store to the same address.
    fn fits(&self, new: Member) -> bool {
        let size = i64::from(self.key.kind.bytes());
        let is_scatter = self.is_scatter();
        self.members.iter().all(|member| {
            let distance = new.distance.wrapping_sub(member.distance);
            distance.unsigned_abs() <= MAX_BYTES && distance % size == 0 && !(is_scatter && distance == 0)
        })
    }

    pub(crate) fn is_scatter(&self) -> bool {
        self.key.op.effect() != Effect::Read
    }

    /// Returns the offsets of the members in bytes, in ascending order.
    pub(crate) fn distances(&self) -> Vec<i64> {
        let mut distances: Vec<i64> = self.members.iter().map(|member| member.distance).collect();
        distances.sort_unstable();
        distances.dedup();
        distances
    }

    /// Returns the segment that starts at `start` and contains the members at these offsets.
    pub(crate) fn segment(&self, start: i64, distances: &[i64]) -> SegmentAccess {
        let is_inside = |member: &&Member| distances.contains(&member.distance);
        let members = self.members.iter().filter(is_inside).copied().collect();
        SegmentAccess { is_scatter: self.is_scatter(), start, members }
    }

    /// Appends the words that cover more than one access of the group.
    fn append_words(self, words: &mut Vec<Word>) {
        let is_scatter = self.is_scatter();
        let size = i64::from(self.key.kind.bytes());
        let distances = self.distances();
        let mut rest = &distances[..];
        while let Some((start, fit, count)) = first_word(&distances, rest, size, is_scatter) {
            let (inside, remaining) = rest.split_at(count);
            rest = remaining;
            if count > 1 {
                words.push(Word { segment: self.segment(start, inside), fit });
            }
        }
    }
}

/// Returns the word for the first of the remaining elements: its start, its fit, and its number of elements. `all`
/// contains the offsets of all elements of the group.
fn first_word(all: &[i64], rest: &[i64], size: i64, is_scatter: bool) -> Option<(i64, Fit, usize)> {
    let (&first, &lowest) = (rest.first()?, all.first()?);
    let end = all.last()? + size;
    let word = if size == WORD { 2 * WORD } else { WORD };
    let count = rest.iter().take_while(|&&at| at + size <= first + word).count();
    let last = rest[count - 1] + size;
    if is_scatter {
        let fills = count as i64 * size == word;
        return Some((first, Fit::Exact, if fills { count } else { 1 }));
    }
    if count == 1 {
        return Some((first, Fit::Exact, 1));
    }
    Some(match (start_between(first..last, lowest..end, word), last - first) {
        (Some(start), _) => (start, Fit::Exact, count),
        (None, 3) => (first, Fit::Three, count),
        (None, 2) => (first, Fit::Two, count),
        _ => (first, Fit::Exact, 1),
    })
}

/// Returns the start of a range of `bytes` bytes that contains `inside` and lies in the range `all` of accessed
/// bytes.
pub(crate) fn start_between(inside: Range<i64>, all: Range<i64>, bytes: i64) -> Option<i64> {
    let fits = |start: &i64| *start >= all.start && start + bytes <= all.end;
    [inside.start, inside.end - bytes].into_iter().find(fits)
}

impl SegmentAccess {
    /// Returns the member at whose position the segment is accessed: loads are moved to the first one, stores to
    /// the last one.
    fn position(&self) -> Member {
        let member = if self.is_scatter { self.members.last() } else { self.members.first() };
        *member.expect("a piece has members")
    }

    /// Returns the access at whose position the segment is accessed, and the segment's addresses.
    fn lanes(&self, b: &mut Builder<'_>, replaced: &Replacements) -> (Inst, LaneAddresses) {
        let position = self.position();
        let mut inst = b.func.insts[position.id].clone();
        replaced.resolve(&mut inst);
        b.loc = inst.loc;
        let mut lanes = LaneAddresses::of(b, &inst);
        lanes.add(b, self.start.wrapping_sub(position.distance));
        (inst, lanes)
    }

    /// Returns the values that the members store, in ascending order of their addresses.
    pub(crate) fn values(&self, func: &Function, replaced: &Replacements) -> SmallVec<[Value; 4]> {
        let mut members = self.members.clone();
        members.sort_unstable_by_key(|member| member.distance);
        let value = |member: Member| {
            let args = &func.insts[member.id].args;
            replaced.get(args[args.len() - 2])
        };
        members.into_iter().map(value).collect()
    }
}

/// Segment that is loaded or stored by one combined access per lane.
pub(crate) trait CombinedAccess {
    fn segment(&self) -> &SegmentAccess;
    /// Emits the loads and sets the replacements of the members.
    fn gather(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &mut Replacements);
    /// Emits the stores.
    fn scatter(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &Replacements);
}

impl<M: CombinedAccess> Combined for M {
    fn insertion_point(&self) -> InstId {
        self.segment().position().id
    }
    fn members(&self) -> impl Iterator<Item = InstId> {
        self.segment().members.iter().map(|member| member.id)
    }
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements) {
        let mut b = Builder::new(func, block);
        let (inst, lanes) = self.segment().lanes(&mut b, replaced);
        if self.segment().is_scatter {
            self.scatter(&mut b, &inst, lanes, replaced);
        } else {
            self.gather(&mut b, &inst, lanes, replaced);
        }
    }
}

impl CombinedAccess for Word {
    fn segment(&self) -> &SegmentAccess {
        &self.segment
    }

    fn gather(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &mut Replacements) {
        let size = inst.ty.kind.bytes();
        let kind = if i64::from(size) == WORD { Kind::I64 } else { Kind::I32 };
        let ty = Type { kind, ..inst.ty };
        let mask = inst.args[inst.args.len() - 2];
        let (lanes, shift_bytes) = match self.fit {
            Fit::Exact => (lanes, None),
            Fit::Three => {
                let Rounded { lanes, bytes } = lanes.rounded(b, 2, size);
                (lanes, Some(bytes))
            }
            Fit::Two => {
                let Rounded { mut lanes, bytes } = lanes.rounded(b, WORD as u32, size);
                // If the first byte is the last one of its aligned word, the second is in the next word.
                let one = b.constant(ty, 1);
                let next = b.same(Op::Iadd, &[bytes, one]);
                let next = b.shift(Op::Lshr, next, WORD.trailing_zeros());
                let bytes_of_next = b.shift(Op::Shl, next, 1);
                lanes.add_pairs(b, next);
                (lanes, Some(b.same(Op::Isub, &[bytes, bytes_of_next])))
            }
        };
        let mut word = lanes.gather(b, ty, mask, UNALIGNED);
        if let Some(bytes) = shift_bytes {
            let bits = b.shift(Op::Shl, bytes, 3);
            word = b.same(Op::Lshr, &[word, bits]);
        }
        let mut known: SmallVec<[(i64, Value); 4]> = SmallVec::new();
        for &member in &self.segment.members {
            let offset = member.distance - self.segment.start;
            let part = match known.iter().find(|&&(at, _)| at == offset) {
                Some(&(_, part)) => part,
                None => extract_element(b, word, offset as u32, inst.ty),
            };
            known.push((offset, part));
            if let Some(result) = b.func.insts[member.id].result {
                replaced.set(result, part);
            }
        }
    }

    fn scatter(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &Replacements) {
        let mask = inst.args[inst.args.len() - 1];
        let values = self.segment.values(b.func, replaced);
        let each = b.func.ty(values[0]);
        let integer = Type { kind: Kind::int_of_bits(each.kind.bits()), ..each };
        let kind = if i64::from(each.kind.bytes()) == WORD { Kind::I64 } else { Kind::I32 };
        let ty = Type { kind, ..each };
        let mut word: Option<Value> = None;
        for (at, value) in (0u32..).zip(values) {
            let value = if each == integer { value } else { b.convert(Op::Bitcast, integer, value) };
            let value = b.convert(Op::Zext, ty, value);
            let value = b.shift(Op::Shl, value, at * each.kind.bits());
            word = Some(word.map_or(value, |word| b.same(Op::Or, &[word, value])));
        }
        lanes.scatter(b, word.expect("a word has members"), mask, UNALIGNED);
    }
}

/// Extracts the element at a byte offset from words.
fn extract_element(b: &mut Builder<'_>, word: Value, offset: u32, ty: Type) -> Value {
    let integer = Type { kind: Kind::int_of_bits(ty.kind.bits()), ..ty };
    let part = b.shift(Op::Lshr, word, 8 * offset);
    let part = b.convert(Op::Trunc, integer, part);
    if ty == integer { part } else { b.convert(Op::Bitcast, ty, part) }
}

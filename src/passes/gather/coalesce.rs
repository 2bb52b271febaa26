//! Gathers of what lies side by side, such as the colours of a pixel or the members of a structure at an index that varies:
//! one gather of words, of which each takes its part, in place of several. Scatters that fill words become scatters of words.
//!
//! What a word holds besides lies between bytes that the lane accesses, or in one aligned piece with some of them, so that no
//! page is touched which the lane does not touch.

use std::ops::Range;

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::{Combined, Replacements, combine};
use super::subword::{LaneAddresses, Rounded};
use crate::ir::interp::signed;
use crate::ir::{Block, Builder, Effect, Function, Inst, InstId, Kind, Mem, Op, Type, Value};

/// Bytes of a word of bytes or half-words. One of 32-bit numbers has two of them.
const WORD: i64 = 4;
/// Groups that are looked for at a time, and how far their members are apart.
const MOST_OPEN: usize = 16;
const MOST_BYTES: u64 = 64;
/// A word need not be aligned.
const ANYWHERE: Mem = Mem::aligned(1);
/// Sums that are looked through.
const DEPTH: usize = 8;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    if func.instructions().filter(|inst| element(func, inst).is_some()).nth(1).is_none() {
        return false;
    }
    combine(func, words_of)
}

/// The type of the elements that an instruction gathers or scatters, if words of them would do.
fn element(func: &Function, inst: &Inst) -> Option<Type> {
    let ty = elements(func, inst)?;
    let gives_nothing = || inst.args.last().is_some_and(|&other| func.is_zero(other));
    let is_plain = matches!(ty.kind.bytes(), 1 | 2 | 4) && !ty.is_mask();
    (is_plain && (inst.result.is_none() || gives_nothing())).then_some(ty)
}

/// The type of what an instruction gathers or scatters, if that is not volatile.
pub(in crate::passes) fn elements(func: &Function, inst: &Inst) -> Option<Type> {
    let (ty, mem) = match inst.op {
        Op::Gather => (inst.ty, inst.mem()),
        Op::GatherAt => (inst.ty, inst.scaled_mem().0),
        Op::Scatter => (func.ty(inst.args[1]), inst.mem()),
        Op::ScatterAt => (func.ty(inst.args[2]), inst.scaled_mem().0),
        _ => return None,
    };
    (!mem.volatile).then_some(ty)
}

/// Where accesses are that belong together, but for a constant.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::passes) struct CoalesceKey {
    pub op: Op,
    kind: Kind,
    /// The base, or the addresses of lanes.
    root: Value,
    /// What is added to the base.
    more: SmallVec<[Value; 4]>,
    index: Option<Index>,
    scale: u32,
    /// None for all lanes.
    pub mask: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::passes) enum Index {
    Value(Value),
    /// Constants from 0 on, so far apart.
    Steps(Kind, i64),
}

#[derive(Clone, Copy)]
pub(in crate::passes) struct Member {
    pub id: InstId,
    /// Bytes from the key's address.
    pub distance: i64,
}

/// Accesses that belong together, in the order of the program.
pub(in crate::passes) struct Group {
    pub key: CoalesceKey,
    pub members: Vec<Member>,
}

/// What a word is read with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// From its first byte on.
    Exact,
    /// Three bytes, from an even address.
    Three,
    /// Two bytes, from an even address that is followed or preceded by one of them in an aligned word.
    Two,
}

/// Accesses that become one.
struct Word {
    piece: WordAccess,
    fit: Fit,
}

/// Accesses of one piece of memory of each lane.
pub(in crate::passes) struct WordAccess {
    pub is_scatter: bool,
    /// Where it begins: bytes from the key's address.
    pub start: i64,
    pub members: Vec<Member>,
}

fn words_of(func: &Function, block: Block) -> Vec<Word> {
    let mut words = Vec::new();
    groups(func, block, element).into_iter().for_each(|group| group.close(&mut words));
    words
}

/// Accesses of a block that belong together. `element` says of which kind those are that matter.
pub(in crate::passes) fn groups(
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
        if open.len() < MOST_OPEN {
            open.push(Group { key, members: vec![member] });
        }
    }
    closed.append(&mut open);
    closed
}

/// Where an access belongs, and its distance.
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
        // Numbers as the addresses that they are.
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
    key.index = Some(steps(func, index).unwrap_or(Index::Value(index)));
    key.scale = inst.scaled_mem().1;
    let distance;
    (key.root, key.more, distance) = address(func, key.root);
    (key, distance)
}

/// An address: where it begins, what is added to that, and how many bytes.
pub(in crate::passes) fn address(func: &Function, mut root: Value) -> (Value, SmallVec<[Value; 4]>, i64) {
    let (mut more, mut distance) = (SmallVec::new(), 0i64);
    for _ in 0..DEPTH {
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

/// Constants of lanes that go in steps from 0.
fn steps(func: &Function, index: Value) -> Option<Index> {
    let def = func.def_inst(index).filter(|def| def.op == Op::BuildVector)?;
    let kind = def.ty.kind;
    let constant = |&arg: &Value| func.as_const(arg).map(|bits| signed(kind.bits(), bits));
    let step = constant(def.args.get(1)?)?;
    let is_so = |(lane, arg)| constant(arg) == Some(step.wrapping_mul(lane));
    (0i64..).zip(&def.args).all(is_so).then_some(Index::Steps(kind, step))
}

impl Group {
    /// Whether another access may be a member: not far off, a multiple of elements away, and no second store to one place.
    fn fits(&self, new: Member) -> bool {
        let size = i64::from(self.key.kind.bytes());
        let is_scatter = self.is_scatter();
        self.members.iter().all(|member| {
            let apart = new.distance.wrapping_sub(member.distance);
            apart.unsigned_abs() <= MOST_BYTES && apart % size == 0 && !(is_scatter && apart == 0)
        })
    }

    pub(in crate::passes) fn is_scatter(&self) -> bool {
        self.key.op.effect() != Effect::Read
    }

    /// How far members are from the key's address, in ascending order.
    pub(in crate::passes) fn distances(&self) -> Vec<i64> {
        let mut distances: Vec<i64> = self.members.iter().map(|member| member.distance).collect();
        distances.sort_unstable();
        distances.dedup();
        distances
    }

    /// The members at these distances, from so many bytes on.
    pub(in crate::passes) fn piece(&self, start: i64, distances: &[i64]) -> WordAccess {
        let is_inside = |member: &&Member| distances.contains(&member.distance);
        let members = self.members.iter().filter(is_inside).copied().collect();
        WordAccess { is_scatter: self.is_scatter(), start, members }
    }

    /// Makes words of what was found, as far as there is more than one access in them.
    fn close(self, words: &mut Vec<Word>) {
        let is_scatter = self.is_scatter();
        let size = i64::from(self.key.kind.bytes());
        let distances = self.distances();
        let mut rest = &distances[..];
        while let Some((start, fit, count)) = first_word(&distances, rest, size, is_scatter) {
            let (inside, behind) = rest.split_at(count);
            rest = behind;
            if count > 1 {
                words.push(Word { piece: self.piece(start, inside), fit });
            }
        }
    }
}

/// The word for the first of the elements that are left, of all of them: where it begins, how it is read, and for how many.
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

/// Where so many bytes begin that hold some bytes and lie between the lowest and the highest that are accessed.
pub(in crate::passes) fn start_between(inside: Range<i64>, all: Range<i64>, bytes: i64) -> Option<i64> {
    let fits = |start: &i64| *start >= all.start && start + bytes <= all.end;
    [inside.start, inside.end - bytes].into_iter().find(fits)
}

impl WordAccess {
    /// The member that it takes the place of: loads are done early, stores late.
    fn place(&self) -> Member {
        let place = if self.is_scatter { self.members.last() } else { self.members.first() };
        *place.expect("a piece has members")
    }

    /// The access whose place it takes, and where the piece is in each lane.
    fn lanes(&self, b: &mut Builder<'_>, replaced: &Replacements) -> (Inst, LaneAddresses) {
        let place = self.place();
        let mut inst = b.func.insts[place.id].clone();
        replaced.resolve(&mut inst);
        b.loc = inst.loc;
        let mut lanes = LaneAddresses::of(b, &inst);
        lanes.add(b, self.start.wrapping_sub(place.distance));
        (inst, lanes)
    }

    /// What its members store, the first in memory first.
    pub(in crate::passes) fn values(&self, func: &Function, replaced: &Replacements) -> SmallVec<[Value; 4]> {
        let mut members = self.members.clone();
        members.sort_unstable_by_key(|member| member.distance);
        let value = |member: Member| {
            let args = &func.insts[member.id].args;
            replaced.get(args[args.len() - 2])
        };
        members.into_iter().map(value).collect()
    }
}

/// A piece that is moved at once, from or to memory.
pub(in crate::passes) trait Moved {
    fn piece(&self) -> &WordAccess;
    /// Writes loads for the access whose place they take, and what takes the place of its members.
    fn gather(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &mut Replacements);
    /// Writes stores for it.
    fn scatter(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &Replacements);
}

impl<M: Moved> Combined for M {
    fn insertion_point(&self) -> InstId {
        self.piece().place().id
    }
    fn members(&self) -> impl Iterator<Item = InstId> {
        self.piece().members.iter().map(|member| member.id)
    }
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements) {
        let mut b = Builder::new(func, block);
        let (inst, lanes) = self.piece().lanes(&mut b, replaced);
        if self.piece().is_scatter {
            self.scatter(&mut b, &inst, lanes, replaced);
        } else {
            self.gather(&mut b, &inst, lanes, replaced);
        }
    }
}

impl Moved for Word {
    fn piece(&self) -> &WordAccess {
        &self.piece
    }

    fn gather(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &mut Replacements) {
        let size = inst.ty.kind.bytes();
        let kind = if i64::from(size) == WORD { Kind::I64 } else { Kind::I32 };
        let ty = Type { kind, ..inst.ty };
        let mask = inst.args[inst.args.len() - 2];
        let (lanes, behind) = match self.fit {
            Fit::Exact => (lanes, None),
            Fit::Three => {
                let Rounded { lanes, bytes } = lanes.rounded(b, 2, size);
                (lanes, Some(bytes))
            }
            Fit::Two => {
                let Rounded { mut lanes, bytes } = lanes.rounded(b, WORD as u32, size);
                // Behind the last byte of an aligned word is one of the next.
                let one = b.constant(ty, 1);
                let next = b.same(Op::Iadd, &[bytes, one]);
                let next = b.shift(Op::Lshr, next, WORD.trailing_zeros());
                let bytes_of_next = b.shift(Op::Shl, next, 1);
                lanes.add_pairs(b, next);
                (lanes, Some(b.same(Op::Isub, &[bytes, bytes_of_next])))
            }
        };
        let mut word = lanes.gather(b, ty, mask, ANYWHERE);
        if let Some(bytes) = behind {
            let bits = b.shift(Op::Shl, bytes, 3);
            word = b.same(Op::Lshr, &[word, bits]);
        }
        let mut known: SmallVec<[(i64, Value); 4]> = SmallVec::new();
        for &member in &self.piece.members {
            let place = member.distance - self.piece.start;
            let part = match known.iter().find(|&&(at, _)| at == place) {
                Some(&(_, part)) => part,
                None => part_of(b, word, place as u32, inst.ty),
            };
            known.push((place, part));
            if let Some(result) = b.func.insts[member.id].result {
                replaced.set(result, part);
            }
        }
    }

    fn scatter(&self, b: &mut Builder<'_>, inst: &Inst, lanes: LaneAddresses, replaced: &Replacements) {
        let mask = inst.args[inst.args.len() - 1];
        let values = self.piece.values(b.func, replaced);
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
        lanes.scatter(b, word.expect("a word has members"), mask, ANYWHERE);
    }
}

/// The element of words that begins with so many of their bytes.
fn part_of(b: &mut Builder<'_>, word: Value, place: u32, ty: Type) -> Value {
    let integer = Type { kind: Kind::int_of_bits(ty.kind.bits()), ..ty };
    let part = b.shift(Op::Lshr, word, 8 * place);
    let part = b.convert(Op::Trunc, integer, part);
    if ty == integer { part } else { b.convert(Op::Bitcast, ty, part) }
}

//! Majorities of three values, bit by bit: `x & y | z & (x ^ y)` and its other forms. They are rewritten as `y ^
//! ((x ^ y) & (y ^ z))`: each step of a hash function uses two values of the step before and a new one, so `y ^ z`
//! was computed already. For targets without ternary logic instructions.

use smallvec::SmallVec;

use grus_ir::{Attr, Block, Builder, Def, Function, Inst, InstId, Op, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Two values in ascending order.
type Pair = (Value, Value);

fn pair(a: Value, b: Value) -> Pair {
    (a.min(b), a.max(b))
}

/// Majority in a block.
pub struct Majority {
    root: InstId,
    of: [Value; 3],
    /// Value that the other two are compared with, if the majority is already written as `y ^ ((x ^ y) & (y ^ z))`.
    middle: Option<Value>,
    /// Instructions between the operands and the root that have no other use.
    inner: SmallVec<[InstId; 4]>,
    /// Number of instructions of the present form.
    length: usize,
}

impl Majority {
    /// Creates a majority; `None` if the values are not distinct.
    fn new(root: InstId, of: [Value; 3], inner: SmallVec<[InstId; 4]>) -> Option<Majority> {
        let [x, y, z] = of;
        let majority = Majority { root, of, middle: None, inner, length: 4 };
        (x != y && x != z && y != z).then_some(majority)
    }

    /// Returns the two pairs whose difference is needed, with `middle` in the middle.
    fn differences(&self, middle: Value) -> [Pair; 2] {
        let mut others = self.of.iter().filter(|&&value| value != middle).map(|&value| pair(value, middle));
        [others.next(), others.next()].map(|pair| pair.expect("three values differ"))
    }
}

/// Finds the majorities that become shorter, and the value in the middle of each.
pub fn find(func: &Function) -> FastMap<InstId, (Value, Majority)> {
    let mut found = FastMap::default();
    if !func.instructions().any(|inst| inst.op == Op::And) {
        return found;
    }
    let finder = MajorityFinder::new(func);
    for &block in &func.layout {
        let here: Vec<Majority> = finder.majorities(block);
        let mut times: FastMap<Pair, usize> = FastMap::default();
        for majority in &here {
            let [a, b, c] = majority.of;
            for two in [pair(a, b), pair(b, c), pair(a, c)] {
                *times.entry(two).or_default() += 1;
            }
        }
        // Instructions that a majority replaces or uses must not be removed with another one. The walk is
        // backwards, since users follow their operands.
        let (mut taken, mut needed): (FastSet<InstId>, FastSet<InstId>) = Default::default();
        for majority in here.into_iter().rev() {
            let shared =
                |middle: Value| majority.differences(middle).iter().map(|two| times[two]).sum::<usize>();
            let all = majority.of.iter().copied();
            let Some(middle) = all.max_by_key(|&middle| (shared(middle), middle)) else { continue };
            let is_shared =
                shared(middle) > 2 && majority.middle.is_none_or(|now| shared(now) < shared(middle));
            let is_free = !taken.contains(&majority.root)
                && majority.inner.iter().all(|id| !taken.contains(id) && !needed.contains(id));
            if is_free && (is_shared || majority.length > 4) {
                needed.extend(majority.of.iter().filter_map(|&value| match func.values[value].def {
                    Def::Inst(id) => Some(id),
                    Def::Param(..) => None,
                }));
                taken.extend(majority.inner.iter().copied().chain([majority.root]));
                found.insert(majority.root, (middle, majority));
            }
        }
    }
    found
}

/// Rewrites the majorities.
pub fn write(func: &mut Function, found: &FastMap<InstId, (Value, Majority)>) {
    let gone: FastSet<InstId> =
        found.values().flat_map(|(_, majority)| majority.inner.iter().copied()).collect();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut known: FastMap<Pair, Value> = FastMap::default();
        for id in insts {
            if gone.contains(&id) {
                continue;
            }
            if let Some((middle, majority)) = found.get(&id) {
                let (middle, loc) = (*middle, func.insts[id].loc);
                let ty = func.ty(middle);
                let [a, b] = majority.differences(middle).map(|two| {
                    let mut build = Builder { func, block, loc };
                    *known.entry(two).or_insert_with(|| build.value(Op::Xor, ty, &[two.0, two.1], Attr::None))
                });
                let both = Builder { func, block, loc }.value(Op::And, ty, &[a, b], Attr::None);
                let root = &mut func.insts[id];
                root.op = Op::Xor;
                root.args = [middle, both].into_iter().collect();
            }
            func.blocks[block].insts.push(id);
            let inst = &func.insts[id];
            if let (Op::Xor, Some(result)) = (inst.op, inst.result) {
                known.entry(pair(inst.args[0], inst.args[1])).or_insert(result);
            }
        }
    }
}

struct MajorityFinder<'f> {
    func: &'f Function,
    uses: IdMap<Value, u32>,
    home: IdMap<Value, Option<Block>>,
}

impl<'f> MajorityFinder<'f> {
    fn new(func: &'f Function) -> MajorityFinder<'f> {
        let mut home = IdMap::with_len(None, func.values.len());
        for &block in &func.layout {
            for result in func.blocks[block].insts.iter().filter_map(|&id| func.insts[id].result) {
                home[result] = Some(block);
            }
        }
        MajorityFinder { func, uses: func.use_counts(), home }
    }

    fn majorities(&self, block: Block) -> Vec<Majority> {
        let insts = self.func.blocks[block].insts.iter();
        let found = insts.filter(|&&id| self.func.insts[id].ty.kind.bits() >= 8).filter_map(|&id| {
            let forms = [MajorityFinder::of_two, MajorityFinder::of_three, MajorityFinder::of_differences];
            forms.iter().find_map(|form| form(self, block, id))
        });
        // With two constants the rewriting gains nothing.
        let is_known = |value: &&Value| self.func.as_const_of_lanes(**value).is_some();
        found.filter(|majority| majority.of.iter().filter(is_known).count() < 2).collect()
    }

    /// Returns the instruction of the block that defines a value, and `true` if the value has only one use.
    fn inst(&self, block: Block, value: Value) -> Option<(InstId, &'f Inst, bool)> {
        let Def::Inst(id) = self.func.values[value].def else { return None };
        (self.home[value] == Some(block)).then(|| (id, &self.func.insts[id], self.uses[value] == 1))
    }

    /// Returns the operands of a conjunction that has only one use.
    fn conjunction(&self, block: Block, value: Value) -> Option<(InstId, [Value; 2])> {
        let (id, inst, is_lone) = self.inst(block, value)?;
        (is_lone && inst.op == Op::And).then(|| (id, [inst.args[0], inst.args[1]]))
    }

    /// Matches `x & y | z & (x ^ y)`, in any order.
    fn of_two(&self, block: Block, id: InstId) -> Option<Majority> {
        let root = &self.func.insts[id];
        if !matches!(root.op, Op::Or | Op::Xor) {
            return None;
        }
        let (first, second) =
            (self.conjunction(block, root.args[0])?, self.conjunction(block, root.args[1])?);
        [(first, second), (second, first)].into_iter().find_map(|((both, [x, y]), (either, of))| {
            [(of[0], of[1]), (of[1], of[0])].into_iter().find_map(|(z, either_value)| {
                let (last, inst, is_lone) = self.inst(block, either_value)?;
                let is_either = inst.op == Op::Xor || inst.op == Op::Or && root.op == Op::Or;
                if !is_either || pair(inst.args[0], inst.args[1]) != pair(x, y) {
                    return None;
                }
                let inner = [both, either].into_iter().chain(Some(last).filter(|_| is_lone)).collect();
                Majority::new(id, [x, y, z], inner)
            })
        })
    }

    /// Matches `x & y | x & z | y & z`, in any order.
    fn of_three(&self, block: Block, id: InstId) -> Option<Majority> {
        let root = &self.func.insts[id];
        if !matches!(root.op, Op::Or | Op::Xor) {
            return None;
        }
        [(0, 1), (1, 0)].into_iter().find_map(|(inner, last)| {
            let (chain, link, is_lone) = self.inst(block, root.args[inner])?;
            if !is_lone || link.op != root.op {
                return None;
            }
            let (c, [x, y]) = self.conjunction(block, root.args[last])?;
            let (a, one) = self.conjunction(block, link.args[0])?;
            let (b, other) = self.conjunction(block, link.args[1])?;
            let z = one.into_iter().find(|value| other.contains(value))?;
            let rest = pair(one[usize::from(one[0] == z)], other[usize::from(other[0] == z)]);
            let inner = [chain, a, b, c].into_iter().collect();
            let found = Majority::new(id, [x, y, z], inner).filter(|_| rest == pair(x, y));
            found.map(|majority| Majority { length: 5, ..majority })
        })
    }

    /// Matches `y ^ ((x ^ y) & (y ^ z))`.
    fn of_differences(&self, block: Block, id: InstId) -> Option<Majority> {
        let root = &self.func.insts[id];
        if root.op != Op::Xor {
            return None;
        }
        [(0, 1), (1, 0)].into_iter().find_map(|(same, changed)| {
            let middle = root.args[same];
            let (both, differences) = self.conjunction(block, root.args[changed])?;
            let mut inner = SmallVec::from_slice(&[both]);
            let mut of = [middle; 3];
            for (place, difference) in of[1..].iter_mut().zip(differences) {
                let (last, inst, is_lone) =
                    self.inst(block, difference).filter(|(_, inst, _)| inst.op == Op::Xor)?;
                let at = inst.args.iter().position(|&arg| arg == middle)?;
                *place = inst.args[1 - at];
                inner.extend(Some(last).filter(|_| is_lone));
            }
            Majority::new(id, of, inner).map(|majority| Majority { middle: Some(middle), ..majority })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::{Kind, Type, verify};

    /// Returns the number of bitwise operations before and after the rewriting, for steps of a hash function with a
    /// majority each.
    fn counts(steps: usize, step: impl Fn(&mut Builder<'_>, [Value; 3]) -> Value) -> (usize, usize) {
        let ty = Type::vector(Kind::I32, 8);
        let mut func = Function::new("f", ty);
        let entry = func.add_block();
        func.add_param(entry, Type::GLOBAL);
        let mut state = [ty; 3].map(|ty| func.add_param(entry, ty));
        let mut b = Builder::new(&mut func, entry);
        for _ in 0..steps {
            let made = step(&mut b, state);
            let sum = b.value(Op::Iadd, ty, &[made, state[2]], Attr::None);
            state = [sum, state[0], state[1]];
        }
        b.ret(&[state[0]]);
        let count = |func: &Function| {
            func.instructions().filter(|inst| matches!(inst.op, Op::And | Op::Or | Op::Xor)).count()
        };
        let before = count(&func);
        let found = find(&func);
        write(&mut func, &found);
        verify(&func, None).unwrap_or_else(|why| panic!("{why}\n{func}"));
        (before, count(&func))
    }

    fn op(b: &mut Builder<'_>, op: Op, x: Value, y: Value) -> Value {
        let ty = b.func.ty(x);
        b.value(op, ty, &[x, y], Attr::None)
    }

    #[test]
    fn differences_are_shared_by_steps() {
        let two = |b: &mut Builder<'_>, [x, y, z]: [Value; 3]| {
            let (both, differing) = (op(b, Op::And, x, y), op(b, Op::Xor, x, y));
            let last = op(b, Op::And, z, differing);
            op(b, Op::Or, both, last)
        };
        assert_eq!(counts(10, two), (40, 31));
        // A single majority shares nothing.
        assert_eq!(counts(1, two), (4, 4));
    }

    #[test]
    fn a_value_may_be_there_twice() {
        let twice = |b: &mut Builder<'_>, [x, _, z]: [Value; 3]| {
            let (both, differing) = (op(b, Op::And, x, x), op(b, Op::Xor, x, x));
            let last = op(b, Op::And, z, differing);
            op(b, Op::Or, both, last)
        };
        assert_eq!(counts(3, twice), (12, 12));
    }

    #[test]
    fn three_conjunctions_become_one() {
        let three = |b: &mut Builder<'_>, [x, y, z]: [Value; 3]| {
            let (a, c, d) = (op(b, Op::And, x, y), op(b, Op::And, x, z), op(b, Op::And, y, z));
            let first = op(b, Op::Xor, a, c);
            op(b, Op::Xor, first, d)
        };
        assert_eq!(counts(1, three), (5, 4));
        assert_eq!(counts(10, three), (50, 31));
    }

    #[test]
    fn another_value_is_in_the_middle() {
        let selected = |b: &mut Builder<'_>, [x, y, z]: [Value; 3]| {
            let (first, second) = (op(b, Op::Xor, x, y), op(b, Op::Xor, x, z));
            let both = op(b, Op::And, first, second);
            op(b, Op::Xor, x, both)
        };
        assert_eq!(counts(10, selected), (40, 31));
    }
}

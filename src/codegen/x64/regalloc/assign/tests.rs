//! Random functions with high register pressure, verified by regalloc2's checker.

use grus_smith::splitmix;
use regalloc2::{Block, PReg, RegClass, VReg};

use crate::x64::inst::{CondCode, InstBuilder, InstKind, Test};
use crate::x64::vcode::{ARGUMENTS, MachineBlock, VCode, environment};
use grus_ir::analysis::LoopId;

const CLASSES: [RegClass; 3] = [RegClass::Vector, RegClass::Vector, RegClass::Int];

/// Generator of a function with nested branches and loops.
struct Generator {
    code: VCode,
    random: u64,
    scope: Vec<VReg>,
    loops: Vec<LoopId>,
    loop_count: u32,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = seed;
        splitmix(&mut random);
        Generator { code: VCode::new(), random, scope: Vec::new(), loops: Vec::new(), loop_count: 0 }
    }

    fn below(&mut self, count: usize) -> usize {
        (splitmix(&mut self.random) >> 33) as usize % count
    }

    fn begin(&mut self, params: Vec<VReg>) -> usize {
        self.scope.extend(&params);
        let (first, depth) = (self.code.insts.len() as u32, self.loops.len() as u32);
        let innermost_loop = self.loops.last().copied();
        self.code.blocks.push(MachineBlock {
            first,
            params,
            innermost_loop,
            depth,
            ..MachineBlock::default()
        });
        self.code.blocks.len() - 1
    }

    fn push(&mut self, build: InstBuilder) {
        self.code.push(build, 0);
    }

    /// Ends the current block.
    fn end(&mut self, last: InstBuilder) -> usize {
        self.push(last);
        let block = self.code.blocks.len() - 1;
        self.code.blocks[block].end = self.code.insts.len() as u32;
        block
    }

    fn edge(&mut self, from: usize, to: usize, args: Vec<VReg>) {
        self.code.blocks[from].successors.push(Block::new(to));
        self.code.blocks[from].args.push(args);
        self.code.blocks[to].predecessors.push(Block::new(from));
    }

    fn any(&mut self, class: RegClass) -> VReg {
        let known: Vec<VReg> = self.scope.iter().copied().filter(|value| value.class() == class).collect();
        match known.len() {
            0 => self.define(class),
            count => {
                let at = self.below(count);
                known[at]
            }
        }
    }

    fn define(&mut self, class: RegClass) -> VReg {
        let value = self.code.vreg(class);
        self.push(InstBuilder::new(InstKind::Plain).def(value));
        self.scope.push(value);
        value
    }

    fn inst(&mut self) {
        let class = CLASSES[self.below(CLASSES.len())];
        let (a, b) = (self.any(class), self.any(class));
        let result = self.code.vreg(class);
        let plain = InstBuilder::new(InstKind::Plain);
        let build = match self.below(7) {
            0 => plain.def(result),
            1 => plain.reuse_def(a, result).read(b),
            2 => {
                let free = self.code.vreg(class);
                plain.def(result).late_read(a).temporary(free)
            }
            3 if class == RegClass::Int => {
                let register = |number: u8| PReg::new(usize::from(number), RegClass::Int);
                plain.fixed_read(a, register(ARGUMENTS[3])).read(b).fixed_def(result, register(ARGUMENTS[0]))
            }
            _ => plain.def(result).read(a).read(b),
        };
        self.push(build);
        self.scope.push(result);
    }

    /// Returns random values in scope for `params`.
    fn args(&mut self, params: &[VReg]) -> Vec<VReg> {
        params.iter().map(|param| self.any(param.class())).collect()
    }

    fn params(&mut self) -> Vec<VReg> {
        (0..self.below(7))
            .map(|_| {
                let class = CLASSES[self.below(CLASSES.len())];
                self.code.vreg(class)
            })
            .collect()
    }

    fn branch() -> InstBuilder {
        InstBuilder::new(InstKind::Branch(Test::One(CondCode::Equal)))
    }

    /// Generates instructions, branches and loops, nested up to `depth`.
    fn region(&mut self, depth: u32) {
        for _ in 0..1 + self.below(4) {
            for _ in 0..self.below(8) {
                self.inst();
            }
            match self.below(3) {
                0 if depth > 0 => self.arms(depth),
                1 if depth > 0 => self.loop_region(depth),
                _ => {}
            }
        }
    }

    /// Generates one or two conditions with arms, and the block where they join.
    fn arms(&mut self, depth: u32) {
        let params = self.params();
        let scope = self.scope.len();
        let mut ends = Vec::new();
        let mut from = self.end(Self::branch());
        for is_last in [self.below(2) == 0, true] {
            // One arm ends here, the other one may branch again.
            let arm = self.begin(Vec::new());
            self.edge(from, arm, Vec::new());
            self.region(depth - 1);
            let args = self.args(&params);
            ends.push((self.end(InstBuilder::new(InstKind::Jump)), args));
            self.scope.truncate(scope);
            let other = self.begin(Vec::new());
            self.edge(from, other, Vec::new());
            if is_last {
                self.region(depth - 1);
                let args = self.args(&params);
                ends.push((self.end(InstBuilder::new(InstKind::Jump)), args));
                self.scope.truncate(scope);
                break;
            }
            self.inst();
            from = self.end(Self::branch());
        }
        let join = self.begin(params);
        for (end, args) in ends {
            self.edge(end, join, args);
        }
    }

    /// Generates a loop whose exit is at its end.
    fn loop_region(&mut self, depth: u32) {
        let params = self.params();
        let args = self.args(&params);
        let from = self.end(InstBuilder::new(InstKind::Jump));
        self.loops.push(LoopId(self.loop_count));
        self.loop_count += 1;
        let header = self.begin(params.clone());
        self.edge(from, header, args);
        self.region(depth - 1);
        let last = self.end(Self::branch());
        let scope = self.scope.len();
        let latch = self.begin(Vec::new());
        self.edge(last, latch, Vec::new());
        let args = self.args(&params);
        let back = self.end(InstBuilder::new(InstKind::Jump));
        self.edge(back, header, args);
        self.scope.truncate(scope);
        self.loops.pop();
        let next = self.begin(Vec::new());
        self.edge(last, next, Vec::new());
    }

    fn function(mut self) -> VCode {
        self.begin(Vec::new());
        for _ in 0..4 {
            for class in CLASSES {
                self.define(class);
            }
        }
        self.region(3);
        let read: Vec<VReg> = (0..4).map(|_| self.any(RegClass::Vector)).collect();
        let build =
            read.into_iter().fold(InstBuilder::new(InstKind::Plain), |build, value| build.late_read(value));
        self.push(build);
        self.end(InstBuilder::new(InstKind::Return));
        self.code
    }
}

#[test]
fn random_functions_find_their_values() {
    let mut found = 0;
    for seed in 0..2000 {
        let code = Generator::new(seed).function();
        let environment = environment(true, [0, 3, 5][seed as usize % 3]);
        let Some(output) = super::assign_unlimited(&code, &environment) else { continue };
        found += 1;
        let mut checker = regalloc2::checker::Checker::new(&code, &environment);
        checker.prepare(&output);
        if let Err(error) = checker.run() {
            panic!("seed {seed}: {error:?}");
        }
    }
    assert!(found > 1000, "only {found} functions were given registers");
}

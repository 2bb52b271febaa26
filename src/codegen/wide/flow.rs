//! Where control goes: the entry, branches, calls. Values cross calls as Cranelift's code has them cross
//! (`clif::translate`), since either may call the other: scalars in registers, by the calling convention of C.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{PReg, RegClass, VReg};

use super::Unsupported;
use super::code::{ARGUMENTS, RAX};
use super::lower::{Edge, Lower, Lowered, Parts, one};
use super::machine::{Build, Kind as MachineKind, Switch, View};
use super::table::{Row, Size};
use crate::ir::{Inst, Kind, Op, Terminator, Type, Value};
use crate::rtlib;
use crate::support::Id;

/// Registers of arguments, as far as they go.
#[derive(Default)]
struct Arguments {
    general: usize,
    vector: usize,
}

impl Arguments {
    fn next(&mut self, class: RegClass) -> Lowered<PReg> {
        let register = match class {
            RegClass::Int => {
                self.general += 1;
                ARGUMENTS.get(self.general - 1).map(|&number| PReg::new(usize::from(number), class))
            }
            _ => {
                self.vector += 1;
                (self.vector <= 8).then(|| PReg::new(self.vector - 1, class))
            }
        };
        register.ok_or(Unsupported("arguments on the stack"))
    }
}

/// How a value of a type crosses a call: one register, if it can.
fn crossing(ty: Type) -> Lowered<RegClass> {
    match ty.kind {
        _ if ty.is_vector() => Err(Unsupported("a vector crosses a call")),
        // The bits of a half are an integer there.
        Kind::F16 => Ok(RegClass::Int),
        kind if kind.is_float() => Ok(RegClass::Float),
        _ => Ok(RegClass::Int),
    }
}

impl<'a> Lower<'a> {
    /// Whether all that crosses calls can: known before anything is made.
    pub fn check_crossings(&self) -> Lowered<()> {
        let source = self.source;
        let all = |types: &mut dyn Iterator<Item = Type>| -> Lowered<()> {
            let mut arguments = Arguments::default();
            for ty in types {
                arguments.next(crossing(ty)?)?;
            }
            Ok(())
        };
        all(&mut source.params().iter().map(|&param| source.ty(param)))?;
        if source.params().iter().any(|&param| source.ty(param).kind == Kind::F16) {
            return Err(Unsupported("a half as a parameter"));
        }
        for inst in source.instructions() {
            match inst.op {
                Op::Call => {
                    all(&mut inst.args.iter().map(|&arg| source.ty(arg)))?;
                    crossing(inst.ty)?;
                }
                Op::Ret => all(&mut inst.args.iter().map(|&arg| source.ty(arg)))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Parameters of the function.
    pub fn entry(&mut self) -> Lowered<()> {
        let mut arguments = Arguments::default();
        let mut build = Build::of(MachineKind::Nothing);
        for &param in self.source.params() {
            let class = crossing(self.source.ty(param))?;
            let register = arguments.next(class)?;
            let Some(place) = self.place_of(param) else { continue };
            if place.class() == class {
                build = build.fixed_def(place, register);
            } else {
                return Err(Unsupported("a half as a parameter"));
            }
        }
        self.made.push(build);
        Ok(())
    }

    /// The end of a block; what a jump hands over.
    pub fn terminator(&mut self, inst: &'a Inst, leads: &[Edge<'a>]) -> Lowered<Vec<VReg>> {
        match Terminator::of(inst.op) {
            Some(Terminator::Jump) => {
                let args = self.arguments(leads[0].target)?;
                self.made.push(Build::of(MachineKind::Jump));
                return Ok(args);
            }
            Some(Terminator::BrIf) => self.branch_on(inst.args[0])?,
            Some(Terminator::Switch) => self.switch(inst)?,
            Some(Terminator::Ret) => self.ret(inst)?,
            Some(Terminator::Unreachable) | None => self.made.push(Build::of(MachineKind::Trap)),
        }
        Ok(Vec::new())
    }

    fn ret(&mut self, inst: &Inst) -> Lowered<()> {
        let mut build = Build::of(MachineKind::Return);
        if let Some(&value) = inst.args.first() {
            let class = crossing(self.source.ty(value))?;
            let register = self.scalar(value)?;
            let register =
                if self.source.ty(value).kind == Kind::F16 { self.half_bits(register) } else { register };
            build = build.fixed_read(register, PReg::new(0, class));
        }
        self.made.push(build);
        Ok(())
    }

    fn switch(&mut self, inst: &'a Inst) -> Lowered<()> {
        let bits = self.source.ty(inst.args[0]).kind.bits();
        let value = self.extended(inst.args[0], bits, false)?;
        let cases: Vec<(u64, u32)> = (1..).zip(inst.cases()).map(|(i, &case)| (case, i)).collect();
        let mut cases = cases;
        cases.sort_unstable();
        cases.dedup_by_key(|case| case.0);
        if cases.is_empty() && inst.targets.len() == 1 {
            // The only way there is.
            return Err(Unsupported("a switch without cases"));
        }
        let spare = [self.general(), self.general()];
        let switch = Switch { cases, bytes: bits.max(32) / 8 };
        let build = Build::of(MachineKind::Switch(Box::new(switch))).held(value);
        let build = build.temporary(spare[0]).temporary(spare[1]);
        self.made.push(build);
        Ok(())
    }

    /// Calls a function of the group code.
    pub fn call(&mut self, inst: &Inst) -> Lowered<Parts> {
        let mut build = Build::of(MachineKind::CallFunction(inst.callee().index() as u32));
        build.inst.is_call = true;
        let mut arguments = Arguments::default();
        for &arg in &inst.args {
            build = self.argument(build, &mut arguments, arg)?;
        }
        self.finish_call(build, inst.ty)
    }

    fn argument(&mut self, build: Build, arguments: &mut Arguments, arg: Value) -> Lowered<Build> {
        let ty = self.source.ty(arg);
        let register = arguments.next(crossing(ty)?)?;
        let mut value = self.scalar(arg)?;
        if ty.kind == Kind::F16 {
            value = self.half_bits(value);
        }
        Ok(build.fixed_read(value, register))
    }

    fn finish_call(&mut self, mut build: Build, ty: Type) -> Lowered<Parts> {
        if ty == Type::VOID {
            self.made.push(build);
            return Ok(Parts::new());
        }
        let class = crossing(ty)?;
        let result = self.code.vreg(class);
        build = build.fixed_def(result, PReg::new(0, class));
        self.made.push(build);
        if ty.kind == Kind::F16 {
            return Ok(one(self.half_of_bits(result)));
        }
        Ok(one(result))
    }

    /// The bits of a half, in a general register.
    pub fn half_bits(&mut self, half: VReg) -> VReg {
        let result = self.general();
        self.made.push(Build::row(Row::Vmovds, Size::X).def_as(result, View::Long).read(half));
        result
    }

    /// The half of these bits.
    pub fn half_of_bits(&mut self, bits: VReg) -> VReg {
        let result = self.code.vreg(RegClass::Float);
        self.made.push(Build::row(Row::Vmovd, Size::X).def(result).read_as(bits, View::Long));
        result
    }

    /// Calls a runtime function by its address.
    pub fn call_helper(&mut self, declaration: &rtlib::Declaration, args: &[Value]) -> Lowered<Parts> {
        let mut registers = Vec::new();
        for &arg in args {
            registers.push(self.scalar(arg)?);
        }
        self.call_address(declaration, &registers)
    }

    /// The same with arguments that are in registers.
    pub fn call_address(&mut self, declaration: &rtlib::Declaration, args: &[VReg]) -> Lowered<Parts> {
        let address = self.general();
        self.made.push(
            Build::code(Encoding::Mov_r64_imm64)
                .def_as(address, View::Quad)
                .imm(OpKind::Immediate64, declaration.address as i64),
        );
        let mut build = Build::of(MachineKind::CallAddress);
        build.inst.is_call = true;
        // No argument is there.
        build = build.fixed_read(address, RAX);
        let mut arguments = Arguments::default();
        for &arg in args {
            build = build.fixed_read(arg, arguments.next(arg.class())?);
        }
        let ty = if declaration.result == Kind::Void { Type::VOID } else { Type::scalar(declaration.result) };
        self.finish_call(build, ty)
    }

    /// One value or the other, by one truth value or by a mask.
    pub fn select(&mut self, inst: &Inst) -> Lowered<Parts> {
        let ty = inst.ty;
        let [cond, yes, no] = [inst.args[0], inst.args[1], inst.args[2]];
        if self.source.ty(cond).is_mask() {
            return if ty.is_mask() { self.select_masks(inst) } else { self.select_lanes(inst) };
        }
        if !ty.is_vector() && !ty.kind.is_float() {
            let bits = ty.kind.bits().max(32);
            let (yes, no) = (self.scalar(yes)?, self.scalar(no)?);
            let test = self.flags(cond)?;
            return Ok(one(self.choose(test, bits, yes, no)));
        }
        if ty.is_mask() {
            return self.select_whole_masks(inst);
        }
        if let Some(def) = self.source.def_inst(cond)
            && def.op == Op::Fcmp
            && !ty.is_vector()
            && ty.kind != Kind::F16
            && self.source.ty(def.args[0]).kind != Kind::F16
            && self.use_count(cond) == 1
            && self.is_at_home(cond)
        {
            return self.select_by_floats(def, yes, no, ty);
        }
        let (yes, no) = (self.parts(yes)?, self.parts(no)?);
        let shape = self.shape_of(ty)?;
        let test = self.flags(cond)?;
        let truth = self.truth(test);
        Ok(self.blend_all(shape, truth, &yes, &no))
    }

    /// Whether the block at hand holds the instruction that makes a value.
    pub fn is_at_home(&self, value: Value) -> bool {
        self.home_of(value) == Some(self.now.0)
    }
}

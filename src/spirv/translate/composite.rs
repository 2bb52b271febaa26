//! Composites and vectors: construction, extraction, insertion, shuffles, and instructions with two results.

use grus_ir::{Attr, IntCond, Kind, Mem, Op, Type, Value};

use super::function::{FunctionTranslator, Leaves, Result, Translation};
use super::{arithmetic, narrow};
use crate::error::Fault;
use crate::grammar::Opcode;
use crate::module::Id;
use crate::types::{TypeForm, TypeId};

impl FunctionTranslator<'_, '_> {
    pub(super) fn select(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let cond = self.value(words, 3)?;
        let (yes_ty, yes) = self.translation(Id(words[4]))?;
        let (no_ty, no) = self.translation(Id(words[5]))?;
        if yes_ty != ty || no_ty != ty {
            return Err(Fault::new("the objects have other types than the result"));
        }
        if let Some(ir) = self.t.types().ir(ty) {
            let (yes, no) = (self.value(words, 4)?, self.value(words, 5)?);
            let value = arithmetic::select(&mut self.b, ir, &[cond, yes, no])?;
            return self.result(words, value);
        }
        if self.b.func.ty(cond) != Type::I1 {
            return Err(Fault::at(3, "the condition is no bool"));
        }
        let value = match (yes, no) {
            (Translation::Leaves(yes), Translation::Leaves(no)) => {
                let mut values = Leaves::new();
                for (&yes, &no) in yes.iter().zip(&no) {
                    let ty = self.b.func.ty(yes);
                    values.push(arithmetic::select(&mut self.b, ty, &[cond, yes, no])?);
                }
                Translation::Leaves(values)
            }
            (Translation::Memory(yes), Translation::Memory(no)) => {
                let [yes, no] = [yes, no]
                    .map(|address| self.b.convert(Op::Bitcast, Type::scalar(Kind::PtrGeneric), address));
                Translation::Memory(self.b.select(cond, yes, no))
            }
            _ => return Err(Fault::new("the objects have different forms")),
        };
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    pub(super) fn construct(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        if let TypeForm::Vector { .. } = self.t.types().form(ty) {
            let value = self.construct_vector(ty, words)?;
            return self.result(words, value);
        }
        let count = self.t.types().parts(ty);
        if !self.t.types().is_composite(ty) || count != words.len() as u64 - 3 {
            return Err(Fault::at(1, format!("the type does not have {} parts", words.len() - 3)));
        }
        let leaves = self.t.types().leaves(ty);
        let align = self.t.types().get(ty).align;
        let memory = leaves.is_none().then(|| self.temporary_of(ty));
        let mut values = Leaves::new();
        for at in 3..words.len() {
            let (part, offset) = self.t.types().part(ty, at as u64 - 3).expect("the number was checked");
            let (found, mut value) = self.translation(Id(words[at]))?;
            if !self.t.types().are_alike(found, part) {
                return Err(Fault::at(at, format!("part {} has another type", at - 3)));
            }
            if let Translation::BuiltIn { .. } = value {
                value = Translation::One(self.value(words, at)?);
            }
            match (memory, value) {
                (Some(memory), value) => {
                    let address = self.b.ptr_offset(memory, offset);
                    let natural = self.t.types().get(part).align;
                    self.store_any(part, &value, address, Mem::aligned(natural.min(align)))?;
                }
                (None, Translation::One(value)) => values.push(value),
                (None, Translation::Leaves(parts)) => values.extend(parts),
                (None, _) => return Err(Fault::at(at, "the part has another form")),
            }
        }
        let value = memory.map_or(Translation::Leaves(values), Translation::Memory);
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    /// Builds a vector of scalars and vectors.
    fn construct_vector(&mut self, ty: TypeId, words: &[u32]) -> Result<Value> {
        let ir = self.t.types().ir(ty).expect("vectors are values");
        let mut lanes = Leaves::new();
        for at in 3..words.len() {
            let part = self.value(words, at)?;
            let of = self.b.func.ty(part);
            if of.kind != ir.kind {
                return Err(Fault::at(at, "the component has another type"));
            }
            if !of.is_vector() {
                lanes.push(part);
                continue;
            }
            for lane in 0..of.lanes {
                lanes.push(self.b.extract(part, lane));
            }
        }
        if lanes.len() != usize::from(ir.lanes) {
            return Err(Fault::new(format!("{} components are there; {} are wanted", lanes.len(), ir.lanes)));
        }
        if lanes.iter().all(|&lane| lane == lanes[0]) {
            return Ok(self.b.splat(ir, lanes[0]));
        }
        Ok(self.b.value(Op::BuildVector, ir, &lanes, Attr::None))
    }

    pub(super) fn extract(&mut self, words: &[u32]) -> Result<()> {
        let result = self.t.globals.type_at(words, 1)?;
        let id = Id(words[3]);
        let (mut ty, mut value) = self.translation(id)?;
        if let Translation::BuiltIn { .. } = value {
            return Err(Fault::at(3, "the operand is an address"));
        }
        for (at, &index) in words.iter().enumerate().skip(4) {
            (ty, value) = self.part_of(ty, value, index).map_err(|fault| Fault { at, ..fault })?;
        }
        if ty != result {
            return Err(Fault::at(1, "the result has another type than the part"));
        }
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    /// Returns what a built-in variable has in dimensions that no ND-range has: 1 if it is a size, else 0.
    fn missing_component(&self, vector: Value) -> u64 {
        let first =
            self.b.func.def_inst(vector).filter(|def| def.op == Op::BuildVector).map(|def| def.args[0]);
        let query = first.and_then(|first| self.b.func.def_inst(first)).filter(|def| def.op == Op::WorkItem);
        query.map_or(0, |def| def.query().0.outside())
    }

    /// Returns part `index` of a value.
    fn part_of(&mut self, ty: TypeId, value: Translation, index: u32) -> Result<(TypeId, Translation)> {
        let types = self.t.types();
        // Producers extract other components of the vectors of three that built-in variables are.
        if let (TypeForm::Vector { element, lanes: 3 }, 3.., &Translation::One(vector)) =
            (types.form(ty), index, &value)
        {
            let element = *element;
            let missing = self.missing_component(vector);
            let ir = self.t.types().ir(element).ok_or_else(|| Fault::new("the component is no value"))?;
            return Ok((element, Translation::One(self.b.constant(ir, missing))));
        }
        let part = types.part(ty, index.into());
        let (part, offset) = part.ok_or_else(|| Fault::new(format!("there is no part {index}")))?;
        let value = match value {
            Translation::One(vector) => Translation::One(self.b.extract(vector, index as u16)),
            Translation::Leaves(values) => {
                let range = types.leaf_range(ty, index.into());
                let (start, count) = range.ok_or_else(|| Fault::new("the composite has another form"))?;
                let leaves = values.get(start..start + count);
                let leaves = leaves.ok_or_else(|| Fault::new("the composite has another form"))?;
                match types.ir(part) {
                    Some(_) => Translation::One(leaves[0]),
                    None => Translation::Leaves(leaves.into()),
                }
            }
            Translation::Memory(memory) => {
                let address = self.b.ptr_offset(memory, offset);
                let align = self.t.types().get(ty).align.min(self.t.types().get(part).align);
                if self.t.types().is_composite(part) && self.t.types().leaves(part).is_none() {
                    Translation::Memory(address)
                } else {
                    self.load_any(part, address, align, false)?
                }
            }
            Translation::BuiltIn { .. } => return Err(Fault::new("an address has no parts")),
        };
        Ok((part, value))
    }

    pub(super) fn insert(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let (object_ty, object) = self.translation(Id(words[3]))?;
        let (composite_ty, composite) = self.translation(Id(words[4]))?;
        if composite_ty != ty {
            return Err(Fault::at(4, "the composite has another type than the result"));
        }
        let value = match composite {
            Translation::Memory(from) => {
                let align = self.t.types().get(ty).align;
                let copy = self.copied(ty, from, align);
                let (mut part, mut offset) = (ty, 0);
                for (at, &index) in words.iter().enumerate().skip(5) {
                    if self.t.types().is_packed(part) {
                        return Err(Fault::at(at, "the components have no addresses"));
                    }
                    let next = self.t.types().part(part, index.into());
                    let (inner, bytes) =
                        next.ok_or_else(|| Fault::at(at, format!("there is no part {index}")))?;
                    (part, offset) = (inner, offset + bytes);
                }
                self.check_part(part, object_ty)?;
                let address = self.b.ptr_offset(copy, offset);
                let natural = self.t.types().get(part).align.min(align);
                self.store_any(part, &object, address, Mem::aligned(natural))?;
                Translation::Memory(copy)
            }
            composite => self.inserted(ty, composite, (object_ty, object), &words[5..])?,
        };
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    fn check_part(&self, part: TypeId, object: TypeId) -> Result<()> {
        if self.t.types().are_alike(part, object) {
            Ok(())
        } else {
            Err(Fault::at(3, "the object has another type than the part"))
        }
    }

    /// Returns a vector or a list of leaves in which the part at a path is another one.
    fn inserted(
        &mut self,
        ty: TypeId,
        composite: Translation,
        (object_ty, object): (TypeId, Translation),
        path: &[u32],
    ) -> Result<Translation> {
        // Position of the part's leaves, and the lane if the last step is into a vector.
        let (mut part, mut start, mut lane) = (ty, 0, None);
        for (step, &index) in path.iter().enumerate() {
            let types = self.t.types();
            let next = types.part(part, index.into()).map(|(ty, _)| ty);
            let next = next.ok_or_else(|| Fault::at(5 + step, format!("there is no part {index}")))?;
            if let TypeForm::Vector { .. } = types.form(part) {
                lane = Some(index as u16);
            } else {
                let range = types.leaf_range(part, index.into());
                start += range.ok_or_else(|| Fault::new("the composite has another form"))?.0;
            }
            part = next;
        }
        self.check_part(part, object_ty)?;
        let mut leaves = match composite {
            Translation::One(value) => Leaves::from_elem(value, 1),
            Translation::Leaves(leaves) => leaves,
            _ => return Err(Fault::at(4, "the composite has another form")),
        };
        match (lane, object) {
            (Some(lane), Translation::One(object)) => {
                let vector = leaves[start];
                let of = self.b.func.ty(vector);
                leaves[start] = self.b.value(Op::Insert, of, &[vector, object], Attr::Int(lane.into()));
            }
            (None, Translation::One(object)) => leaves[start] = object,
            (None, Translation::Leaves(objects)) => {
                for (place, object) in leaves[start..].iter_mut().zip(objects) {
                    *place = object;
                }
            }
            _ => return Err(Fault::at(3, "the object has another form than the part")),
        }
        Ok(if self.t.types().ir(ty).is_some() {
            Translation::One(leaves[0])
        } else {
            Translation::Leaves(leaves)
        })
    }

    pub(super) fn shuffle(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let ir = self.t.types().ir(ty).filter(|ir| ir.is_vector());
        let ir = ir.ok_or_else(|| Fault::at(1, "the result is no vector"))?;
        let (a, mut b) = (self.value(words, 3)?, self.value(words, 4)?);
        let (of_a, mut of_b) = (self.b.func.ty(a), self.b.func.ty(b));
        if of_b.kind != ir.kind && of_b.kind.bits() == ir.kind.bits() && of_b.kind != Kind::I1 {
            of_b = of_b.with_kind(ir.kind);
            b = self.b.convert(Op::Bitcast, of_b, b);
        }
        if of_a.kind != ir.kind || of_b.kind != ir.kind || words.len() - 5 != usize::from(ir.lanes) {
            return Err(Fault::new("the vectors and the result do not fit"));
        }
        let count = u32::from(of_a.lanes) + u32::from(of_b.lanes);
        let mut lanes = Vec::new();
        for (at, &lane) in words.iter().enumerate().skip(5) {
            // An undefined component is any.
            let lane = if lane == u32::MAX { 0 } else { lane };
            if lane >= count {
                return Err(Fault::at(at, format!("there is no component {lane}")));
            }
            lanes.push(lane as u16);
        }
        let value = self.shuffled(a, b, &mut lanes);
        self.result(words, value)
    }

    /// Emits a shuffle. The op takes vectors of one type, so that the one with fewer lanes gets more.
    fn shuffled(&mut self, a: Value, b: Value, lanes: &mut [u16]) -> Value {
        let (of_a, of_b) = (self.b.func.ty(a).lanes, self.b.func.ty(b).lanes);
        let count = of_a.max(of_b);
        lanes.iter_mut().filter(|lane| **lane >= of_a).for_each(|lane| *lane += count - of_a);
        let [a, b] = [(a, of_a), (b, of_b)].map(|(vector, of)| {
            if of == count {
                return vector;
            }
            let wide: Vec<u16> = (0..count).map(|lane| if lane < of { lane } else { 0 }).collect();
            self.b.shuffle(vector, vector, &wide)
        });
        self.b.shuffle(a, b, lanes)
    }

    /// Returns a lane number as an `i32`, which is taken modulo the number of lanes.
    fn lane_number(&mut self, words: &[u32], at: usize) -> Result<Value> {
        let index = self.value(words, at)?;
        let of = self.b.func.ty(index);
        if !of.kind.is_int() || of.is_vector() || of.kind == Kind::I1 {
            return Err(Fault::at(at, "the index is no integer"));
        }
        Ok(arithmetic::resize(&mut self.b, Op::Zext, Type::I32, index))
    }

    pub(super) fn extract_dynamic(&mut self, words: &[u32]) -> Result<()> {
        let vector = self.value(words, 3)?;
        let of = self.b.func.ty(vector);
        if !of.is_vector() {
            return Err(Fault::at(3, "the operand is no vector"));
        }
        let index = self.lane_number(words, 4)?;
        if let Some(lane) = self.b.func.as_const(index) {
            let value = self.b.extract(vector, (lane % u64::from(of.lanes)) as u16);
            return self.result(words, value);
        }
        let value = self.b.value(Op::ExtractAt, of.lane(), &[vector, index], Attr::None);
        self.result(words, value)
    }

    pub(super) fn insert_dynamic(&mut self, words: &[u32]) -> Result<()> {
        let (vector, component) = (self.value(words, 3)?, self.value(words, 4)?);
        let of = self.b.func.ty(vector);
        if !of.is_vector() || self.b.func.ty(component) != of.lane() {
            return Err(Fault::at(3, "the vector and the component do not fit"));
        }
        let index = self.lane_number(words, 5)?;
        let value = match self.b.func.as_const(index) {
            Some(lane) => {
                let lane = lane % u64::from(of.lanes);
                self.b.value(Op::Insert, of, &[vector, component], Attr::Int(lane))
            }
            None => self.b.value(Op::InsertAt, of, &[vector, index, component], Attr::None),
        };
        self.result(words, value)
    }

    /// Translates the instructions whose result is a structure of two numbers.
    pub(super) fn extended_arithmetic(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let ((of_a, a), (of_b, b)) = (self.typed(words, 3)?, self.typed(words, 4)?);
        let of = self.t.types().value(of_a).expect("it is one value");
        let ir = of.ir;
        let leaves = self.t.types().leaves(ty).unwrap_or_default();
        let fits = leaves.len() == 2 && leaves.iter().all(|leaf| leaf.ty == of);
        if !fits || of_a != of_b || !ir.kind.is_int() || ir.kind == Kind::I1 {
            return Err(Fault::at(1, "the result is no structure of two integers like the operands"));
        }
        let values = match opcode {
            Opcode::IAddCarry => {
                let sum = self.b.same(Op::Iadd, &[a, b]);
                let sum = narrow::cleared(&mut self.b, of, sum);
                let carries = self.b.icmp(IntCond::Ult, sum, a);
                [sum, self.b.convert(Op::Zext, ir, carries)]
            }
            Opcode::ISubBorrow => {
                let difference = self.b.same(Op::Isub, &[a, b]);
                let difference = narrow::cleared(&mut self.b, of, difference);
                let borrows = self.b.icmp(IntCond::Ult, a, b);
                [difference, self.b.convert(Op::Zext, ir, borrows)]
            }
            Opcode::UMulExtended => narrow::product(&mut self.b, Op::Umulhi, of, [a, b]),
            _ => {
                let args = [a, b].map(|arg| narrow::sign_extended(&mut self.b, of, arg));
                narrow::product(&mut self.b, Op::Smulhi, of, args)
            }
        };
        self.define(Id(words[2]), ty, Translation::Leaves(Leaves::from_slice(&values)));
        Ok(())
    }

    /// Translates the pairing of an image with a sampler, and its undoing.
    pub(super) fn sampled_image(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        if opcode == Opcode::SampledImage {
            let (image, sampler) = (self.value(words, 3)?, self.value(words, 4)?);
            if self.b.func.ty(image) != Type::CONSTANT || self.b.func.ty(sampler) != Type::I32 {
                return Err(Fault::new("the operands are no image and no sampler"));
            }
            if !matches!(self.t.types().form(ty), TypeForm::SampledImage { .. }) {
                return Err(Fault::at(1, "the result is no sampled image"));
            }
            let pair = Leaves::from_slice(&[image, sampler]);
            self.define(Id(words[2]), ty, Translation::Leaves(pair));
            return Ok(());
        }
        match self.translation(Id(words[3]))? {
            (_, Translation::Leaves(pair)) if pair.len() == 2 => self.result(words, pair[0]),
            _ => Err(Fault::at(3, "the operand is no sampled image")),
        }
    }
}

//! Expansion of image operations into loads and stores.

use super::super::pass_manager::PassContext;
use super::texel;
use grus_ir::image::Format;
use grus_ir::{Attr, Block, Builder, Def, Function, Helper, ImageField, InstId, Kind, Mem, Op, Type, Value};
use grus_support::FastMap;

/// Expands all image operations of a function.
pub fn expand(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_image = |op| matches!(op, Op::ImageQuery | Op::ImageLoad | Op::ImageStore);
    if !func.instructions().any(|inst| is_image(inst.op)) {
        return false;
    }
    let entry = func.entry();
    let mut fields = Fields {
        entry,
        known: FastMap::default(),
        after: FastMap::default(),
        texel_slot: None,
        sums: FastMap::default(),
        addresses: FastMap::default(),
    };
    for block in func.layout.clone() {
        fields.sums.clear();
        fields.addresses.clear();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = func.insts[id].clone();
            let mut b = Builder { func, block, loc: inst.loc };
            match (inst.op, &inst.attr) {
                (Op::Iadd, _) if inst.ty == Type::I64 => {
                    fields.sums.extend(inst.result.map(|sum| (sum, (inst.args[0], inst.args[1]))));
                }
                (Op::ImageQuery, Attr::Field(field)) => {
                    let value = fields.read(&mut b, inst.args[0], *field);
                    become_value(func, id, value);
                }
                (Op::ImageLoad, Attr::Format(format)) => {
                    let at = (inst.args[0], inst.args[1]);
                    let value = load(&mut b, &mut fields, *format, at, inst.ty);
                    become_value(func, id, value);
                }
                (Op::ImageStore, Attr::Format(format)) => {
                    let at = (inst.args[0], inst.args[1]);
                    store(&mut b, &mut fields, *format, at, inst.args[2]);
                    continue;
                }
                _ => {}
            }
            func.blocks[block].insts.push(id);
        }
    }
    fields.insert_into_entry(func);
    true
}

/// Turns an instruction into a copy of a value.
fn become_value(func: &mut Function, id: InstId, value: Value) {
    let inst = &mut func.insts[id];
    (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
    inst.args = [value].as_slice().into();
}

/// Values that have been read from image descriptors. Descriptors of parameters are read once, in the entry block,
/// because they do not change while the kernel runs.
pub(super) struct Fields {
    entry: Block,
    known: FastMap<(Value, ImageField), Value>,
    /// Instructions to insert after the definition of a value in the entry block; `None` stands for its parameters,
    /// after which is the start of the block.
    after: FastMap<Option<InstId>, Vec<InstId>>,
    /// Private memory for the components of a texel.
    texel_slot: Option<Value>,
    /// Sums of the current block, with their two terms.
    sums: FastMap<Value, (Value, Value)>,
    /// Addresses of the current block's texels, by image and offset in bytes.
    addresses: FastMap<(Value, Value), Value>,
}

impl Fields {
    /// Returns the value of a field.
    pub(super) fn read(&mut self, b: &mut Builder<'_>, image: Value, field: ImageField) -> Value {
        if let Some(&value) = self.known.get(&(image, field)) {
            return value;
        }
        let position = match b.func.values[image].def {
            Def::Param(block, _) => (block == self.entry).then_some(None),
            // An instruction that is in no block yet follows later in the current block.
            Def::Inst(inst) => b.func.blocks[self.entry].insts.contains(&inst).then_some(Some(inst)),
        };
        let Some(position) = position else { return load_field(b, image, field) };
        let block = std::mem::replace(&mut b.block, b.func.add_detached_block());
        let value = load_field(b, image, field);
        let insts = std::mem::take(&mut b.func.blocks[b.block].insts);
        b.block = block;
        self.after.entry(position).or_default().extend(insts);
        self.known.insert((image, field), value);
        value
    }

    /// Returns private memory for four components.
    fn texel_slot(&mut self, b: &mut Builder<'_>) -> Value {
        if let Some(texel_slot) = self.texel_slot {
            return texel_slot;
        }
        let block = std::mem::replace(&mut b.block, b.func.add_detached_block());
        let texel_slot = b.alloca(16, 16);
        let insts = std::mem::take(&mut b.func.blocks[b.block].insts);
        b.block = block;
        self.after.entry(None).or_default().extend(insts);
        self.texel_slot = Some(texel_slot);
        texel_slot
    }

    /// Inserts the collected instructions into the entry block.
    fn insert_into_entry(mut self, func: &mut Function) {
        let insts = std::mem::take(&mut func.blocks[self.entry].insts);
        let list = &mut func.blocks[self.entry].insts;
        list.extend(self.after.remove(&None).unwrap_or_default());
        for id in insts {
            list.push(id);
            list.extend(self.after.remove(&Some(id)).unwrap_or_default());
        }
    }
}

fn load_field(b: &mut Builder<'_>, image: Value, field: ImageField) -> Value {
    let ptr = b.ptr_offset(image, field.offset() as u64);
    let ty = field.ty();
    b.load(ty, ptr, Mem::natural(ty))
}

/// Returns the address of a texel, given the image and the offset in bytes. An offset that is a sum is added term
/// by term: adjacent texels share the first sum, and the last term becomes part of the addressing mode.
fn address(b: &mut Builder<'_>, fields: &mut Fields, (image, offset): (Value, Value)) -> Value {
    if let Some(&address) = fields.addresses.get(&(image, offset)) {
        return address;
    }
    let address = match fields.sums.get(&offset) {
        Some(&(first, second)) => {
            let first = address(b, fields, (image, first));
            b.ptr_add(first, second)
        }
        None => {
            let base = fields.read(b, image, ImageField::Base);
            b.ptr_add(base, offset)
        }
    };
    fields.addresses.insert((image, offset), address);
    address
}

fn load(
    b: &mut Builder<'_>,
    fields: &mut Fields,
    format: Option<Format>,
    at: (Value, Value),
    ty: Type,
) -> Value {
    if let Some(format) = format.filter(|f| texel::can_load(*f, ty)) {
        let address = address(b, fields, at);
        let table = if format.is_srgb() { Some(fields.read(b, at.0, ImageField::SrgbTable)) } else { None };
        return texel::load(b, format, address, table);
    }
    let texel_slot = fields.texel_slot(b);
    helper(b, Helper::TexelLoad, at, texel_slot, ty);
    b.load(ty, texel_slot, Mem::aligned(16))
}

fn store(
    b: &mut Builder<'_>,
    fields: &mut Fields,
    format: Option<Format>,
    at: (Value, Value),
    components: Value,
) {
    let ty = b.func.ty(components);
    if let Some(format) = format.filter(|f| texel::can_store(*f, ty)) {
        let address = address(b, fields, at);
        return texel::store(b, format, address, components);
    }
    let texel_slot = fields.texel_slot(b);
    b.store(components, texel_slot, Mem::aligned(16));
    helper(b, Helper::TexelStore, at, texel_slot, ty);
}

fn helper(b: &mut Builder<'_>, helper: Helper, (image, offset): (Value, Value), texel_slot: Value, ty: Type) {
    let floats = b.iconst(Type::I32, u64::from(ty.kind == Kind::F32));
    b.helper(helper, Type::VOID, &[image, offset, texel_slot, floats]);
}

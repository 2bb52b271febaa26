//! Image operations as loads and stores.

use super::super::pass_manager::PassContext;
use super::texel;
use crate::image::Format;
use crate::ir::{
    Attr, Block, Builder, Def, Function, Helper, ImageField, InstId, Kind, Mem, Op, Type, Value,
};
use crate::support::FastMap;

/// Rewrites all image operations of a function.
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
        room: None,
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
    fields.place(func);
    true
}

/// Turns an instruction into a copy of a value.
fn become_value(func: &mut Function, id: InstId, value: Value) {
    let inst = &mut func.insts[id];
    (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
    inst.args = [value].as_slice().into();
}

/// What has been read of the descriptors. Those of parameters are read once, in the entry block: nobody changes them
/// while the kernel runs.
pub(super) struct Fields {
    entry: Block,
    known: FastMap<(Value, ImageField), Value>,
    /// Instructions that belong behind the definition of a value: of the entry block's parameters, at its start.
    after: FastMap<Option<InstId>, Vec<InstId>>,
    /// Memory for the components of a texel.
    room: Option<Value>,
    /// Of the block that is being rewritten: sums and their terms, and the addresses of texels so many bytes from the
    /// first one.
    sums: FastMap<Value, (Value, Value)>,
    addresses: FastMap<(Value, Value), Value>,
}

impl Fields {
    /// The value of a field.
    pub(super) fn read(&mut self, b: &mut Builder<'_>, image: Value, field: ImageField) -> Value {
        if let Some(&value) = self.known.get(&(image, field)) {
            return value;
        }
        let home = match b.func.values[image].def {
            Def::Param(block, _) => (block == self.entry).then_some(None),
            // What is in no list yet comes later in the block that is being rewritten.
            Def::Inst(inst) => b.func.blocks[self.entry].insts.contains(&inst).then_some(Some(inst)),
        };
        let Some(home) = home else { return load_field(b, image, field) };
        let block = std::mem::replace(&mut b.block, b.func.add_detached_block());
        let value = load_field(b, image, field);
        let made = std::mem::take(&mut b.func.blocks[b.block].insts);
        b.block = block;
        self.after.entry(home).or_default().extend(made);
        self.known.insert((image, field), value);
        value
    }

    /// Memory for four components.
    fn room(&mut self, b: &mut Builder<'_>) -> Value {
        if let Some(room) = self.room {
            return room;
        }
        let block = std::mem::replace(&mut b.block, b.func.add_detached_block());
        let room = b.alloca(16, 16);
        let made = std::mem::take(&mut b.func.blocks[b.block].insts);
        b.block = block;
        self.after.entry(None).or_default().extend(made);
        self.room = Some(room);
        room
    }

    /// Puts into the entry block what belongs there.
    fn place(mut self, func: &mut Function) {
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

/// The address of a texel: image, and bytes from the first one. Sums are sums of the address instead, which texels
/// beside each other share, and whose last term is part of the instruction that loads.
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
    let room = fields.room(b);
    helper(b, Helper::TexelLoad, at, room, ty);
    b.load(ty, room, Mem::aligned(16))
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
    let room = fields.room(b);
    b.store(components, room, Mem::aligned(16));
    helper(b, Helper::TexelStore, at, room, ty);
}

fn helper(b: &mut Builder<'_>, helper: Helper, (image, offset): (Value, Value), room: Value, ty: Type) {
    let floats = b.iconst(Type::I32, u64::from(ty.kind == Kind::F32));
    b.helper(helper, Type::VOID, &[image, offset, room, floats]);
}

//! Kernel parameters: the layout of the argument block, and the properties that queries report.

use super::{ArgAccess, ArgInfo, ArgKind, CompileError, KernelInfo};
use grus_clc::Options;
use grus_clc::tree::{AccessQualifier, Function, KernelArg, KernelAttributes, LocalId, Unit};
use grus_clc::types::{Opaque, Space, Type, TypeId};
use grus_ir::abi::Param;
use grus_ir::image::ImageType;
use grus_ir::{Attr, FuncId, Kind, Module, Op};
use grus_support::{FastSet, Id};

/// Returns the properties of a kernel, apart from its memory sizes, and the layout of its argument block.
pub(super) fn describe(
    unit: &Unit,
    function: &Function,
    attributes: &KernelAttributes,
    options: &Options,
) -> Result<(KernelInfo, Vec<Param>), CompileError> {
    let mut args = Vec::new();
    let mut params = Vec::new();
    let mut end = 0u64;
    for (i, described) in attributes.args.iter().enumerate() {
        let ty = function.locals[LocalId::new(i)].ty.ty;
        let (kind, size, align) = kind_of(unit, ty);
        let offset = end.next_multiple_of(align.max(1));
        end = offset + size;
        let offset = u32::try_from(offset).map_err(|_| CompileError::ArgumentsTooLarge)?;
        params.push(match (kind, unit.types.get(ty)) {
            (ArgKind::Local, _) => Param::Local(offset),
            (_, Type::Struct(_)) => Param::Struct(offset),
            _ => Param::Value(offset),
        });
        args.push(arg_info(described, kind, offset));
    }
    let info = KernelInfo {
        name: function.name.clone(),
        args,
        reqd_work_group_size: attributes.reqd_work_group_size,
        work_group_size_hint: attributes.work_group_size_hint,
        vec_type_hint: attributes.vec_type_hint.clone(),
        sub_group_size: attributes.sub_group_size,
        uses_sub_groups: false,
        attributes: attributes.text.clone(),
        has_arg_info: options.kernel_arg_info,
        local_mem_size: 0,
        private_mem_size: 0,
    };
    Ok((info, params))
}

/// Returns how a parameter is passed, and its size and alignment in the argument block.
fn kind_of(unit: &Unit, ty: TypeId) -> (ArgKind, u64, u64) {
    let (size, align) = (unit.types.size_of(ty), unit.types.align_of(ty));
    match unit.types.get(ty) {
        Type::Pointer(to) => match to.space {
            Space::Local => (ArgKind::Local, 8, 8),
            Space::Constant => (ArgKind::Constant, 8, 8),
            _ => (ArgKind::Global, 8, 8),
        },
        Type::Opaque(Opaque::Image(name, _)) => {
            let image = ImageType::from_name(name).map(ArgKind::Image);
            (image.expect("the front end knows the same images"), 8, 8)
        }
        Type::Opaque(Opaque::Sampler) => (ArgKind::Sampler, 4, 4),
        Type::Pipe(packet, _) => {
            let (size, align) = (unit.types.size_of(*packet), unit.types.align_of(*packet));
            (ArgKind::Pipe { size: size as u32, align: align as u32 }, 8, 8)
        }
        Type::Opaque(_) => (ArgKind::Queue, 8, 8),
        _ => (ArgKind::Value { size: size as u32 }, size, align),
    }
}

/// Returns the layout of the argument block for parameters of IR types.
pub(super) fn of_types(types: &[grus_ir::Type]) -> (Vec<ArgInfo>, Vec<Param>) {
    let mut end = 0u32;
    let mut lists = (Vec::new(), Vec::new());
    for ty in types {
        let size = ty.bytes();
        let offset = end.next_multiple_of(size.next_power_of_two());
        end = offset + size;
        let (kind, param) = match ty.kind {
            Kind::PtrLocal => (ArgKind::Local, Param::Local(offset)),
            Kind::PtrConstant => (ArgKind::Constant, Param::Value(offset)),
            kind if kind.is_ptr() => (ArgKind::Global, Param::Value(offset)),
            _ => (ArgKind::Value { size }, Param::Value(offset)),
        };
        let described = KernelArg {
            name: String::new(),
            type_name: ty.to_string(),
            is_const: false,
            is_restrict: false,
            is_volatile: false,
            is_pipe: false,
            access: AccessQualifier::None,
        };
        lists.0.push(arg_info(&described, kind, offset));
        lists.1.push(param);
    }
    lists
}

fn arg_info(described: &KernelArg, kind: ArgKind, offset: u32) -> ArgInfo {
    let access = match described.access {
        AccessQualifier::ReadOnly => ArgAccess::ReadOnly,
        AccessQualifier::WriteOnly => ArgAccess::WriteOnly,
        AccessQualifier::ReadWrite => ArgAccess::ReadWrite,
        AccessQualifier::None => ArgAccess::None,
    };
    ArgInfo {
        kind,
        name: described.name.clone(),
        type_name: described.type_name.clone(),
        is_const: described.is_const,
        is_restrict: described.is_restrict,
        is_volatile: described.is_volatile,
        is_pipe: described.is_pipe,
        access,
        offset,
    }
}

/// Returns the sizes in bytes of local and private memory that a kernel and its remaining callees declare.
pub(super) fn memory_sizes(module: &Module, kernel: FuncId) -> (u64, u64) {
    let (mut locals, mut private) = (FastSet::default(), 0);
    let mut seen = FastSet::default();
    let mut work = vec![kernel];
    while let Some(id) = work.pop() {
        let Some(func) = module.funcs.get(id).filter(|_| seen.insert(id)) else { continue };
        for inst in func.instructions() {
            match inst.attr {
                Attr::SizeAlign(size, _) if inst.op == Op::Alloca => private += size,
                Attr::Global(global) if inst.op == Op::LocalAddr => {
                    locals.insert(global);
                }
                Attr::Func(callee) => work.push(callee),
                _ => {}
            }
        }
    }
    let local =
        locals.iter().map(|&g| module.globals[g].size.next_multiple_of(module.globals[g].align.max(1))).sum();
    (local, private)
}

#[cfg(test)]
mod tests {
    use crate::compile::{Source, build};

    #[test]
    fn arrays_in_the_order_of_others_are_values() {
        let text = "
            void put(const float2 *a, global float2 *out) {
                int order[] = {0, 2, 1, 3};
                for (int i = 0; i < 4; ++i)
                    out[i] = a[order[i]];
            }
            kernel void k(global float2 *p) {
                int order[] = {3, 1, 2, 0};
                float2 a[4];
                for (int i = 0; i < 4; ++i)
                    a[order[i]] = p[i * 64];
                barrier(CLK_LOCAL_MEM_FENCE);
                put(a, p);
            }";
        let source = Source { name: "k.cl".into(), text: text.into() };
        let artifact = build(&source, &[], "").result.expect("it builds");
        assert_eq!(artifact.kernels[0].private_mem_size, 0);
    }
}

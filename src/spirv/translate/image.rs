//! Images: reads, samples, writes and queries, which are requests with coordinates as OpenCL C has them.

use grus_ir::{Kind, Op, Type, Value};
use smallvec::SmallVec;

use super::extended::Operands;
use super::function::{FunctionTranslator, Result, Translation};
use crate::error::Fault;
use crate::grammar::{Opcode, image_operands};
use crate::module::Id;
use crate::request::{self, ArgType, Image};
use crate::types::{TypeForm, TypeId};

/// Image, and the sampler that it is paired with.
struct Source {
    image: TypeId,
    form: Image,
    values: SmallVec<[Value; 2]>,
}

/// Checks whether an instruction reads, writes or queries an image.
pub(super) fn is_of_image(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ImageSampleExplicitLod
            | ImageRead
            | ImageWrite
            | ImageQuerySize
            | ImageQuerySizeLod
            | ImageQueryFormat
            | ImageQueryOrder
            | ImageQueryLevels
            | ImageQuerySamples
    )
}

impl FunctionTranslator<'_, '_> {
    pub(super) fn image(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        match opcode {
            Opcode::ImageSampleExplicitLod | Opcode::ImageRead => self.read_image(opcode, words),
            Opcode::ImageWrite => self.write_image(words),
            Opcode::ImageQuerySize | Opcode::ImageQuerySizeLod => self.image_size(opcode, words),
            Opcode::ImageQueryFormat | Opcode::ImageQueryOrder => {
                let operands = Operands { values: SmallVec::from_slice(&[3]), literals: SmallVec::new() };
                self.call_request(words, &operands, |result, types, literals| {
                    request::core(opcode, &result, types, literals)
                })
            }
            _ => Err(Fault::new("the device has no images with levels or samples")),
        }
    }

    /// Returns the image or sampled image at a position.
    fn image_at(&mut self, words: &[u32], at: usize) -> Result<Source> {
        let (ty, value) = self.translation(Id(words[at]))?;
        let (image, values) = match (self.t.types().form(ty), value) {
            (TypeForm::SampledImage { image }, Translation::Leaves(pair)) => {
                (*image, pair.into_iter().collect())
            }
            (TypeForm::Image(_), Translation::One(image)) => (ty, SmallVec::from_slice(&[image])),
            _ => return Err(Fault::at(at, "the operand is no image")),
        };
        match self.arg_type(image, at)? {
            ArgType::Image(form) => Ok(Source { image, form, values }),
            _ => Err(Fault::at(at, "the operand is no image")),
        }
    }

    /// Returns coordinates with as many lanes as OpenCL C has, and their type.
    fn coordinates(&mut self, words: &[u32], at: usize, form: Image) -> Result<(ArgType, Value)> {
        let value = self.value(words, at)?;
        let ty = self.b.func.ty(value);
        if !matches!(ty.kind, Kind::I32 | Kind::F32) {
            return Err(Fault::at(at, "the coordinate has no components of 32 bits"));
        }
        let wanted = u16::from(form.coordinate_lanes());
        let value = match (ty.lanes, wanted) {
            (found, wanted) if found == wanted => value,
            (found, 1) if found > 1 => self.b.extract(value, 0),
            (found, wanted) if found > 1 => {
                let zero = self.b.zero(ty);
                let lanes: Vec<u16> =
                    (0..wanted).map(|lane| if lane < found { lane } else { found }).collect();
                self.b.shuffle(value, zero, &lanes)
            }
            _ => return Err(Fault::at(at, "the coordinate has too few components")),
        };
        let lanes = wanted as u8;
        let ty = if ty.kind == Kind::I32 {
            ArgType::Int { bits: 32, lanes }
        } else {
            ArgType::Float { bits: 32, lanes }
        };
        Ok((ty, value))
    }

    /// Checks the image operands from a position on: there are no levels but the first, and no offsets.
    fn image_operands(&self, words: &[u32], at: usize) -> Result<()> {
        use image_operands::{Lod, SignExtend, ZeroExtend};
        let Some(&mask) = words.get(at) else { return Ok(()) };
        let hints = SignExtend | ZeroExtend | NONTEMPORAL;
        if mask & !(Lod | hints) != 0 {
            return Err(Fault::at(at, "the device does not support these image operands"));
        }
        if mask & Lod != 0 {
            // Zero as an integer and as a float.
            let lod = self.constant_operand(words, at + 1);
            if lod != Some(0) {
                return Err(Fault::at(
                    at + 1,
                    "the level of detail is not constantly 0; the device has no levels",
                ));
            }
        }
        Ok(())
    }

    fn read_image(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let source = self.image_at(words, 3)?;
        let (coordinates, value) = self.coordinates(words, 4, source.form)?;
        self.image_operands(words, 5)?;
        let result = self.t.globals.type_at(words, 1)?;
        let mut types: SmallVec<[ArgType; 4]> = SmallVec::from_slice(&[self.arg_type(source.image, 3)?]);
        let mut args = source.values;
        if args.len() == 2 {
            types.push(ArgType::Sampler);
        }
        types.push(coordinates);
        args.push(value);
        // Depth images have one component, of which producers make four.
        let returned = self.arg_type(result, 1)?;
        let (asked, is_widened) = match returned {
            ArgType::Float { bits, lanes: 4 } if source.form.is_depth => {
                (ArgType::Float { bits, lanes: 1 }, true)
            }
            other => (other, false),
        };
        let request =
            request::core(opcode, &asked, &types, &[]).map_err(|why| Fault::new(why.to_string()))?;
        if !is_widened {
            return self.finish_request(words, request, Some(result), &args);
        }
        let ir = self.t.types().ir(result).expect("it is a vector");
        let depth = self.request(request, ir.lane(), &args).expect("reads have a result");
        let zero = self.b.zero(ir);
        let value = self.b.value(Op::Insert, ir, &[zero, depth], grus_ir::Attr::Int(0));
        self.result(words, value)
    }

    fn write_image(&mut self, words: &[u32]) -> Result<()> {
        let source = self.image_at(words, 1)?;
        let (coordinates, value) = self.coordinates(words, 2, source.form)?;
        self.image_operands(words, 4)?;
        let (texel_ty, mut texel) = self.typed(words, 3)?;
        let mut texel_type = self.arg_type(texel_ty, 3)?;
        if let ArgType::Float { bits, lanes: 4 } = texel_type
            && source.form.is_depth
        {
            texel_type = ArgType::Float { bits, lanes: 1 };
            texel = self.b.extract(texel, 0);
        }
        let types = [self.arg_type(source.image, 1)?, coordinates, texel_type];
        let request = request::core(Opcode::ImageWrite, &ArgType::Void, &types, &[]);
        let request = request.map_err(|why| Fault::new(why.to_string()))?;
        self.request(request, Type::VOID, &[source.values[0], value, texel]);
        Ok(())
    }

    /// Translates the query of an image's size, whose components may have 64 bits.
    fn image_size(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let source = self.image_at(words, 3)?;
        if opcode == Opcode::ImageQuerySizeLod && self.constant_operand(words, 4) != Some(0) {
            return Err(Fault::at(4, "the level of detail is not constantly 0; the device has no levels"));
        }
        let result = self.t.globals.type_at(words, 1)?;
        let ir = self.t.types().ir(result).filter(|ir| matches!(ir.kind, Kind::I32 | Kind::I64));
        let ir = ir.ok_or_else(|| Fault::at(1, "the result has no components of 32 or 64 bits"))?;
        let asked = ArgType::Int { bits: 32, lanes: ir.lanes as u8 };
        let types = [self.arg_type(source.image, 3)?];
        let request = request::core(Opcode::ImageQuerySize, &asked, &types, &[]);
        let request = request.map_err(|why| Fault::new(why.to_string()))?;
        let narrow = ir.with_kind(Kind::I32);
        let value = self.request(request, narrow, &source.values[..1]).expect("sizes are values");
        let value = self.b.convert(Op::Zext, ir, value);
        self.result(words, value)
    }
}

/// Bit of the image operands by which an access need not stay in caches.
const NONTEMPORAL: u32 = 0x4000;

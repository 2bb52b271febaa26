//! Comparison of an object after a replay with its captured contents.

use crate::capture::file::Capture;
use crate::capture::manifest::{ArgumentValue, Object};
use crate::cl::ImageFormat;
use crate::run::result::Output;
use crate::run::texels::Format;
use crate::run::types::{Element, Scalar};

/// Type of a byte.
const BYTE: Element = Element { scalar: Scalar::U8, lanes: 1 };

/// Returns an object's contents with the type of its elements, as far as it is known.
pub fn output(capture: &Capture, object: usize, bytes: Vec<u8>, types: &[(String, Element)]) -> Output {
    let manifest = &capture.manifest;
    let fits = |element: &Element| bytes.len().is_multiple_of(element.size());
    let mut format = None;
    let element = match &manifest.objects[object] {
        Object::Image(image) => {
            let of_api = ImageFormat { order: image.order, data_type: image.channel_type };
            format = Format::of_api(of_api).filter(|format| format.size() == image.texel);
            format.map(|format| format.element())
        }
        _ => manifest.arguments_of(object).find_map(|argument| {
            let given = types.iter().find(|(name, _)| *name == argument.name).map(|(_, element)| *element);
            let pointed = argument.type_name.strip_suffix('*');
            let is_memory =
                matches!(argument.value, ArgumentValue::Object { .. } | ArgumentValue::Shared { .. });
            given.or_else(|| Element::named(pointed.filter(|_| is_memory)?))
        }),
    };
    let element = element.filter(fits).unwrap_or(BYTE);
    let size = vec![bytes.len() / element.size()];
    Output { name: manifest.name(object), element, format, size, bytes, is_written: true }
}

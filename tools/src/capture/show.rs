//! Captured launches, formatted as tables.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};

use super::file::Capture;
use super::manifest::{ArgumentValue, Manifest, Object};
use crate::run::shown_size;
use crate::run::types::Element;

/// Formats a number of bytes with its unit.
pub fn size_text(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// Formats a summary in one line: kernel, sizes, amount of memory.
pub fn headline(capture: &Capture) -> String {
    let manifest = &capture.manifest;
    let sizes = |sizes: [usize; 3]| shown_size(&sizes[..manifest.dimensions]);
    let chosen = if manifest.has_local { "" } else { " (chosen by the library)" };
    let mut line = format!(
        "launch {} of {}: {} in groups of {}{chosen}",
        manifest.launch,
        manifest.kernel,
        sizes(manifest.global),
        sizes(manifest.local)
    );
    if manifest.offset != [0; 3] {
        line += &format!(", from {}", sizes(manifest.offset));
    }
    line += &format!(", {} of contents", size_text(capture.size));
    if capture.outcome.as_ref().is_some_and(|outcome| !outcome.ended) {
        line += "; it failed";
    }
    line
}

/// Formats a table of the arguments, and of the other memory that the kernel can access.
pub fn arguments(capture: &Capture) -> String {
    let manifest = &capture.manifest;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["argument", "type", "value", ""]);
    for argument in &manifest.arguments {
        let state = match argument.value {
            ArgumentValue::Object { object } | ArgumentValue::Shared { object, .. } => {
                changed(capture, manifest.root(object))
            }
            _ => "",
        };
        let state = if argument.is_read_only { "read only" } else { state };
        let value = value_text(manifest, &argument.value, &argument.type_name);
        table.add_row([argument.name.as_str(), &argument.type_name, &value, state]);
    }
    let is_other = |object: &usize| {
        manifest.objects[*object].of().is_none() && manifest.arguments_of(*object).next().is_none()
    };
    for object in (0..manifest.objects.len()).filter(is_other) {
        let what = object_text(manifest, object);
        table.add_row([manifest.name(object).as_str(), "", &what, changed(capture, object)]);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

fn changed(capture: &Capture, root: usize) -> &'static str {
    if capture.is_changed(root) { "changed" } else { "" }
}

fn value_text(manifest: &Manifest, value: &ArgumentValue, type_name: &str) -> String {
    match value {
        ArgumentValue::Object { object } => object_text(manifest, *object),
        ArgumentValue::Shared { object, offset: 0 } => object_text(manifest, *object),
        ArgumentValue::Shared { object, offset } => {
            format!("{}, from byte {offset}", object_text(manifest, *object))
        }
        ArgumentValue::Value { bytes } => {
            match Element::named(type_name).filter(|element| element.size() == bytes.len()) {
                Some(element) => element.shown(bytes),
                None => format!("{} bytes", bytes.len()),
            }
        }
        ArgumentValue::Null => "null".into(),
        ArgumentValue::Pointer { address } => {
            format!("memory of the program at {address:#x}, which is not captured")
        }
        ArgumentValue::Sampler { .. } => "sampler".into(),
        ArgumentValue::Local { size } => format!("{} of local memory", size_text(*size as u64)),
        ArgumentValue::Queue { .. } => "queue on the device".into(),
    }
}

fn object_text(manifest: &Manifest, object: usize) -> String {
    match &manifest.objects[object] {
        Object::Buffer { size } => format!("buffer of {}", size_text(*size as u64)),
        Object::Part { of, offset, size } => {
            format!("{} of object {of}, from byte {offset}", size_text(*size as u64))
        }
        Object::Image(image) => {
            let sizes = [image.width, image.height, image.depth, image.array_size];
            let sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
            let view = image.of.map(|of| format!(", of object {of}")).unwrap_or_default();
            format!("image of {} texels of {} B{view}", shown_size(&sizes), image.texel)
        }
        Object::Pipe { packet_size, max_packets } => {
            format!("pipe of {max_packets} packets of {packet_size} B")
        }
        Object::Shared { size, .. } => format!("shared memory of {}", size_text(*size as u64)),
        Object::Variable { size, .. } => format!("variable of {}", size_text(*size as u64)),
    }
}

/// Formats the numbers of launches of kernels.
pub fn launches(counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return "grus: no kernel was launched: the program has not used OpenCL, or not by this library\n"
            .into();
    }
    let mut rows: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["kernel", "launches"]);
    for (name, count) in rows {
        table.add_row([name.clone(), count.to_string()]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

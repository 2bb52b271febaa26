//! Names of command types.

/// Names of command types, and true for transfers, from CL_COMMAND_NDRANGE_KERNEL on in the order of the constants.
const KINDS: [(&str, bool); 31] = [
    ("kernel", false),
    ("task", false),
    ("native kernel", false),
    ("read buffer", true),
    ("write buffer", true),
    ("copy buffer", true),
    ("read image", true),
    ("write image", true),
    ("copy image", true),
    ("copy image to buffer", true),
    ("copy buffer to image", true),
    ("map buffer", false),
    ("map image", false),
    ("unmap", false),
    ("marker", false),
    ("acquire GL objects", false),
    ("release GL objects", false),
    ("read buffer rectangle", true),
    ("write buffer rectangle", true),
    ("copy buffer rectangle", true),
    ("user", false),
    ("barrier", false),
    ("migrate", false),
    ("fill buffer", true),
    ("fill image", true),
    ("SVM free", false),
    ("SVM copy", true),
    ("SVM fill", true),
    ("SVM map", false),
    ("SVM unmap", false),
    ("SVM migrate", false),
];

/// Constant CL_COMMAND_NDRANGE_KERNEL.
const FIRST: u32 = 0x11F0;

/// Names of commands of unified shared memory and whether they move bytes, from CL_COMMAND_MEMFILL_INTEL on.
const USM_KINDS: [(&str, bool); 4] =
    [("USM fill", true), ("USM copy", true), ("USM migrate", false), ("USM advise", false)];

/// Constant CL_COMMAND_MEMFILL_INTEL.
const FIRST_OF_USM: u32 = 0x4204;

fn kind(number: u32) -> Option<(&'static str, bool)> {
    let (kinds, first) =
        if number >= FIRST_OF_USM { (&USM_KINDS[..], FIRST_OF_USM) } else { (&KINDS[..], FIRST) };
    kinds.get(number.checked_sub(first)? as usize).copied()
}

/// Returns the name of a command type.
pub fn name(number: u32) -> &'static str {
    kind(number).map_or("command", |(name, _)| name)
}

/// Checks whether commands of a type transfer memory.
pub fn is_transfer(number: u32) -> bool {
    kind(number).is_some_and(|(_, moves)| moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_numbers() {
        for (number, wanted) in [
            (cl_sys::CL_COMMAND_NDRANGE_KERNEL, "kernel"),
            (cl_sys::CL_COMMAND_READ_BUFFER, "read buffer"),
            (cl_sys::CL_COMMAND_COPY_BUFFER_TO_IMAGE, "copy buffer to image"),
            (cl_sys::CL_COMMAND_UNMAP_MEM_OBJECT, "unmap"),
            (cl_sys::CL_COMMAND_USER, "user"),
            (cl_sys::CL_COMMAND_FILL_IMAGE, "fill image"),
            (cl_sys::CL_COMMAND_SVM_UNMAP, "SVM unmap"),
            (0x4204, "USM fill"),
            (0x4207, "USM advise"),
            (0x4208, "command"),
        ] {
            assert_eq!(name(number), wanted);
        }
        assert_eq!(name(0), "command");
        assert!(is_transfer(cl_sys::CL_COMMAND_SVM_MEMCPY) && !is_transfer(0x11F0) && is_transfer(0x4205));
    }
}

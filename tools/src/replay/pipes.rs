//! Contents of pipes, which are written and read by kernels, since the API has no other access to them.

use crate::cl::{Buffer, Range, Session};
use crate::problem::{Result, failed};

/// Returns the source of kernels for packets of a size.
fn source(packet_size: u32) -> String {
    format!(
        "typedef struct {{ uchar bytes[{packet_size}]; }} packet;\n\
         kernel void fill(write_only pipe packet p, global const packet *from, uint count) {{\n\
             for (uint i = 0; i < count; ++i) {{ packet one = from[i]; write_pipe(p, &one); }}\n\
         }}\n\
         kernel void drain(read_only pipe packet p, global packet *to, global uint *count, uint most) {{\n\
             uint found = 0;\n\
             for (packet one; found < most && read_pipe(p, &one) == 0; ++found) to[found] = one;\n\
             *count = found;\n\
         }}\n"
    )
}

/// Runs one of the kernels with one work-item.
fn run(session: &Session, packet_size: u32, name: &str, arguments: &[Argument<'_>]) -> Result<()> {
    let program = session.source(&source(packet_size))?;
    let built = program.build("-cl-std=CL2.0")?;
    if let Some(error) = built.error {
        return failed(format!("pipes: {error}\n{}", built.log));
    }
    let kernel = program.kernel(name)?;
    for (index, argument) in arguments.iter().enumerate() {
        match argument {
            Argument::Buffer(buffer) => kernel.set_buffer(index, buffer)?,
            Argument::Number(number) => kernel.set_bytes(index, &number.to_le_bytes())?,
        }
    }
    session.run(&kernel, &Range { offset: None, global: vec![1], local: None }).map(|_| ())
}

enum Argument<'b> {
    Buffer(&'b Buffer<'b>),
    Number(u32),
}

/// Writes packets into an empty pipe.
///
/// # Errors
/// If a call of the vendor fails.
pub fn fill(session: &Session, pipe: &Buffer<'_>, packet_size: u32, packets: &[u8]) -> Result<()> {
    let count = packets.len() as u32 / packet_size;
    if count == 0 {
        return Ok(());
    }
    let from = session.buffer(packets.len())?;
    from.write(packets)?;
    let arguments = [Argument::Buffer(pipe), Argument::Buffer(&from), Argument::Number(count)];
    run(session, packet_size, "fill", &arguments)
}

/// Takes all packets out of a pipe.
///
/// # Errors
/// If a call of the vendor fails.
pub fn drain(session: &Session, pipe: &Buffer<'_>, packet_size: u32, most: u32) -> Result<Vec<u8>> {
    let to = session.buffer(packet_size as usize * most as usize)?;
    let count = session.buffer(size_of::<u32>())?;
    let arguments =
        [Argument::Buffer(pipe), Argument::Buffer(&to), Argument::Buffer(&count), Argument::Number(most)];
    run(session, packet_size, "drain", &arguments)?;
    let found = count.read()?.try_into().map_or(0, u32::from_le_bytes).min(most);
    let mut packets = to.read()?;
    packets.truncate(found as usize * packet_size as usize);
    Ok(packets)
}

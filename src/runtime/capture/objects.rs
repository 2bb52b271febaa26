//! Memory that a launch can reach: the arguments, their parent objects, shared virtual memory that pointers lead
//! to, and variables of the program.
//!
//! Contents are stored for objects with memory of their own. If only sub-buffers of a buffer are arguments, the
//! bytes outside of them are left out.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::json::Json;
use crate::compile::Variable;
use crate::runtime::context::Context;
use crate::runtime::memory::{HostPtr, Image, Mem, packets};
use crate::runtime::object::Object;

/// Number of bytes read at a time.
// Arbitrary.
const CHUNK: usize = 1 << 20;

/// Size of a pointer in bytes.
const POINTER: usize = size_of::<usize>();

/// Objects of a launch, indexed by their numbers in the manifest.
#[derive(Default)]
pub(super) struct Objects(Vec<ObjectEntry>);

struct ObjectEntry {
    what: What,
    /// Memory object, if the entry is one.
    mem: Option<Arc<Object<Mem>>>,
}

enum What {
    /// Range of bytes of a buffer.
    Buffer(Range<usize>),
    /// Sub-buffer, which begins at this offset of another object.
    Part {
        of: usize,
        offset: usize,
    },
    /// Image; `of` is the object whose memory it shows, if that is another object.
    Image {
        of: Option<usize>,
    },
    Pipe,
    /// Allocation of shared virtual memory, by its addresses.
    Shared(Range<usize>),
    Variable(Variable),
}

/// Bytes in memory that consist of rows and slices with gaps.
#[derive(Clone, Copy)]
struct ByteRows {
    base: HostPtr,
    bytes: usize,
    /// Number of rows and their pitch in bytes; below, number of slices and their pitch.
    rows: (usize, usize),
    slices: (usize, usize),
}

impl ByteRows {
    fn plain(base: HostPtr, bytes: usize) -> ByteRows {
        ByteRows { base, bytes, rows: (1, 0), slices: (1, 0) }
    }

    fn size(&self) -> u64 {
        (self.bytes * self.rows.0 * self.slices.0) as u64
    }

    /// Passes all bytes to `take`, in chunks.
    fn read(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK.min(self.bytes)];
        for place in (0..self.slices.0 * self.rows.0).map(|row| (row / self.rows.0, row % self.rows.0)) {
            let row = self.base.at(place.0 * self.slices.1 + place.1 * self.rows.1);
            for start in (0..self.bytes).step_by(CHUNK) {
                let chunk = &mut chunk[..CHUNK.min(self.bytes - start)];
                // SAFETY: the row is inside an object that the launch keeps alive, or inside memory that the
                // application must keep valid while the launch runs. `chunk` has the length of the copy.
                unsafe { row.at(start).copy_to(HostPtr::new(chunk.as_mut_ptr()), chunk.len()) };
                take(chunk)?;
            }
        }
        Ok(())
    }
}

impl Objects {
    /// Returns the number of a memory object, adding the object if it is new.
    fn add(&mut self, mem: &Arc<Object<Mem>>, roots: &[(usize, Range<usize>)]) -> usize {
        let is_same = |entry: &ObjectEntry| entry.mem.as_ref().is_some_and(|other| Arc::ptr_eq(other, mem));
        if let Some(index) = self.0.iter().position(is_same) {
            return index;
        }
        let of = mem.parent().map(|parent| self.add(parent, roots));
        let what = match of {
            Some(of) if mem.is_buffer() => {
                let offset = mem.offset() - self.start(of);
                What::Part { of, offset }
            }
            _ if mem.is_image() => What::Image { of },
            _ if mem.pipe().is_ok() => What::Pipe,
            _ => {
                let key = Arc::as_ptr(mem).addr();
                let hull = roots.iter().find(|(root, _)| *root == key).map(|(_, range)| range.clone());
                What::Buffer(hull.unwrap_or(0..mem.size()))
            }
        };
        self.0.push(ObjectEntry { what, mem: Some(Arc::clone(mem)) });
        self.0.len() - 1
    }

    /// Returns the offset of the first byte of a buffer that is stored.
    fn start(&self, index: usize) -> usize {
        if let What::Buffer(range) = &self.0[index].what { range.start } else { 0 }
    }

    /// Adds all memory objects among the arguments and returns their numbers in the same order.
    pub fn add_all(&mut self, mems: &[&Arc<Object<Mem>>]) -> Vec<usize> {
        let roots = hulls(mems);
        mems.iter().map(|mem| self.add(mem, &roots)).collect()
    }

    /// Adds the allocation that contains an address. Returns its number and the address's offset in it.
    pub fn add_shared(&mut self, context: &Context, address: usize) -> Option<(usize, usize)> {
        let range = context.allocations().around(address)?;
        let is_same = |entry: &ObjectEntry| matches!(&entry.what, What::Shared(other) if *other == range);
        let offset = address - range.start;
        let index = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(ObjectEntry { what: What::Shared(range), mem: None });
            self.0.len() - 1
        });
        Some((index, offset))
    }

    /// Adds the allocations of shared virtual memory and unified shared memory that pointers in these objects lead to, transitively.
    pub fn follow_pointers(&mut self, context: &Context) -> io::Result<()> {
        let mut next = 0;
        while let (Some(entry), Some(bounds)) = (self.0.get(next), context.allocations().bounds()) {
            let mut found = Vec::new();
            for rows in entry.pieces() {
                rows.read(&mut |bytes| {
                    let words = bytes
                        .chunks_exact(POINTER)
                        .map(|word| word.try_into().map_or(0, usize::from_ne_bytes));
                    found.extend(words.filter(|word| bounds.contains(word)));
                    found.dedup();
                    Ok(())
                })?;
            }
            found.sort_unstable();
            found.dedup();
            for address in found {
                self.add_shared(context, address);
            }
            next += 1;
        }
        Ok(())
    }

    /// Adds the variables of the program.
    pub fn add_variables(&mut self, variables: Vec<Variable>) {
        let entry = |variable| ObjectEntry { what: What::Variable(variable), mem: None };
        self.0.extend(variables.into_iter().map(entry));
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the current size of an object's contents in bytes; none if the object has no contents of its own.
    pub fn size(&self, index: usize) -> Option<u64> {
        let entry = &self.0[index];
        entry.has_contents().then(|| entry.pieces().iter().map(ByteRows::size).sum())
    }

    /// Writes an object's current contents.
    pub fn copy(&self, index: usize, to: &mut dyn Write) -> io::Result<()> {
        self.0[index].pieces().iter().try_for_each(|rows| rows.read(&mut |bytes| to.write_all(bytes)))
    }

    /// Checks whether an object's contents are unchanged. `before` reads the old contents from an offset on.
    pub fn is_as(&self, index: usize, before: impl Fn(u64, &mut [u8]) -> io::Result<()>) -> io::Result<bool> {
        let (mut place, mut old, mut same) = (0, vec![0; CHUNK], true);
        for rows in self.0[index].pieces() {
            rows.read(&mut |bytes| {
                if same {
                    let old = &mut old[..bytes.len()];
                    before(place, old)?;
                    same = old == bytes;
                    place += bytes.len() as u64;
                }
                Ok(())
            })?;
        }
        Ok(same)
    }

    /// Writes the list of objects to the manifest.
    pub fn describe(&self, json: &mut Json) {
        json.objects("objects", &self.0, |json, entry| entry.describe(json));
    }
}

/// Returns, for each root buffer, the range of bytes that the arguments cover, with the buffer's address as the
/// key.
fn hulls(mems: &[&Arc<Object<Mem>>]) -> Vec<(usize, Range<usize>)> {
    let mut hulls: Vec<(usize, Range<usize>)> = Vec::new();
    for &mem in mems {
        let (mut part, mut root) = (mem, mem);
        while let Some(parent) = root.parent() {
            (part, root) = (root, parent);
        }
        let is_part = part.parent().is_some() && part.is_buffer();
        let range = if is_part { part.offset()..part.offset() + part.size() } else { 0..root.size() };
        let key = Arc::as_ptr(root).addr();
        match hulls.iter_mut().find(|(other, _)| *other == key) {
            Some((_, hull)) => *hull = hull.start.min(range.start)..hull.end.max(range.end),
            None => hulls.push((key, range)),
        }
    }
    hulls
}

impl ObjectEntry {
    /// Checks whether the object has memory of its own.
    fn has_contents(&self) -> bool {
        !matches!(self.what, What::Part { .. } | What::Image { of: Some(_) })
    }

    /// Returns the memory of the object's contents.
    fn pieces(&self) -> Vec<ByteRows> {
        let one = |rows| vec![rows];
        match (&self.what, &self.mem) {
            (What::Buffer(range), Some(mem)) => one(ByteRows::plain(mem.base().at(range.start), range.len())),
            (What::Image { of: None }, Some(mem)) => {
                mem.image().map(|image| one(texels(image))).unwrap_or_default()
            }
            (What::Pipe, Some(mem)) => {
                packets(mem).into_iter().map(|(base, bytes)| ByteRows::plain(base, bytes)).collect()
            }
            (What::Shared(range), _) => one(ByteRows::plain(pointer(range.start), range.len())),
            (What::Variable(variable), _) => one(ByteRows::plain(pointer(variable.address), variable.size)),
            _ => Vec::new(),
        }
    }

    fn describe(&self, json: &mut Json) {
        match (&self.what, &self.mem) {
            (What::Buffer(range), _) => {
                json.text("kind", "buffer");
                json.number("size", range.len());
            }
            (What::Part { of, offset }, Some(mem)) => {
                json.text("kind", "part");
                json.number("of", of);
                json.number("offset", offset);
                json.number("size", mem.size());
            }
            (What::Image { of }, Some(mem)) => describe_image(json, *of, mem),
            (What::Pipe, Some(mem)) => {
                json.text("kind", "pipe");
                if let Ok(pipe) = mem.pipe() {
                    json.number("packet_size", pipe.packet_size);
                    json.number("max_packets", pipe.max_packets);
                }
            }
            (What::Shared(range), _) => {
                json.text("kind", "shared");
                json.number("address", range.start);
                json.number("size", range.len());
            }
            (What::Variable(variable), _) => {
                json.text("kind", "variable");
                json.text("name", &variable.name);
                json.number("size", variable.size);
                json.number("has_pointers", variable.has_pointers);
            }
            (What::Part { .. } | What::Image { .. } | What::Pipe, None) => {}
        }
        if let Some(mem) = &self.mem {
            json.number("flags", mem.flags());
        }
    }
}

fn pointer(address: usize) -> HostPtr {
    HostPtr::new(std::ptr::with_exposed_provenance::<u8>(address))
}

/// Returns the texels of an image without the gaps between its rows.
fn texels(image: &Image) -> ByteRows {
    let place = image.place_in_memory();
    ByteRows {
        base: HostPtr::new(place.base),
        bytes: place.width as usize * image.element_size(),
        rows: (place.height as usize, place.row_pitch as usize),
        slices: (place.depth as usize, place.slice_pitch as usize),
    }
}

fn describe_image(json: &mut Json, of: Option<usize>, mem: &Mem) {
    json.text("kind", "image");
    if let Some(of) = of {
        json.number("of", of);
    }
    let Ok(image) = mem.image() else { return };
    let format = image.host_format();
    json.number("type", image.object_type());
    json.number("order", format.image_channel_order);
    json.number("channel_type", format.image_channel_data_type);
    json.number("texel", image.element_size());
    json.number("width", image.width());
    json.number("height", image.height());
    json.number("depth", image.depth());
    json.number("array_size", image.array_size());
    // The row pitch matters only if the memory belongs to another object and has gaps.
    let has_gaps = of.is_some() && image.row_pitch() != image.width() * image.element_size();
    json.number("row_pitch", if has_gaps { image.row_pitch() } else { 0 });
}

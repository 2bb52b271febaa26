//! The memory that a launch can reach: what its arguments name, what they are parts of, what shared virtual memory leads to, and the
//! program's own variables.
//!
//! Contents belong to whatever has memory of its own. Of a buffer that only parts of are arguments, what lies around them is left
//! out.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::json::Json;
use crate::compile::Variable;
use crate::runtime::context::Context;
use crate::runtime::memory::{HostPtr, Image, Mem, packets};
use crate::runtime::object::Object;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// Bytes of a pointer in memory.
const POINTER: usize = size_of::<usize>();

/// The objects of a launch, by their numbers.
#[derive(Default)]
pub(super) struct Objects(Vec<ObjectEntry>);

struct ObjectEntry {
    what: What,
    /// The memory object, if it is one.
    mem: Option<Arc<Object<Mem>>>,
}

enum What {
    /// These bytes of a buffer.
    Buffer(Range<usize>),
    /// A sub-buffer, which begins at this byte of another object.
    Part {
        of: usize,
        offset: usize,
    },
    /// An image; of another object, if it shows that.
    Image {
        of: Option<usize>,
    },
    Pipe,
    /// An allocation of shared virtual memory, by its addresses.
    Shared(Range<usize>),
    Variable(Variable),
}

/// Rows of bytes in memory, one slice of them after the other.
#[derive(Clone, Copy)]
struct ByteRows {
    base: HostPtr,
    bytes: usize,
    /// Rows and slices, and how far they are apart.
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

    /// Shows all bytes to `take`, some at a time.
    fn read(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK.min(self.bytes)];
        for place in (0..self.slices.0 * self.rows.0).map(|row| (row / self.rows.0, row % self.rows.0)) {
            let row = self.base.at(place.0 * self.slices.1 + place.1 * self.rows.1);
            for start in (0..self.bytes).step_by(CHUNK) {
                let chunk = &mut chunk[..CHUNK.min(self.bytes - start)];
                // SAFETY: the row is a part of an object that the launch keeps alive, or of memory that the application
                // has promised to keep as long; `chunk` is as long as what is copied.
                unsafe { row.at(start).copy_to(HostPtr::new(chunk.as_mut_ptr()), chunk.len()) };
                take(chunk)?;
            }
        }
        Ok(())
    }
}

impl Objects {
    /// The number of a memory object, which is added if it is new.
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

    /// The first byte of a buffer that is among the contents.
    fn start(&self, index: usize) -> usize {
        if let What::Buffer(range) = &self.0[index].what { range.start } else { 0 }
    }

    /// Adds all memory objects among the arguments. Their numbers come in the same order.
    pub fn add_all(&mut self, mems: &[&Arc<Object<Mem>>]) -> Vec<usize> {
        let roots = hulls(mems);
        mems.iter().map(|mem| self.add(mem, &roots)).collect()
    }

    /// The number of the allocation that an address lies in, and how far it is from its beginning.
    pub fn add_shared(&mut self, context: &Context, address: usize) -> Option<(usize, usize)> {
        let range = context.svm().around(address)?;
        let is_same = |entry: &ObjectEntry| matches!(&entry.what, What::Shared(other) if *other == range);
        let offset = address - range.start;
        let index = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(ObjectEntry { what: What::Shared(range), mem: None });
            self.0.len() - 1
        });
        Some((index, offset))
    }

    /// Adds the allocations of shared virtual memory that pointers in these objects lead to, and so on.
    pub fn follow_pointers(&mut self, context: &Context) -> io::Result<()> {
        let mut next = 0;
        while let (Some(entry), Some(bounds)) = (self.0.get(next), context.svm().bounds()) {
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes of an object's contents as they are now; none if it has none of its own.
    pub fn size(&self, index: usize) -> Option<u64> {
        let entry = &self.0[index];
        entry.has_contents().then(|| entry.pieces().iter().map(ByteRows::size).sum())
    }

    /// Writes an object's contents as they are now.
    pub fn copy(&self, index: usize, to: &mut dyn Write) -> io::Result<()> {
        self.0[index].pieces().iter().try_for_each(|rows| rows.read(&mut |bytes| to.write_all(bytes)))
    }

    /// Whether an object's contents are still what `before` gives, which is asked for the bytes from a place on.
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

    /// Describes them.
    pub fn describe(&self, json: &mut Json) {
        json.objects("objects", &self.0, |json, entry| entry.describe(json));
    }
}

/// For each buffer that is no argument itself, the bytes that parts of it cover which are.
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
    /// Whether it has memory of its own.
    fn has_contents(&self) -> bool {
        !matches!(self.what, What::Part { .. } | What::Image { of: Some(_) })
    }

    /// Where its contents are.
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

/// The texels of an image without the gaps between rows.
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
    // What the application said matters only where the memory is another object's, and has gaps.
    let has_gaps = of.is_some() && image.row_pitch() != image.width() * image.element_size();
    json.number("row_pitch", if has_gaps { image.row_pitch() } else { 0 });
}

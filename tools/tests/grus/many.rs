//! OpenCL client whose kernels have arguments of all kinds. The tests of `capture` run it, with one of its kernels
//! at a time.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use super::client::{Api, Handle};

/// Source with arguments of all kinds that a kernel of version 2.0 can have, and a program-scope variable.
const SOURCE: &CStr = c"
typedef struct node { global struct node *next; int value; } node;
typedef struct { int a; float b; } pair;
global int counter = 5;
global int *global counted = &counter;
kernel void all(read_only image2d_t in, sampler_t s, write_only image2d_t out, read_only image1d_buffer_t line,
                global int *low, global int *high, global int *none, global node *list, local int *l, pair p,
                global float *sums, read_only image2d_array_t layers) {
    int i = get_global_id(0);
    int2 at = (int2)(i % 4, i / 4);
    write_imageui(out, at, read_imageui(in, s, at - 1) + 1 + read_imageui(layers, s, (int4)(at, 1, 0)));
    l[get_local_id(0)] = read_imagei(line, i).x;
    barrier(CLK_LOCAL_MEM_FENCE);
    low[i] += l[get_local_size(0) - 1 - get_local_id(0)];
    high[i] = p.a + (none == 0);
    if (i == 0) {
        int sum = (*counted)++;
        for (global node *n = list; n; n = n->next) { sum += n->value; n->value *= 2; }
        sums[0] = sum * p.b;
    }
}
kernel void feed(write_only pipe int p) { int i = get_global_id(0); write_pipe(p, &i); }
kernel void eat(read_only pipe int p, global int *to) { int i = -1; if (read_pipe(p, &i) == 0) to[get_global_id(0)] = i * 3; }
kernel void parent(queue_t q, global int *to) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{ to[get_global_id(0)] = 7; });
}
kernel void stray(global int *p) { p[get_global_id(0)] = 1; }
kernel void fault(global int *p, global int *q) { q[get_global_id(0)] = p[0]; }
kernel void endless(global volatile int *p) { while (p[0] == 1) { p[1] = 2; } }
";

const UNIT: &CStr = c"#include \"scale.h\"
int offset(int x);
kernel void linked(global int *p) { int i = get_global_id(0); p[i] = offset(p[i] * SCALE); }";
const OTHER: &CStr = c"int offset(int x) { return x + BY; }";
const HEADER: &CStr = c"#define SCALE 3\n";

/// Number of elements of buffers.
const ITEMS: usize = 16;

/// Objects of the program.
struct Session {
    api: Api,
    device: Handle,
    context: Handle,
    queue: Handle,
}

/// Structures of the API for an image's format and description.
#[repr(C)]
struct Format(u32, u32);
#[repr(C)]
struct Desc {
    image_type: u32,
    sizes: [usize; 4],
    pitches: [usize; 2],
    levels: [u32; 2],
    buffer: Handle,
}

const RGBA: u32 = 0x10B5;
const R: u32 = 0x10B0;
const UNSIGNED_INT8: u32 = 0x10DA;
const SIGNED_INT32: u32 = 0x10D9;
const COPY_HOST_PTR: u64 = 1 << 5;

impl Session {
    fn new() -> Session {
        let api = Api::open();
        let (device, context) = api.context();
        let queue = create!(api, clCreateCommandQueue(context => Handle, device => Handle, 0 => u64))
            .expect("a queue");
        Session { api, device, context, queue }
    }

    fn source(&self, text: &CStr) -> Handle {
        let text = text.as_ptr();
        let program = create!(self.api, clCreateProgramWithSource(
            self.context => Handle, 1 => u32, &text => *const *const c_char, null() => *const usize
        ));
        program.expect("a program")
    }

    fn kernel(&self, program: Handle, name: &CStr) -> Handle {
        create!(self.api, clCreateKernel(program => Handle, name.as_ptr() => *const c_char))
            .expect("a kernel")
    }

    fn built(&self) -> Handle {
        let program = self.source(SOURCE);
        call!(self.api, clBuildProgram(
            program => Handle, 0 => u32, null() => *const Handle, c"-cl-std=CL2.0".as_ptr() => *const c_char,
            null_mut() => Handle, null_mut() => Handle
        ));
        program
    }

    fn set<T>(&self, kernel: Handle, index: u32, value: &T) {
        let value = std::ptr::from_ref(value).cast();
        call!(self.api, clSetKernelArg(kernel => Handle, index => u32, size_of::<T>() => usize, value => *const c_void));
    }

    fn set_pointer(&self, kernel: Handle, index: u32, pointer: *const c_void) {
        call!(self.api, clSetKernelArgSVMPointer(kernel => Handle, index => u32, pointer => *const c_void));
    }

    fn buffer(&self, items: &[i32]) -> Handle {
        let made = create!(self.api, clCreateBuffer(
            self.context => Handle, 1 | COPY_HOST_PTR => u64, size_of_val(items) => usize, items.as_ptr().cast() => *const c_void
        ));
        made.expect("a buffer")
    }

    fn part(&self, buffer: Handle, origin: usize, size: usize) -> Handle {
        let region = [origin, size];
        let made = create!(self.api, clCreateSubBuffer(
            buffer => Handle, 0 => u64, 0x1220 => u32, region.as_ptr() => *const usize
        ));
        made.expect("a sub-buffer")
    }

    fn image(&self, flags: u64, format: &Format, desc: &Desc, texels: &[u8]) -> Handle {
        let host = if texels.is_empty() { null() } else { texels.as_ptr() };
        let made = create!(self.api, clCreateImage(
            self.context => Handle, flags => u64, format => *const Format, desc => *const Desc, host => *const u8
        ));
        made.expect("an image")
    }

    fn launch(&self, kernel: Handle, items: usize, local: Option<usize>) {
        let local = local.as_ref().map_or(null(), std::ptr::from_ref);
        call!(self.api, clEnqueueNDRangeKernel(
            self.queue => Handle, kernel => Handle, 1 => u32, null() => *const usize, &items => *const usize,
            local => *const usize, 0 => u32, null() => *const Handle, null_mut() => *mut Handle
        ));
    }

    fn finish(&self) {
        call!(self.api, clFinish(self.queue => Handle));
    }

    /// Allocates shared virtual memory that contains `words`.
    fn shared(&self, words: &[u64]) -> *mut u64 {
        // SAFETY: the specification gives this function this type; the allocation has room for the words.
        unsafe {
            let allocate =
                self.api.get::<unsafe extern "C" fn(Handle, u64, usize, u32) -> *mut u64>(c"clSVMAlloc");
            let place = allocate(self.context, 1, size_of_val(words), 0);
            assert!(!place.is_null());
            std::ptr::copy_nonoverlapping(words.as_ptr(), place, words.len());
            place
        }
    }

    fn image_desc(image_type: u32, [width, height, layers]: [usize; 3], buffer: Handle) -> Desc {
        Desc { image_type, sizes: [width, height, 0, layers], pitches: [0; 2], levels: [0; 2], buffer }
    }

    /// Launches `all` twice; the second launch reads the results of the first.
    fn all(&self) {
        let kernel = self.kernel(self.built(), c"all");
        let texels: Vec<u8> = (0..128).collect();
        let rgba = Format(RGBA, UNSIGNED_INT8);
        let plain = Self::image_desc(0x10F1, [4, 4, 0], null_mut());
        let [input, output] =
            [self.image(4 | COPY_HOST_PTR, &rgba, &plain, &texels[..64]), self.image(2, &rgba, &plain, &[])];
        let layers =
            self.image(4 | COPY_HOST_PTR, &rgba, &Self::image_desc(0x10F3, [4, 4, 2], null_mut()), &texels);
        let numbers: Vec<i32> = (0..256).collect();
        let whole = self.buffer(&numbers);
        // Bytes 384 to 448 belong to both sub-buffers.
        let [low, high] = [self.part(whole, 256, 192), self.part(whole, 384, 64)];
        let behind = self.buffer(&numbers[..ITEMS]);
        let line =
            self.image(0, &Format(R, SIGNED_INT32), &Self::image_desc(0x10F6, [ITEMS, 0, 0], behind), &[]);
        let last = self.shared(&[0, 30]);
        let first = self.shared(&[last as u64, 12]);
        let sampler = create!(self.api, clCreateSampler(self.context => Handle, 0 => u32, 0x1131 => u32, 0x1140 => u32));
        let sums = self.buffer(&[0]);
        for (index, argument) in [
            (0, input),
            (1, sampler.expect("a sampler")),
            (2, output),
            (3, line),
            (4, low),
            (5, high),
            (6, null_mut()),
            (10, sums),
            (11, layers),
        ] {
            self.set(kernel, index, &argument);
        }
        self.set_pointer(kernel, 7, first.cast());
        call!(self.api, clSetKernelArg(kernel => Handle, 8 => u32, 4 * 8 => usize, null() => *const c_void));
        self.set(kernel, 9, &(41i32, 0.5f32));
        for _ in 0..2 {
            self.launch(kernel, ITEMS, Some(8));
        }
        self.finish();
        // SAFETY: the allocations have more elements.
        assert_eq!(unsafe { (*first.add(1), *last.add(1)) }, (48, 120));
    }

    fn pipe(&self) {
        let program = self.built();
        let made = create!(self.api, clCreatePipe(
            self.context => Handle, 0 => u64, 4 => u32, 6 => u32, null() => *const isize
        ));
        let (pipe, to) = (made.expect("a pipe"), self.buffer(&[-1; ITEMS]));
        let [feed, eat] = [c"feed", c"eat"].map(|name| self.kernel(program, name));
        self.set(feed, 0, &pipe);
        self.set(eat, 0, &pipe);
        self.set(eat, 1, &to);
        // The ring buffer of the pipe has wrapped around when the last launch reads it.
        for (kernel, items) in [(feed, 5), (eat, 4), (feed, 4), (eat, 3)] {
            self.launch(kernel, items, None);
        }
        self.finish();
    }

    fn parent(&self) {
        let kernel = self.kernel(self.built(), c"parent");
        let properties = [0x1093u64, 1 | 4, 0];
        let made = create!(self.api, clCreateCommandQueueWithProperties(
            self.context => Handle, self.device => Handle, properties.as_ptr() => *const u64
        ));
        self.set(kernel, 0, &made.expect("a queue"));
        self.set(kernel, 1, &self.buffer(&[0; ITEMS]));
        self.launch(kernel, 1, None);
        self.finish();
    }

    fn linked(&self) {
        let [unit, other, header] = [UNIT, OTHER, HEADER].map(|text| self.source(text));
        let compile = |program: Handle, options: &CStr, headers: &[Handle], name: &CStr| {
            let (names, count) = ([name.as_ptr()], headers.len());
            let list = if count == 0 { null() } else { headers.as_ptr() };
            let names = if count == 0 { null() } else { names.as_ptr() };
            call!(self.api, clCompileProgram(
                program => Handle, 0 => u32, null() => *const Handle, options.as_ptr() => *const c_char, count as u32 => u32,
                list => *const Handle, names => *const *const c_char, null_mut() => Handle, null_mut() => Handle
            ));
        };
        compile(unit, c"", &[header], c"scale.h");
        compile(other, c"-DBY=4", &[], c"");
        let parts = [unit, other];
        let program = create!(self.api, clLinkProgram(
            self.context => Handle, 0 => u32, null() => *const Handle, null() => *const c_char, 2 => u32,
            parts.as_ptr() => *const Handle, null_mut() => Handle, null_mut() => Handle
        ));
        let kernel = self.kernel(program.expect("a program"), c"linked");
        self.set(kernel, 0, &self.buffer(&[1; ITEMS]));
        self.launch(kernel, ITEMS, None);
        self.finish();
    }

    /// Launches a kernel with memory whose size only the program knows.
    fn stray(&self) {
        let kernel = self.kernel(self.built(), c"stray");
        let mut memory = vec![0i32; ITEMS];
        self.set_pointer(kernel, 0, memory.as_mut_ptr().cast());
        self.launch(kernel, ITEMS, None);
        self.finish();
        assert_eq!(memory, [1; ITEMS]);
    }

    fn fault(&self) {
        let kernel = self.kernel(self.built(), c"fault");
        self.set(kernel, 0, &null_mut::<c_void>());
        self.set(kernel, 1, &self.buffer(&[0; ITEMS]));
        self.launch(kernel, ITEMS, None);
        // SAFETY: the specification gives this function this type.
        unsafe { self.api.get::<unsafe extern "C" fn(Handle) -> i32>(c"clFinish")(self.queue) };
    }

    /// Launches a kernel that the process does not survive.
    fn endless(&self) {
        let kernel = self.kernel(self.built(), c"endless");
        self.set(kernel, 0, &self.buffer(&[1; ITEMS]));
        self.launch(kernel, 1, None);
        std::thread::spawn(|| {
            std::thread::sleep(std::time::Duration::from_secs(2));
            // SAFETY: the signal ends this process.
            unsafe { libc::raise(libc::SIGKILL) };
        });
        self.finish();
    }
}

/// Variable that selects the launch.
pub const WHAT: &str = "MANY_CLIENT";

#[test]
fn kernels_with_arguments_of_all_kinds() {
    let session = Session::new();
    match std::env::var(WHAT).as_deref() {
        Ok("fault") => session.fault(),
        Ok("endless") => session.endless(),
        Ok("stray") => session.stray(),
        _ => {
            session.all();
            session.pipe();
            session.parent();
            session.linked();
        }
    }
}

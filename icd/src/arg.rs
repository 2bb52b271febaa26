//! What a caller passes, and the only code that follows its pointers.
//!
//! Each type is one C parameter. A caller promises that a pointer which is not null leads to as much memory as the API
//! says; nobody can check that, so it is what every `SAFETY` comment here rests on ("the caller's promise"). Handles are
//! never followed: they are looked up.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use grus_core::cl::{CL_SUCCESS, cl_int};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::memory::HostPtr;
use grus_core::runtime::object::{Object, ObjectBody};
use grus_core::runtime::queue::Queue;

/// A handle of an object of kind `T`.
#[repr(transparent)]
pub struct Handle<T: ObjectBody>(*const c_void, PhantomData<fn() -> T>);

impl<T: ObjectBody> Handle<T> {
    /// The address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// The object, or the error that a handle of this kind yields if it is not live.
    pub fn get(&self) -> Result<Arc<Object<T>>> {
        Object::find(self.0)
    }

    /// As `get`, but null is allowed.
    pub fn get_or_null(&self) -> Result<Option<Arc<Object<T>>>> {
        if self.0.is_null() { Ok(None) } else { self.get().map(Some) }
    }
}

/// An array of handles.
#[repr(transparent)]
pub struct Handles<T: ObjectBody>(*const *const c_void, PhantomData<fn() -> T>);

impl Handle<Queue> {
    /// The queue, which is not one on the device: the host enqueues nothing there.
    pub fn host(&self) -> Result<Arc<Object<Queue>>> {
        let queue = self.get()?;
        if queue.is_on_device() { Err(Error::InvalidCommandQueue) } else { Ok(queue) }
    }
}

impl<T: ObjectBody> Handles<T> {
    /// The address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Whether there is no array.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The objects; the first handle that is not live decides the error. No array is an empty one.
    pub fn get<C: FromIterator<Arc<Object<T>>>>(&self, count: impl Into<u64>) -> Result<C> {
        slice(self.0, count.into()).iter().map(|&handle| Object::find(handle)).collect()
    }

    /// As `get`, but null handles are allowed.
    pub fn get_or_null(&self, count: impl Into<u64>) -> Result<Vec<Option<Arc<Object<T>>>>> {
        let find = |&handle: &*const c_void| {
            if handle.is_null() { Ok(None) } else { Object::find(handle).map(Some) }
        };
        slice(self.0, count.into()).iter().map(find).collect()
    }
}

/// The caller's array for as long as the call takes. Null is an empty one. No array is larger than half of the address
/// space: what a wrong size says beyond that is left out, and the rest found wrong where it is known what size is right.
fn slice<'a, T>(pointer: *const T, count: u64) -> &'a [T] {
    if pointer.is_null() {
        return &[];
    }
    let most = isize::MAX.cast_unsigned() / size_of::<T>().max(1);
    let count = usize::try_from(count).unwrap_or(0).min(most);
    // SAFETY: the caller's promise; entry points keep nothing of it after they return.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// Room for `more` values of which the application decides how many they are. Asking for too much of the system's memory
/// is its error, not the end of its process.
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| Error::OutOfHostMemory)
}

/// A pointer to one value or to an array that the callee reads.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// No value.
    pub fn null() -> Self {
        Self(std::ptr::null())
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The value, `None` if the pointer is null.
    pub fn get(&self) -> Option<T> {
        self.array(1u32).and_then(|values| values.first().copied())
    }

    /// `count` values, `None` if the pointer is null.
    pub fn array(&self, count: impl Into<u64>) -> Option<&[T]> {
        (!self.0.is_null()).then(|| slice(self.0, count.into()))
    }

    /// Three values, `None` if the pointer is null.
    pub fn triple(&self) -> Option<[T; 3]> {
        self.array(3u32)?.try_into().ok()
    }
}

impl<T: Copy + PartialEq + Default> In<T> {
    /// A list of names with a value each that ends with a zero name: all of it, the zero included. Empty if null.
    pub fn list(&self) -> Vec<T> {
        let mut list = Vec::new();
        let mut position = 0usize;
        while let Some(&name) = self.array(position as u64 + 1).and_then(|a| a.last()) {
            list.push(name);
            if name == T::default() {
                break;
            }
            list.extend(self.array(position as u64 + 2).and_then(|a| a.last()));
            position += 2;
        }
        list
    }

    /// A list that ends with `end`, which is left out. Empty if null.
    pub fn until(&self, end: T) -> Vec<T> {
        let at = |i: u64| self.array(i + 1).and_then(|a| a.last().copied());
        (0..).map_while(at).take_while(|&value| value != end).collect()
    }

    /// The rest of an array.
    pub fn skip(&self, count: usize) -> Self {
        Self(self.0.wrapping_add(count))
    }
}

/// A string that ends with a NUL.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct InStr(*const c_char);

impl InStr {
    /// The text, `None` if the pointer is null. What is not UTF-8 is replaced.
    pub fn get(&self) -> Option<Cow<'_, str>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        Some(unsafe { CStr::from_ptr(self.0) }.to_string_lossy())
    }

    /// The text of `length` bytes, or up to the NUL if `length` is 0.
    pub fn bytes(&self, length: usize) -> Option<&[u8]> {
        if self.0.is_null() {
            return None;
        }
        if length == 0 {
            // SAFETY: the caller's promise.
            return Some(unsafe { CStr::from_ptr(self.0) }.to_bytes());
        }
        Some(slice(self.0.cast(), length as u64))
    }
}

/// Memory of a size that another parameter says, read or written by the call or by a command.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Memory(*mut c_void);

impl Memory {
    /// Whether there is none.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// For a command, which follows it later.
    pub fn host_ptr(&self) -> HostPtr {
        HostPtr::new(self.0)
    }

    /// The address.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// `size` bytes to read, `None` if the pointer is null.
    pub fn bytes(&self, size: usize) -> Option<&[u8]> {
        (!self.0.is_null()).then(|| slice(self.0.cast(), size as u64))
    }

    /// What comes after the first `bytes` of it.
    pub fn at(&self, bytes: usize) -> Self {
        if self.is_null() { *self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }

    /// Writes `bytes`, if there is memory.
    pub fn write(&self, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: the caller's promise; `bytes` is ours, so they do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.cast(), bytes.len()) }
        }
    }

    /// The user data of a callback.
    pub fn user_data(&self) -> *mut c_void {
        self.0
    }
}

/// Where the callee writes one value, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Whether the caller does not want it.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the value, if it is wanted.
    pub fn set(&self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the caller's promise.
            unsafe { self.0.write(value) }
        }
    }
}

impl Out<cl_int> {
    /// What a call gives, and the code that it sets.
    pub fn code_of<R>(call: impl FnOnce(Self) -> R) -> (R, cl_int) {
        let mut code = CL_SUCCESS;
        let result = call(Self(&raw mut code));
        (result, code)
    }
}

impl Out<*mut c_void> {
    /// Hands out an object, if it is wanted.
    pub fn publish<T: ObjectBody>(&self, object: &Arc<Object<T>>) {
        if !self.0.is_null() {
            self.set(object.publish());
        }
    }

    /// Hands out what was made because it is wanted.
    pub fn publish_any<T: ObjectBody>(&self, object: Option<&Arc<Object<T>>>) {
        if let Some(object) = object {
            self.publish(object);
        }
    }
}

/// Where the callee writes an array, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutArray<T>(*mut T);

impl<T: Copy> OutArray<T> {
    /// The address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Whether the caller does not want it.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the first values, as many as there are or `room` allows.
    pub fn write(&self, values: impl IntoIterator<Item = T>, room: usize) {
        if self.0.is_null() {
            return;
        }
        for (i, value) in values.into_iter().take(room).enumerate() {
            // SAFETY: the caller's promise: the array has `room` entries.
            unsafe { self.0.add(i).write(value) }
        }
    }
}

impl In<Memory> {
    /// A pointer out of bytes that need not be aligned.
    pub fn unaligned(bytes: &[u8]) -> Memory {
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let size = bytes.len().min(size_of::<*mut c_void>());
        // SAFETY: `pointer` has room for its own size; its bytes are the caller's pointer, provenance included.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut pointer).cast(), size) };
        Memory(pointer)
    }
}

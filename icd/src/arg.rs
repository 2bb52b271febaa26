//! Parameters of entry points, and the only code that dereferences the caller's pointers.
//!
//! Each type stands for one C parameter. The API obliges callers to pass pointers that are null or point to as much
//! memory as the specification says. This cannot be checked; the `SAFETY` comments here call it the API's contract.
//! Handles are never dereferenced: they are looked up.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use grus_core::cl::{CL_SUCCESS, cl_int};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::memory::HostPtr;
use grus_core::runtime::object::{Object, ObjectBody};
use grus_core::runtime::queue::Queue;

/// Handle of an object of kind `T`.
#[repr(transparent)]
pub struct Handle<T: ObjectBody>(*const c_void, PhantomData<fn() -> T>);

impl<T: ObjectBody> Handle<T> {
    /// Returns the address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Returns the object, or the error for an invalid handle of this kind if it is not live.
    pub fn get(&self) -> Result<Arc<Object<T>>> {
        Object::find(self.0)
    }

    /// Returns the object as `get` does, or none for a null handle.
    pub fn get_or_null(&self) -> Result<Option<Arc<Object<T>>>> {
        if self.0.is_null() { Ok(None) } else { self.get().map(Some) }
    }
}

impl Handle<Queue> {
    /// Returns the queue, which must be a host queue: the host enqueues nothing to device-side queues.
    pub fn host(&self) -> Result<Arc<Object<Queue>>> {
        let queue = self.get()?;
        if queue.is_on_device() { Err(Error::InvalidCommandQueue) } else { Ok(queue) }
    }
}

/// Array of handles.
#[repr(transparent)]
pub struct Handles<T: ObjectBody>(*const *const c_void, PhantomData<fn() -> T>);

impl<T: ObjectBody> Handles<T> {
    /// Returns the address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Checks whether there is no array.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the objects. The first handle that is not live determines the error. A null array counts as empty.
    pub fn get<C: FromIterator<Arc<Object<T>>>>(&self, count: impl Into<u64>) -> Result<C> {
        slice(self.0, count.into()).iter().map(|&handle| Object::find(handle)).collect()
    }

    /// Returns the objects as `get` does, with none for null handles.
    pub fn get_or_null(&self, count: impl Into<u64>) -> Result<Vec<Option<Arc<Object<T>>>>> {
        let find = |&handle: &*const c_void| {
            if handle.is_null() { Ok(None) } else { Object::find(handle).map(Some) }
        };
        slice(self.0, count.into()).iter().map(find).collect()
    }
}

/// Returns the caller's array for the duration of the call; an empty one for null. An array cannot be larger than
/// half of the address space, so a larger count is clamped; the functions that know the valid size reject it.
fn slice<'a, T>(pointer: *const T, count: u64) -> &'a [T] {
    if pointer.is_null() {
        return &[];
    }
    let max_count = isize::MAX.cast_unsigned() / size_of::<T>().max(1);
    let count = usize::try_from(count).unwrap_or(0).min(max_count);
    // SAFETY: the API's contract makes `count` values valid, and entry points keep no reference after they return.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// Reserves room for `more` values, whose number the application determines. Returns an error, instead of aborting
/// the process, if there is not enough memory.
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| Error::OutOfHostMemory)
}

/// Pointer to a value, or to an array, that the callee reads.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Returns the address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Returns a null pointer.
    pub fn null() -> Self {
        Self(std::ptr::null())
    }

    /// Checks whether the pointer is null.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the value; `None` if the pointer is null.
    pub fn get(&self) -> Option<T> {
        self.array(1u32).and_then(|values| values.first().copied())
    }

    /// Returns `count` values; `None` if the pointer is null.
    pub fn array(&self, count: impl Into<u64>) -> Option<&[T]> {
        (!self.0.is_null()).then(|| slice(self.0, count.into()))
    }

    /// Returns three values; `None` if the pointer is null.
    pub fn triple(&self) -> Option<[T; 3]> {
        self.array(3u32)?.try_into().ok()
    }
}

impl<T: Copy + PartialEq + Default> In<T> {
    /// Returns a property list: pairs of a name and a value, up to and including a zero name. Empty if null.
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

    /// Returns a list that ends with `end`, without `end`. Empty if null.
    pub fn until(&self, end: T) -> Vec<T> {
        let at = |i: u64| self.array(i + 1).and_then(|a| a.last().copied());
        (0..).map_while(at).take_while(|&value| value != end).collect()
    }

    /// Returns the array without its first `count` values.
    pub fn skip(&self, count: usize) -> Self {
        Self(self.0.wrapping_add(count))
    }
}

/// NUL-terminated string.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct InStr(*const c_char);

impl InStr {
    /// Returns the text; `None` if the pointer is null. Invalid UTF-8 is replaced.
    pub fn get(&self) -> Option<Cow<'_, str>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the API's contract makes the string NUL-terminated.
        Some(unsafe { CStr::from_ptr(self.0) }.to_string_lossy())
    }

    /// Returns `length` bytes, or the bytes before the NUL if `length` is 0.
    pub fn bytes(&self, length: usize) -> Option<&[u8]> {
        if self.0.is_null() {
            return None;
        }
        if length == 0 {
            // SAFETY: the API's contract makes the string NUL-terminated.
            return Some(unsafe { CStr::from_ptr(self.0) }.to_bytes());
        }
        Some(slice(self.0.cast(), length as u64))
    }
}

/// Memory whose size is in another parameter. The call or a command reads or writes it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Memory(*mut c_void);

impl Memory {
    /// Checks whether the pointer is null.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the pointer for a command, which dereferences it later.
    pub fn host_ptr(&self) -> HostPtr {
        HostPtr::new(self.0)
    }

    /// Returns the address.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Returns `size` bytes for reading; `None` if the pointer is null.
    pub fn bytes(&self, size: usize) -> Option<&[u8]> {
        (!self.0.is_null()).then(|| slice(self.0.cast(), size as u64))
    }

    /// Returns the memory after the first `bytes` bytes.
    pub fn at(&self, bytes: usize) -> Self {
        if self.is_null() { *self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }

    /// Writes `bytes`, unless the pointer is null.
    pub fn write(&self, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: the API's contract makes `bytes.len()` bytes valid; `bytes` is the library's own, so the
            // ranges do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.cast(), bytes.len()) }
        }
    }

    /// Returns the pointer as the user data of a callback.
    pub fn user_data(&self) -> *mut c_void {
        self.0
    }
}

/// Pointer to a value that the callee writes, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Returns the address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Checks whether the caller does not request the value.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the value, if it is requested.
    pub fn set(&self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the API's contract makes the pointer valid for one value.
            unsafe { self.0.write(value) }
        }
    }
}

impl Out<cl_int> {
    /// Returns the result of a call and the error code that it has set.
    pub fn code_of<R>(call: impl FnOnce(Self) -> R) -> (R, cl_int) {
        let mut code = CL_SUCCESS;
        let result = call(Self(&raw mut code));
        (result, code)
    }
}

impl Out<*mut c_void> {
    /// Publishes an object and writes its handle, if it is requested.
    pub fn publish<T: ObjectBody>(&self, object: &Arc<Object<T>>) {
        if !self.0.is_null() {
            self.set(object.publish());
        }
    }

    /// Publishes an object that was only created if it is requested.
    pub fn publish_any<T: ObjectBody>(&self, object: Option<&Arc<Object<T>>>) {
        if let Some(object) = object {
            self.publish(object);
        }
    }
}

/// Pointer to an array that the callee writes, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutArray<T>(*mut T);

impl<T: Copy> OutArray<T> {
    /// Returns the address, for recordings.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Checks whether the caller does not request the array.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the first values, at most `capacity`.
    pub fn write(&self, values: impl IntoIterator<Item = T>, capacity: usize) {
        if self.0.is_null() {
            return;
        }
        for (i, value) in values.into_iter().take(capacity).enumerate() {
            // SAFETY: the API's contract gives the array `capacity` entries.
            unsafe { self.0.add(i).write(value) }
        }
    }
}

impl In<Memory> {
    /// Reads a pointer from bytes that need not be aligned.
    pub fn unaligned(bytes: &[u8]) -> Memory {
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let size = bytes.len().min(size_of::<*mut c_void>());
        // SAFETY: `pointer` has room for its own size. The bytes are the caller's pointer, with its provenance.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut pointer).cast(), size) };
        Memory(pointer)
    }
}

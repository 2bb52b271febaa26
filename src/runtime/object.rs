//! Objects behind handles.
//!
//! An object consists of a header that the ICD loader can read (the dispatch pointer comes first) and a body. It
//! lives in an `Arc` and has two more counts:
//!
//! - `api_refs` is the application's count, which REFERENCE_COUNT reports. While it is above zero, the application
//!   owns one `Arc`.
//! - `child_refs` counts the objects whose queries return this object's handle (a queue, for example, returns its
//!   context).
//!
//! A handle is live while one of the counts is above zero. Other references to an object, such as those of a
//! running command or a wait list, keep it in memory but do not keep its handle live.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::thread::LocalKey;

use super::error::{Error, Result};
use super::registry;
use grus_support::fork;

/// Dispatch table that handles point to. The ICD sets it once; it is null in unit tests of the library.
static DISPATCH: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Sets the dispatch table. Objects that are created later contain the pointer.
pub fn set_dispatch(table: *const c_void) {
    DISPATCH.store(table.cast_mut(), Ordering::Relaxed);
}

/// Body of a kind of object.
pub trait ObjectBody: Send + Sync + Sized + 'static {
    /// Error for a null, foreign or dead handle of this kind.
    const INVALID: Error;

    /// Returns the per-thread cache of handles of this kind. Useful for kinds with few objects and frequent
    /// lookups.
    fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
        None
    }

    /// Reacts to the drop of the object. It is called once, with the former handle.
    fn destroyed(&mut self, _handle: *mut c_void) {}
}

#[repr(C)]
struct Header {
    dispatch: *const c_void,
    api_refs: AtomicU32,
    child_refs: AtomicU32,
    /// True if the registry contains this object.
    published: AtomicBool,
}

/// Object that an OpenCL handle points to.
#[repr(C)]
pub struct Object<T: ObjectBody> {
    header: Header,
    body: T,
}

// SAFETY: only the dispatch pointer is not Send and Sync by itself. The runtime treats it as a number: it is never
// dereferenced, and never written after construction.
unsafe impl<T: ObjectBody> Send for Object<T> {}
// SAFETY: shared access to the dispatch pointer never dereferences or writes it; all other fields are Sync.
unsafe impl<T: ObjectBody> Sync for Object<T> {}

impl<T: ObjectBody> Object<T> {
    /// Creates an object without a handle, which the application does not know yet.
    pub fn new(body: T) -> Arc<Self> {
        Arc::new(Self::unshared(body))
    }

    /// Creates an object like [`Object::new`], whose body needs a reference to the object itself.
    pub fn new_cyclic(make: impl FnOnce(&Weak<Self>) -> T) -> Arc<Self> {
        Arc::new_cyclic(|weak| Self::unshared(make(weak)))
    }

    fn unshared(body: T) -> Self {
        Self {
            header: Header {
                dispatch: DISPATCH.load(Ordering::Relaxed),
                api_refs: AtomicU32::new(0),
                child_refs: AtomicU32::new(0),
                published: AtomicBool::new(false),
            },
            body,
        }
    }

    /// Gives the application its first reference and returns the handle.
    pub fn publish(self: &Arc<Self>) -> *mut c_void {
        self.header.published.store(true, Ordering::Relaxed);
        registry::insert(self.address(), Arc::downgrade(self) as registry::AddressEntry);
        self.retain();
        self.handle()
    }

    /// Returns the handle for queries. It is live only if the object was published.
    pub fn handle(&self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }

    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    /// Returns the live object of this kind behind a handle. Any pointer value is allowed.
    pub fn find(handle: *const c_void) -> Result<Arc<Self>> {
        let found = T::cached().and_then(|recent| recent.try_with(|recent| recent.find(handle)).ok());
        let object = found.unwrap_or_else(|| Self::registered(handle)).ok_or(T::INVALID)?;
        if object.is_live() { Ok(object) } else { Err(T::INVALID) }
    }

    fn registered(handle: *const c_void) -> Option<Arc<Self>> {
        Arc::<dyn Any + Send + Sync>::downcast::<Self>(registry::find(handle.addr())?).ok()
    }

    fn is_live(&self) -> bool {
        self.header.api_refs.load(Ordering::Acquire) != 0
            || self.header.child_refs.load(Ordering::Acquire) != 0
    }

    /// Returns the application's reference count.
    pub fn api_refs(&self) -> u32 {
        self.header.api_refs.load(Ordering::Acquire)
    }

    /// Adds a reference of the application.
    pub fn retain(self: &Arc<Self>) {
        if self.header.api_refs.fetch_add(1, Ordering::AcqRel) == 0 {
            // The first reference owns an `Arc`, which `release` drops.
            let _ = Arc::into_raw(Arc::clone(self));
        }
    }

    /// Removes a reference of the application.
    pub fn release(self: &Arc<Self>) -> Result<()> {
        let before = self
            .header
            .api_refs
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1))
            .map_err(|_| T::INVALID)?;
        if before == 1 {
            // SAFETY: the transition of the count from 0 to 1 leaked exactly one `Arc` of this object. This is the
            // transition back, which happens once for each leak.
            drop(unsafe { Arc::from_raw(Arc::as_ptr(self)) });
        }
        Ok(())
    }
}

impl<T: ObjectBody> Deref for Object<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T: ObjectBody> Drop for Object<T> {
    fn drop(&mut self) {
        if *self.header.published.get_mut() {
            registry::remove(self.address());
        }
        let handle = self.handle();
        self.body.destroyed(handle);
    }
}

/// Cache of the objects that a thread has recently found in the registry. The references are weak: they keep no
/// object alive, but they keep its memory from being reused. An object that can be upgraded is therefore the one
/// that was found, and a dead one is looked up again and not found.
pub struct HandleCache<T: ObjectBody>([HandleSlot<T>; HANDLES]);

/// Number of slots, a power of two.
// Arbitrary.
const HANDLES: usize = 8;

struct HandleSlot<T: ObjectBody> {
    object: RefCell<Weak<Object<T>>>,
    /// Number of unclean forks at the lookup; an object from before such a fork must not be used in the child.
    unclean_forks: Cell<u32>,
}

impl<T: ObjectBody> HandleCache<T> {
    /// Returns an empty cache.
    #[expect(clippy::new_without_default, reason = "it is for the statics of threads")]
    pub const fn new() -> Self {
        Self(
            [const { HandleSlot { object: RefCell::new(Weak::new()), unclean_forks: Cell::new(0) } };
                HANDLES],
        )
    }

    fn find(&self, handle: *const c_void) -> Option<Arc<Object<T>>> {
        let address = handle.addr();
        let slot = &self.0[((address >> 5) ^ (address >> 10)) % HANDLES];
        let recent = slot.object.borrow();
        if recent.as_ptr().addr() == address
            && slot.unclean_forks.get() == fork::unclean_forks()
            && let Some(object) = recent.upgrade()
        {
            return Some(object);
        }
        drop(recent);
        let object = Object::registered(handle)?;
        slot.object.replace(Arc::downgrade(&object));
        slot.unclean_forks.set(fork::unclean_forks());
        Some(object)
    }
}

/// Reference of a child to its parent, which keeps the parent in memory and its handle live.
pub struct ParentRef<T: ObjectBody>(Arc<Object<T>>);

impl<T: ObjectBody> ParentRef<T> {
    /// Adds a child reference to `parent`.
    pub fn new(parent: &Arc<Object<T>>) -> Self {
        parent.header.child_refs.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(parent))
    }

    /// Returns the parent.
    pub fn object(&self) -> &Arc<Object<T>> {
        &self.0
    }

    /// Checks whether the parent is this object.
    pub fn is(&self, other: &Object<T>) -> bool {
        ptr::eq(Arc::as_ptr(&self.0), other)
    }
}

impl<T: ObjectBody> Clone for ParentRef<T> {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl<T: ObjectBody> Deref for ParentRef<T> {
    type Target = Arc<Object<T>>;
    fn deref(&self) -> &Arc<Object<T>> {
        &self.0
    }
}

impl<T: ObjectBody> Drop for ParentRef<T> {
    fn drop(&mut self) {
        self.0.header.child_refs.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Apple(Arc<AtomicU32>);
    impl ObjectBody for Apple {
        const INVALID: Error = Error::InvalidMemObject;
        fn destroyed(&mut self, _handle: *mut c_void) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    struct Pear;
    thread_local! {
        static PEARS: HandleCache<Pear> = const { HandleCache::new() };
    }
    impl ObjectBody for Pear {
        const INVALID: Error = Error::InvalidKernel;
        fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
            Some(&PEARS)
        }
    }

    fn apple() -> (Arc<Object<Apple>>, Arc<AtomicU32>) {
        let destroyed = Arc::new(AtomicU32::new(0));
        (Object::new(Apple(Arc::clone(&destroyed))), destroyed)
    }

    #[test]
    fn a_handle_lives_as_long_as_the_application_holds_it() {
        let (object, destroyed) = apple();
        let handle = object.publish();
        drop(object);
        Object::<Apple>::find(handle).unwrap().retain();
        assert_eq!(Object::<Apple>::find(handle).unwrap().api_refs(), 2);
        Object::<Apple>::find(handle).unwrap().release().unwrap();
        assert_eq!(destroyed.load(Ordering::Relaxed), 0);
        Object::<Apple>::find(handle).unwrap().release().unwrap();
        assert_eq!(destroyed.load(Ordering::Relaxed), 1);
        assert_eq!(Object::<Apple>::find(handle).err(), Some(Error::InvalidMemObject));
    }

    #[test]
    fn other_kinds_and_foreign_pointers_are_not_found() {
        let (object, _) = apple();
        let handle = object.publish();
        assert_eq!(Object::<Pear>::find(handle).err(), Some(Error::InvalidKernel));
        let local = 0u64;
        assert!(Object::<Apple>::find(ptr::from_ref(&local).cast()).is_err());
        assert!(Object::<Apple>::find(ptr::null()).is_err());
        object.release().unwrap();
    }

    #[test]
    fn what_a_thread_remembers_is_not_kept_alive() {
        let mut handles: Vec<_> = (0..100).map(|_| Object::new(Pear).publish().addr()).collect();
        let handle = |address: usize| ptr::without_provenance::<c_void>(address);
        for round in 0..200 {
            let at = round * 7 % handles.len();
            for _ in 0..2 {
                assert_eq!(Object::<Pear>::find(handle(handles[at])).unwrap().address(), handles[at]);
                assert!(Object::<Apple>::find(handle(handles[at])).is_err());
            }
            Object::<Pear>::find(handle(handles[at])).unwrap().release().unwrap();
            assert!(Object::<Pear>::find(handle(handles[at])).is_err());
            handles[at] = Object::new(Pear).publish().addr();
        }
        for address in handles {
            Object::<Pear>::find(handle(address)).unwrap().release().unwrap();
            assert!(Object::<Pear>::find(handle(address)).is_err());
        }
        assert!(Object::<Pear>::find(Weak::<Object<Pear>>::new().as_ptr().cast()).is_err());
    }

    #[test]
    fn internal_use_keeps_the_object_but_not_the_handle() {
        let (object, destroyed) = apple();
        let handle = object.publish();
        object.release().unwrap();
        assert!(Object::<Apple>::find(handle).is_err());
        assert_eq!(object.release(), Err(Error::InvalidMemObject));
        assert_eq!(destroyed.load(Ordering::Relaxed), 0);
        drop(object);
        assert_eq!(destroyed.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_child_keeps_the_handle_alive_and_the_application_may_take_it_again() {
        let (object, destroyed) = apple();
        let handle = object.publish();
        let child = ParentRef::new(&object);
        object.release().unwrap();
        drop(object);
        let again = Object::<Apple>::find(handle).unwrap();
        assert_eq!(again.api_refs(), 0);
        again.retain();
        drop(child);
        drop(again);
        Object::<Apple>::find(handle).unwrap().release().unwrap();
        assert_eq!(destroyed.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn threads_may_look_up_what_another_one_releases() {
        for _ in 0..200 {
            let (object, destroyed) = apple();
            let address = object.publish().expose_provenance();
            drop(object);
            let handle = || ptr::with_exposed_provenance::<c_void>(address);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(move || {
                        while let Ok(found) = Object::<Apple>::find(handle()) {
                            found.retain();
                            let _ = found.release();
                        }
                    });
                }
                let found = Object::<Apple>::find(handle()).unwrap();
                found.release().unwrap();
                // Other threads may have retained the object for a moment; none keeps it.
                drop(found);
            });
            assert_eq!(destroyed.load(Ordering::Relaxed), 1);
        }
    }
}

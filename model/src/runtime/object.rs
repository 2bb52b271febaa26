//! Objects without API handles.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::thread::LocalKey;

use super::error::Error;

pub trait ObjectBody: Send + Sync + Sized + 'static {
    const INVALID: Error;

    fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
        None
    }

    fn destroyed(&mut self, _handle: *mut c_void) {}
}

pub struct HandleCache<T>(PhantomData<T>);

impl<T> HandleCache<T> {
    #[expect(clippy::new_without_default, reason = "as the real one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

pub struct Object<T: ObjectBody>(T);

impl<T: ObjectBody> Object<T> {
    pub fn new(body: T) -> Arc<Self> {
        Arc::new(Self(body))
    }

    pub fn handle(&self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }
}

impl<T: ObjectBody> Deref for Object<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ObjectBody> Drop for Object<T> {
    fn drop(&mut self) {
        let handle = self.handle();
        self.0.destroyed(handle);
    }
}

/// Reference from a child to its parent.
pub struct ParentRef<T: ObjectBody>(Arc<Object<T>>);

impl<T: ObjectBody> ParentRef<T> {
    pub fn new(parent: &Arc<Object<T>>) -> Self {
        Self(Arc::clone(parent))
    }

    pub fn object(&self) -> &Arc<Object<T>> {
        &self.0
    }
}

impl<T: ObjectBody> Deref for ParentRef<T> {
    type Target = Arc<Object<T>>;
    fn deref(&self) -> &Arc<Object<T>> {
        &self.0
    }
}

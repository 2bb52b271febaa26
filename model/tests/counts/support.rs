//! Atomics and locks that count accesses. No thread ever waits for a lock here.

pub mod lines;

pub mod sync {
    use super::lines::{Access, note};

    /// Atomics that record each access.
    pub mod atomic {
        pub use std::sync::atomic::Ordering;

        use crate::support::lines::{Access, note};

        macro_rules! atomic {
            ($name:ident: $value:ty) => {
                pub struct $name(std::sync::atomic::$name);

                impl $name {
                    pub fn new(value: $value) -> Self {
                        Self(std::sync::atomic::$name::new(value))
                    }
                    pub fn load(&self, order: Ordering) -> $value {
                        note(self, Access::Reads);
                        self.0.load(order)
                    }
                }
            };
        }
        atomic!(AtomicU64: u64);
        atomic!(AtomicUsize: usize);

        /// Read-modify-write operations, each of which is one access.
        macro_rules! changes {
            ($($name:ident),*) => {
                impl AtomicUsize {
                    $(pub fn $name(&self, value: usize, order: Ordering) -> usize {
                        note(self, Access::Writes);
                        self.0.$name(value, order)
                    })*
                }
            };
        }
        changes!(fetch_add, fetch_sub, fetch_or, fetch_and);

        impl AtomicUsize {
            /// Updates the value by a load and an exchange, since no other thread runs in between.
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                change: impl FnMut(usize) -> Option<usize>,
            ) -> Result<usize, usize> {
                note(self, Access::Reads);
                let result = self.0.fetch_update(set, fetch, change);
                result.inspect(|_| note(self, Access::Writes))
            }
            pub fn compare_exchange(
                &self,
                current: usize,
                new: usize,
                success: Ordering,
                failure: Ordering,
            ) -> Result<usize, usize> {
                note(self, Access::Writes);
                self.0.compare_exchange(current, new, success, failure)
            }
        }

        impl AtomicU64 {
            pub fn swap(&self, value: u64, order: Ordering) -> u64 {
                note(self, Access::Writes);
                self.0.swap(value, order)
            }
            pub fn store(&self, value: u64, order: Ordering) {
                note(self, Access::Writes);
                self.0.store(value, order);
            }
            pub fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
                note(self, Access::Writes);
                self.0.fetch_add(value, order)
            }
            pub fn fetch_sub(&self, value: u64, order: Ordering) -> u64 {
                note(self, Access::Writes);
                self.0.fetch_sub(value, order)
            }
        }
    }

    #[derive(Default)]
    pub struct Mutex<T>(std::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(std::sync::Mutex::new(value))
        }
        pub fn lock(&self) -> std::sync::MutexGuard<'_, T> {
            note(self, Access::Writes);
            self.0.lock().expect("nobody panics here")
        }
    }

    pub struct Condvar(std::sync::Condvar);

    impl Condvar {
        pub fn new() -> Self {
            Self(std::sync::Condvar::new())
        }
        pub fn wait<'a, T>(&self, guard: std::sync::MutexGuard<'a, T>) -> std::sync::MutexGuard<'a, T> {
            self.0.wait(guard).expect("nobody panics here")
        }
        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

pub mod bug {
    pub struct Bug;

    /// # Errors
    /// Never returns one: a panic fails the test.
    pub fn contained<T>(_place: &str, work: impl FnOnce() -> T) -> Result<T, Bug> {
        Ok(work())
    }

    pub enum PanicSite {
        Groups,
    }

    impl PanicSite {
        pub fn pass(self) {}
    }
}

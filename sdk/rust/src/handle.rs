//! Handles of queues for threads that have no call.
use crate::abi::*;
use crate::text::{to_c, Key};

/// Adds keys to a queue from any thread, at any time. After the end of the controller it does nothing; after a swap its keys go
/// to the queue of that name in the next build.
pub struct Handle {
    pub(crate) table: davit_waker_v1,  // A copy, since it may outlive the controller.
    pub(crate) raw: *mut davit_waker, // With a reference.
}

// abi.h: any thread may use and release a waker, at any time.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Handle {
    /// False when the controller has ended.
    pub fn wake(&self, key: &Key) -> bool {
        unsafe { (self.table.wake)(self.raw, to_c(&key.to_string())) == DAVIT_OK }
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        unsafe { (self.table.retain)(self.raw) };
        Handle { table: self.table, raw: self.raw }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { (self.table.release)(self.raw) };
    }
}

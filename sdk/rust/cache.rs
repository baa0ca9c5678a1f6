//! What a controller works with: informers and queues.
use crate::abi::*;
use crate::basics::{to_c, Key, Resource};
use crate::ctx::Ctx;
use crate::value::{Value, ABSENT};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Added,
    Updated,
    Deleted,
}

/// One change of one object, as a handler sees it.
pub struct Event<'a> {
    pub change: Change,
    pub resource: &'static Resource,
    /// Deleted: the last state known.
    pub object: Value<'a>,
    /// Updated: what this handler saw last.
    pub old: Option<Value<'a>>,
}

/// Keys that wait for sync(). Adding is cheap and never waits.
#[derive(Clone, Copy)]
pub struct Queue {
    pub(crate) handle: davit_handle,
}

impl Queue {
    pub fn add(&self, ctx: &Ctx<'_>, key: &Key) {
        unsafe { ((*ctx.tables.queue).add)(ctx.call, self.handle, to_c(&key.to_string())) };
    }
    pub fn add_after(&self, ctx: &Ctx<'_>, key: &Key, delay: Duration) {
        let delay = delay.as_millis() as u64;
        unsafe { ((*ctx.tables.queue).add_after)(ctx.call, self.handle, to_c(&key.to_string()), delay) };
    }
}

/// Adds keys to a queue from any thread, at any time. After the end of the controller it does nothing; after a swap its keys go
/// to the queue of that name in the next build.
pub struct Waker {
    pub(crate) table: *const davit_waker_v1, // Lives as long as the process.
    pub(crate) raw: *mut davit_waker,        // With a reference.
}
unsafe impl Send for Waker {}
unsafe impl Sync for Waker {}

impl Waker {
    /// False when the controller has ended.
    pub fn wake(&self, key: &Key) -> bool {
        unsafe { ((*self.table).wake)(self.raw, to_c(&key.to_string())) == DAVIT_OK }
    }
}

impl Clone for Waker {
    fn clone(&self) -> Self {
        unsafe { ((*self.table).retain)(self.raw) };
        Waker { table: self.table, raw: self.raw }
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        unsafe { ((*self.table).release)(self.raw) };
    }
}

/// The host's shared cache of one resource.
#[derive(Clone, Copy)]
pub struct Informer {
    pub(crate) handle: davit_handle,
}

impl Informer {
    pub fn get<'call>(&self, ctx: &Ctx<'call>, key: &Key) -> Option<Value<'call>> {
        let mut out = ABSENT;
        let code = unsafe {
            ((*ctx.tables.informer).get)(ctx.call, self.handle, to_c(&key.ns), to_c(&key.name), &mut out)
        };
        if code == DAVIT_OK {
            Some(ctx.wrap(out))
        } else {
            None
        }
    }
    /// Every object.
    pub fn list<'call>(&self, ctx: &Ctx<'call>) -> Vec<Value<'call>> {
        self.select(ctx, "", "")
    }
    pub fn in_namespace<'call>(&self, ctx: &Ctx<'call>, ns: &str) -> Vec<Value<'call>> {
        self.select(ctx, "namespace", ns)
    }
    fn select<'call>(&self, ctx: &Ctx<'call>, index: &str, key: &str) -> Vec<Value<'call>> {
        let mut out = davit_list { items: std::ptr::null(), count: 0 };
        let code = unsafe {
            ((*ctx.tables.informer).select)(ctx.call, self.handle, to_c(index), to_c(key), &mut out)
        };
        if code != DAVIT_OK || out.count == 0 {
            return Vec::new();
        }
        let raw = unsafe { std::slice::from_raw_parts(out.items, out.count) };
        raw.iter().map(|each| ctx.wrap(*each)).collect()
    }
}

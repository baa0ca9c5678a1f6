//! What a controller works with: informers and queues.
use crate::abi::*;
use crate::basics::{to_c, Key, Resource};
use crate::host::Host;
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
    pub(crate) host: Host,
    pub(crate) handle: davit_handle,
}

impl Queue {
    pub fn add(&self, key: &Key) {
        unsafe { ((*self.host.queue).add)(self.host.host, self.handle, to_c(&key.to_string())) };
    }
    pub fn add_after(&self, key: &Key, delay: Duration) {
        let delay = delay.as_millis() as u64;
        unsafe { ((*self.host.queue).add_after)(self.host.host, self.handle, to_c(&key.to_string()), delay) };
    }
}

/// The host's shared cache of one resource.
#[derive(Clone, Copy)]
pub struct Informer {
    pub(crate) host: Host,
    pub(crate) handle: davit_handle,
}

impl Informer {
    pub fn get(&self, key: &Key) -> Option<Value<'_>> {
        let mut out = ABSENT;
        let code = unsafe {
            ((*self.host.informer).get)(self.host.host, self.handle, to_c(&key.ns), to_c(&key.name), &mut out)
        };
        if code == DAVIT_OK {
            Some(self.host.wrap(out))
        } else {
            None
        }
    }
    /// Every object.
    pub fn list(&self) -> Vec<Value<'_>> {
        self.select("", "")
    }
    pub fn in_namespace(&self, ns: &str) -> Vec<Value<'_>> {
        self.select("namespace", ns)
    }
    fn select(&self, index: &str, key: &str) -> Vec<Value<'_>> {
        let mut out = davit_list { items: std::ptr::null(), count: 0 };
        let code = unsafe {
            ((*self.host.informer).select)(self.host.host, self.handle, to_c(index), to_c(key), &mut out)
        };
        if code != DAVIT_OK || out.count == 0 {
            return Vec::new();
        }
        let raw = unsafe { std::slice::from_raw_parts(out.items, out.count) };
        raw.iter().map(|each| self.host.wrap(*each)).collect()
    }
}

//! What a controller works with: informers and queues.
use crate::abi::*;
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::sized::read_sized;
use crate::text::{to_c, Key, Resource};
use crate::value::Value;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Added,
    Updated,
    Deleted,
}

/// One change of one object, as the handler of a dynamic informer sees it.
#[derive(Debug)]
pub struct Found<'a> {
    pub change: Change,
    /// Deleted: the last state known.
    pub object: Value<'a>,
    /// Updated: what this handler saw last. Its UID may differ.
    pub old: Option<Value<'a>>,
    /// Part of the informer's first content.
    pub is_initial: bool,
    /// Deleted: the deletion itself was missed, and the state may be old.
    pub is_tombstone: bool,
}

/// One change of one object, as a handler sees it.
#[derive(Debug)]
pub struct Event<'a> {
    pub change: Change,
    pub resource: &'static Resource,
    /// Deleted: the last state known.
    pub object: Value<'a>,
    /// Updated: what this handler saw last. Its UID may differ.
    pub old: Option<Value<'a>>,
    /// Part of what was there when the controller started.
    pub is_initial: bool,
    /// Deleted: the deletion itself was missed, and the state may be old.
    pub is_tombstone: bool,
}

impl<'a> Event<'a> {
    pub(crate) fn of(resource: &'static Resource, found: Found<'a>) -> Self {
        let Found { change, object, old, is_initial, is_tombstone } = found;
        Event { change, resource, object, old, is_initial, is_tombstone }
    }
}

/// None: the event is shorter than one of ABI 1.0. An event of an unknown type reads as an update.
pub(crate) unsafe fn found_of<'a>(ctx: &Ctx<'a>, raw: *const davit_event) -> Option<Found<'a>> {
    let raw = read_sized(raw)?;
    let change = match raw.r#type {
        DAVIT_EVENT_ADDED => Change::Added,
        DAVIT_EVENT_DELETED => Change::Deleted,
        _ => Change::Updated,
    };
    Some(Found {
        change,
        object: ctx.wrap(raw.value),
        old: Some(ctx.wrap(raw.old_value)).filter(|_| change == Change::Updated),
        is_initial: raw.initial != 0,
        is_tombstone: raw.tombstone != 0,
    })
}

/// An object of a cache.
pub(crate) fn value_of<'call>(ctx: &Ctx<'call>, code: davit_code, raw: davit_value) -> Result<Option<Value<'call>>> {
    if code == DAVIT_NOT_FOUND {
        return Ok(None);
    }
    ctx.checked(code, "cannot read the cache")?;
    Ok(Some(ctx.wrap(raw)))
}

/// The objects of a list, or why there is none.
pub(crate) unsafe fn values_of<'call>(
    ctx: &Ctx<'call>,
    code: davit_code,
    index: &str,
    list: &davit_list,
) -> Result<Vec<Value<'call>>> {
    if code == DAVIT_NOT_FOUND {
        return Err(Error::new(DAVIT_MISUSE, format!("the informer has no index {}", index)));
    }
    ctx.checked(code, "cannot read the cache")?;
    if list.count == 0 {
        return Ok(Vec::new());
    }
    let raw = std::slice::from_raw_parts(list.items, list.count);
    Ok(raw.iter().map(|each| ctx.wrap(*each)).collect())
}

/// Keys that wait for sync(). Adding is cheap and never waits. A queue of a controller that has ended refuses with a stale error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    pub(crate) handle: davit_handle,
}

impl Queue {
    /// A key that waits is not added again; one that runs now runs exactly once more.
    pub fn add(&self, ctx: &Ctx<'_>, key: &Key) -> Result<()> {
        let code = unsafe { (ctx.host().queue.add)(ctx.raw(), self.handle, to_c(&key.to_string())) };
        ctx.checked(code, "the key was not added")
    }
    /// If one key has several delays, the earliest wins.
    pub fn add_after(&self, ctx: &Ctx<'_>, key: &Key, delay: Duration) -> Result<()> {
        let (key, delay) = (key.to_string(), delay.as_millis() as u64);
        let code = unsafe { (ctx.host().queue.add_after)(ctx.raw(), self.handle, to_c(&key), delay) };
        ctx.checked(code, "the key was not added")
    }
    /// As add(); keys with the same shard never run at the same time.
    pub fn add_sharded(&self, ctx: &Ctx<'_>, key: &Key, shard: &str) -> Result<()> {
        let key = key.to_string();
        let code = unsafe { (ctx.host().queue.add_sharded)(ctx.raw(), self.handle, to_c(&key), to_c(shard)) };
        ctx.checked(code, "the key was not added")
    }
    /// After the key's next back-off.
    pub fn add_rate_limited(&self, ctx: &Ctx<'_>, key: &Key) -> Result<()> {
        let key = key.to_string();
        let code = unsafe { (ctx.host().queue.add_rate_limited)(ctx.raw(), self.handle, to_c(&key)) };
        ctx.checked(code, "the key was not added")
    }
    /// Ends the key's back-off.
    pub fn forget(&self, ctx: &Ctx<'_>, key: &Key) -> Result<()> {
        let code = unsafe { (ctx.host().queue.forget)(ctx.raw(), self.handle, to_c(&key.to_string())) };
        ctx.checked(code, "the back-off of the key has not ended")
    }
    /// How often in a row the key was given a back-off.
    pub fn failures(&self, ctx: &Ctx<'_>, key: &Key) -> u32 {
        unsafe { (ctx.host().queue.failures)(ctx.raw(), self.handle, to_c(&key.to_string())) }
    }
}

/// An index of an informer over a path, from `Setup::index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    pub(crate) name: &'static str,
}

/// The host's shared cache of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Informer {
    pub(crate) handle: davit_handle,
}

impl Informer {
    /// `Ok(None)`: there is no such object.
    pub fn get<'call>(&self, ctx: &Ctx<'call>, key: &Key) -> Result<Option<Value<'call>>> {
        let mut out = davit_value::new();
        let code = unsafe {
            (ctx.host().informer.get)(ctx.raw(), self.handle, to_c(&key.ns), to_c(&key.name), &mut out)
        };
        value_of(ctx, code, out)
    }
    /// Every object.
    pub fn list<'call>(&self, ctx: &Ctx<'call>) -> Result<Vec<Value<'call>>> {
        self.select(ctx, "", "")
    }
    pub fn in_namespace<'call>(&self, ctx: &Ctx<'call>, ns: &str) -> Result<Vec<Value<'call>>> {
        self.select(ctx, DAVIT_INDEX_NAMESPACE, ns)
    }
    /// The objects that `owner` controls; see [`Value::is_controlled_by`].
    pub fn controlled_by<'call>(&self, ctx: &Ctx<'call>, owner: Value<'_>) -> Result<Vec<Value<'call>>> {
        let mut found = self.select(ctx, DAVIT_INDEX_CONTROLLER, owner.uid())?;
        found.retain(|each| each.is_controlled_by(owner));
        Ok(found)
    }
    pub fn by_label<'call>(&self, ctx: &Ctx<'call>, ns: &str, label: &str, value: &str) -> Result<Vec<Value<'call>>> {
        self.select(ctx, DAVIT_INDEX_LABEL, &format!("{}/{}={}", ns, label, value))
    }
    /// The objects with `key` in an index of the controller's own.
    pub fn by<'call>(&self, ctx: &Ctx<'call>, index: &Index, key: &str) -> Result<Vec<Value<'call>>> {
        self.select(ctx, index.name, key)
    }
    fn select<'call>(&self, ctx: &Ctx<'call>, index: &str, key: &str) -> Result<Vec<Value<'call>>> {
        let mut out = davit_list { items: std::ptr::null(), count: 0 };
        let code = unsafe {
            (ctx.host().informer.select)(ctx.raw(), self.handle, to_c(index), to_c(key), &mut out)
        };
        unsafe { values_of(ctx, code, index, &out) }
    }

    /// How fresh the content is. `Ok(None)`: there is none yet. Needs "davit.freshness/1".
    pub fn freshness(&self, ctx: &Ctx<'_>) -> Result<Option<Freshness>> {
        let mut out = davit_freshness::new();
        let code = unsafe { (ctx.host().freshness()?.read)(ctx.raw(), self.handle, &mut out) };
        if code == DAVIT_NOT_FOUND {
            return Ok(None);
        }
        ctx.checked(code, "nothing is known of the cache")?;
        let time = |nanos: i64| Duration::from_nanos(nanos.max(0) as u64);
        // The end of `verified_ns`: a header that has grown since makes the struct larger.
        let tells = out.size as usize >= 2 * std::mem::size_of::<u32>() + 3 * std::mem::size_of::<i64>();
        Ok(Some(Freshness {
            confirmed: time(out.confirmed_ns),
            followed_since: time(out.followed_since_ns),
            verified: time(if tells { out.verified_ns } else { out.confirmed_ns }),
        }))
    }
    /// Has the content compared with the server's present state: `verified` is the present or later when that is done. Needs
    /// "davit.freshness/1".
    pub fn verify(&self, ctx: &Ctx<'_>) -> Result<()> {
        let code = unsafe { (ctx.host().freshness()?.verify)(ctx.raw(), self.handle) };
        ctx.checked(code, "the cache is not compared")
    }
}

/// The freshness of a cache, for controllers that act on what does not come. On [`Ctx::monotonic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// When the connection was last known to work; no evidence of content.
    pub confirmed: Duration,
    /// No outage has interrupted the host's view of the server since then.
    pub followed_since: Duration,
    /// Everything that the server had then is in the content. Moves only after [`Informer::verify`]. On a host that does not
    /// tell, `confirmed`.
    pub verified: Duration,
}

//! The call that the plugin's code is in: the only way to the host.
use crate::abi::*;
use crate::cache::Queue;
use crate::error::{listed, Error, Result};
use crate::handle::Handle;
use crate::host::Host;
use crate::sized::read_sized;
use crate::text::{api_version_of, from_c, to_c, ApiResource};
use crate::time::Time;
use crate::value::{Reader, Value};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// What stands behind a [`Ctx`], on the stack of the function that the host has called.
pub(crate) struct Call<'a> {
    host: &'a Arc<Host>,
    raw: *const davit_call,
    known: Option<davit_call>, // None: shorter than in 1.0, or null.
    reader: Reader,
}

impl<'a> Call<'a> {
    pub(crate) unsafe fn new(host: &'a Arc<Host>, raw: *const davit_call) -> Self {
        Call { host, raw, known: read_sized(raw), reader: Reader::new(&host.object) }
    }
    pub(crate) fn ctx(&'a self) -> Ctx<'a> {
        Ctx { call: self }
    }
    /// At the end of the plugin's function: its outcome, or the reads outside the projection on which it rests.
    pub(crate) fn ended<T>(&self, outcome: Result<T>) -> Result<T> {
        unsafe { self.host.give_back(self.raw, self.known.map_or(0, |known| known.kind)) };
        match outcome {
            Ok(_) if self.reader.undeclared.get() => {
                Err(Error::new(DAVIT_UNDECLARED, "it has read a field that its note does not declare"))
            }
            other => other,
        }
    }
}

/// One call of the host into the plugin. It ends when the plugin's function returns and belongs to one thread: neither it nor
/// what it lends can be kept or sent to another thread, which the compiler checks. A [`Handle`] can.
#[derive(Clone, Copy)]
pub struct Ctx<'call> {
    call: &'call Call<'call>, // Not Sync, so that this is not Send.
}

/// The kind of an Event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    Normal,
    Warning,
}

/// The level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Info,
    /// From 1: shown with that or a higher `-v`.
    Verbose(u16),
}

impl Level {
    fn number(self) -> i32 {
        match self {
            Level::Error => DAVIT_LOG_ERROR,
            Level::Warning => DAVIT_LOG_WARNING,
            Level::Info => DAVIT_LOG_INFO,
            Level::Verbose(level) => i32::from(level),
        }
    }
}

impl<'call> Ctx<'call> {
    pub(crate) fn raw(&self) -> *const davit_call {
        self.call.raw
    }
    pub(crate) fn host(&self) -> &'call Host {
        self.call.host
    }
    pub(crate) fn weak_host(&self) -> Weak<Host> {
        Arc::downgrade(self.call.host)
    }
    pub(crate) fn wrap(&self, raw: davit_value) -> Value<'call> {
        Value::new(&self.call.reader, raw)
    }
    pub(crate) fn explain(&self, text: &str) {
        unsafe { (self.host().context.error_text)(self.raw(), to_c(text)) }
    }
    /// Ok for DAVIT_OK, else the host's reason, or `what` if it has none.
    pub(crate) fn checked(&self, code: i32, what: &str) -> Result<()> {
        if code == DAVIT_OK {
            return Ok(());
        }
        let reason = self.last_error().filter(|last| last.code == code && !last.message.is_empty());
        Err(reason.unwrap_or_else(|| Error::new(code, what)))
    }

    /// The name of the controller's row.
    pub fn controller(&self) -> &'call str {
        unsafe { from_c(self.host().context.controller) }
    }
    /// Whether the result is not waited for any more, because the host stops or swaps: end soon.
    pub fn is_cancelled(&self) -> bool {
        self.call.known.map_or(true, |known| unsafe { (known.cancelled)(self.raw()) != 0 })
    }
    /// Whether this replica may act now: it holds the lease, or the controller needs none. It may change at any time; the host
    /// checks each write by itself.
    pub fn leads(&self) -> bool {
        self.call.known.map_or(false, |known| unsafe { (known.leads)(self.raw()) != 0 })
    }
    /// The number of times in a row that the key or timer has failed.
    pub fn attempt(&self) -> u32 {
        self.call.known.map_or(0, |known| known.attempt)
    }
    /// When the host reports the call as overdue, on [`Ctx::monotonic`]; `None`: never.
    pub fn deadline(&self) -> Option<Duration> {
        let nanos = self.call.known.map_or(0, |known| known.deadline_ns);
        Some(Duration::from_nanos(nanos.max(0) as u64)).filter(|_| nanos != 0)
    }
    /// The W3C trace id of the work; empty: it is not traced.
    pub fn trace_id(&self) -> &'call str {
        self.call.known.map_or("", |known| unsafe { from_c(known.trace_id) })
    }
    /// Whether the key of this sync comes from `queue`, in a controller with several.
    pub fn is_of(&self, queue: &Queue) -> bool {
        self.call.known.map_or(false, |known| known.source == queue.handle)
    }
    /// The last failure of a function of the host in this call.
    pub fn last_error(&self) -> Option<Error> {
        let mut raw = davit_error::new();
        let code = unsafe { (self.host().context.last_error)(self.raw(), &mut raw) };
        Some(unsafe {
            Error {
                code: raw.code,
                message: from_c(raw.message).to_string(),
                http_status: raw.http_status,
                reason: from_c(raw.reason).to_string(),
                causes: listed(from_c(raw.causes)),
                retry_after: Duration::from_millis(raw.retry_after_ms.into()),
                position: raw.position,
            }
        })
        .filter(|error| code == DAVIT_OK && error.code != DAVIT_OK)
    }

    /// A value of JSON text, for what is not an object of the cluster.
    pub fn parse(&self, json: &str) -> Result<Value<'call>> {
        let mut out = davit_value::new();
        let code = unsafe { (self.host().object.parse)(self.raw(), to_c(json), &mut out) };
        self.checked(code, "the text is not JSON")?;
        Ok(self.wrap(out))
    }
    /// The controller's `config` in the manifest; absent: there is none.
    pub fn config(&self) -> Value<'call> {
        match &self.host().config {
            Some(table) => self.wrap(unsafe { (table.value)(self.raw()) }),
            None => self.wrap(davit_value::new()),
        }
    }
    /// The wall clock of the host, which a test moves. Needs "davit.clock/1".
    pub fn now(&self) -> Result<Time> {
        let nanos = unsafe { (self.host().clock()?.wall_ns)(self.raw()) };
        Ok(Time { seconds: nanos.div_euclid(1_000_000_000), nanos: nanos.rem_euclid(1_000_000_000) as u32 })
    }
    /// Waits; in syncs and timers only. Occupies the worker, so use it for pauses of a few seconds. `DAVIT_CANCELLED`: it ended
    /// early because the host stops or swaps; return that error. Needs "davit.clock/1".
    pub fn pause(&self, time: Duration) -> Result<()> {
        let clock = self.host().clock()?;
        let code = unsafe { (clock.pause)(self.raw(), time.as_millis() as u64) };
        self.checked(code, "a pause is for syncs and timers")
    }
    /// A clock that never jumps, from an unknown begin. Needs "davit.clock/1".
    pub fn monotonic(&self) -> Result<Duration> {
        let nanos = unsafe { (self.host().clock()?.monotonic_ns)(self.raw()) };
        Ok(Duration::from_nanos(nanos.max(0) as u64))
    }
    /// 64 random bits; not for secrets. Needs "davit.random/1".
    pub fn random(&self) -> Result<u64> {
        Ok(unsafe { (self.host().random()?.next)(self.raw()) })
    }
    /// Records an Event about an object, which the host writes later. Needs "davit.event/1".
    pub fn event(&self, resource: &dyn ApiResource, object: Value<'_>, kind: EventType, reason: &str, message: &str) -> Result<()> {
        let table = self.host().event()?;
        let api_version = api_version_of(resource);
        let regarding = davit_reference {
            api_version: to_c(&api_version),
            kind: to_c(resource.kind()),
            ns: to_c(object.ns()),
            name: to_c(object.name()),
            uid: to_c(object.uid()),
            resource_version: to_c(object.resource_version()),
            ..davit_reference::new()
        };
        let kind = if kind == EventType::Normal { "Normal" } else { "Warning" };
        let code = unsafe { (table.record)(self.raw(), &regarding, to_c(kind), to_c(reason), to_c(message)) };
        self.checked(code, "the Event was not recorded")
    }
    /// Writes a line: a constant message and pairs. Nothing without "davit.log/1".
    pub fn log(&self, level: Level, message: &str, pairs: &[(&str, &str)]) {
        let fields: Vec<davit_log_field> =
            pairs.iter().map(|(key, value)| davit_log_field { key: to_c(key), value: to_c(value) }).collect();
        if let Some(table) = &self.host().log {
            unsafe { (table.write)(self.raw(), level.number(), to_c(message), fields.as_ptr(), fields.len()) }
        }
    }
    /// Whether a line of this level would be written.
    pub fn logs(&self, level: Level) -> bool {
        self.host().log.map_or(false, |table| unsafe { (table.enabled)(self.raw(), level.number()) != 0 })
    }
    /// A handle of `queue` for other threads. Needs "davit.waker/1".
    pub fn handle(&self, queue: &Queue) -> Result<Handle> {
        let table = self.host().waker()?;
        let mut raw = std::ptr::null_mut();
        let code = unsafe { (table.open)(self.raw(), queue.handle, &mut raw) };
        self.checked(code, "cannot open a handle")?;
        Ok(Handle { table: *table, raw })
    }
}

/// What the call is for, for logs of the plugin's own.
impl std::fmt::Debug for Ctx<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = self.call.known.map_or("", |known| unsafe { from_c(known.key) });
        out.debug_struct("Ctx")
            .field("controller", &self.controller())
            .field("key", &key)
            .field("attempt", &self.attempt())
            .field("trace_id", &self.trace_id())
            .field("leads", &self.leads())
            .finish()
    }
}

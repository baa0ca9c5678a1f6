//! The host as one controller has it.
use crate::abi::*;
use crate::cloud_abi::davit_cloud_host_v1;
use crate::dynamic::Anchor;
use crate::error::{Error, Result};
use crate::sized::{read_sized, Growing};
use crate::text::to_c;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tables that every controller needs, those that this host has, and what must be given back. Lives as long as the frame.
pub(crate) struct Host {
    pub(crate) context: davit_context,
    pub(crate) object: davit_object_v1,
    pub(crate) informer: davit_informer_v1,
    pub(crate) queue: davit_queue_v1,
    pub(crate) client: davit_client_v1,
    timer: Option<davit_timer_v1>,
    event: Option<davit_event_v1>,
    pub(crate) log: Option<davit_log_v1>,
    clock: Option<davit_clock_v1>,
    random: Option<davit_random_v1>,
    metric: Option<davit_metric_v1>,
    pub(crate) config: Option<davit_config_v1>,
    freshness: Option<davit_freshness_v1>,
    discovery: Option<davit_discovery_v1>,
    dynamic: Option<davit_informer_v2>,
    waker: Option<davit_waker_v1>,
    http: Option<davit_http_v1>,
    cloud: Option<davit_cloud_host_v1>,

    /// The handlers of dynamic informers.
    anchors: Mutex<Vec<Arc<Anchor>>>,
    /// What has been dropped and is given back in the next call that may do so.
    dropped: Mutex<Vec<Dropped>>,
    any_dropped: AtomicBool, // Set after the list has grown.
}

// The tables are constant, and all threads of the controller use them.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

// For types that hold a `Weak<Host>` and derive it: in Rust 1.63, Weak<T> has it only if T does.
impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}

/// A handle of the host whose owner has been dropped, maybe on a thread without a call.
pub(crate) enum Dropped {
    Retained(davit_handle),
    Informer(davit_handle),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

macro_rules! optional_tables {
    ($($name:ident: $table:ident $id:literal;)*) => {$(
        pub(crate) fn $name(&self) -> Result<&$table> {
            self.$name.as_ref().ok_or_else(|| {
                Error::new(DAVIT_UNSUPPORTED, concat!("this host has no ", $id, ": put it into `requires` of the note"))
            })
        }
    )*};
}

impl Host {
    /// The error names a table that every controller needs and the host lacks.
    pub(crate) unsafe fn new(call: *const davit_call, context: davit_context) -> Result<Host> {
        unsafe fn table<T: Growing>(call: *const davit_call, context: &davit_context, id: &str) -> Option<T> {
            read_sized((context.capability)(call, to_c(id)).cast::<T>())
        }
        unsafe fn must<T: Growing>(call: *const davit_call, context: &davit_context, id: &str) -> Result<T> {
            table(call, context, id).ok_or_else(|| Error::new(DAVIT_INTERNAL, format!("this host has no {} of ABI 1.0", id)))
        }
        Ok(Host {
            object: must(call, &context, "davit.object/1")?,
            informer: must(call, &context, "davit.informer/1")?,
            queue: must(call, &context, "davit.queue/1")?,
            client: must(call, &context, "davit.client/1")?,
            timer: table(call, &context, "davit.timer/1"),
            event: table(call, &context, "davit.event/1"),
            log: table(call, &context, "davit.log/1"),
            clock: table(call, &context, "davit.clock/1"),
            random: table(call, &context, "davit.random/1"),
            metric: table(call, &context, "davit.metric/1"),
            config: table(call, &context, "davit.config/1"),
            freshness: table(call, &context, "davit.freshness/1"),
            discovery: table(call, &context, "davit.discovery/1"),
            dynamic: table(call, &context, "davit.informer/2"),
            waker: table(call, &context, "davit.waker/1"),
            http: table(call, &context, "davit.http/1"),
            cloud: table(call, &context, "davit.cloud-host/1"),
            context,
            anchors: Mutex::default(),
            dropped: Mutex::default(),
            any_dropped: AtomicBool::new(false),
        })
    }

    optional_tables! {
        timer: davit_timer_v1 "davit.timer/1";
        event: davit_event_v1 "davit.event/1";
        clock: davit_clock_v1 "davit.clock/1";
        random: davit_random_v1 "davit.random/1";
        metric: davit_metric_v1 "davit.metric/1";
        freshness: davit_freshness_v1 "davit.freshness/1";
        discovery: davit_discovery_v1 "davit.discovery/1";
        dynamic: davit_informer_v2 "davit.informer/2";
        waker: davit_waker_v1 "davit.waker/1";
        http: davit_http_v1 "davit.http/1";
        cloud: davit_cloud_host_v1 "davit.cloud-host/1";
    }

    /// Keeps an anchor; its address.
    pub(crate) fn keep(&self, anchor: Arc<Anchor>) -> *const Anchor {
        let raw = Arc::as_ptr(&anchor);
        locked(&self.anchors).push(anchor);
        raw
    }
    /// Takes an anchor out. It is the caller's to drop, since it may run code of the plugin.
    pub(crate) fn take(&self, anchor: *const Anchor) -> Option<Arc<Anchor>> {
        let mut anchors = locked(&self.anchors);
        let at = anchors.iter().position(|each| Arc::as_ptr(each) == anchor)?;
        Some(anchors.swap_remove(at))
    }
    pub(crate) fn take_all(&self) -> Vec<Arc<Anchor>> {
        std::mem::take(&mut locked(&self.anchors))
    }

    pub(crate) fn give_back_later(&self, dropped: Dropped) {
        locked(&self.dropped).push(dropped);
        self.any_dropped.store(true, Ordering::Release);
    }
    /// At the end of a call: gives back what it may.
    pub(crate) unsafe fn give_back(&self, call: *const davit_call, kind: i32) {
        if !self.any_dropped.load(Ordering::Acquire) {
            return;
        }
        self.any_dropped.store(false, Ordering::Release);
        let dropped = std::mem::take(&mut *locked(&self.dropped));
        let may_close = [DAVIT_CALL_INIT, DAVIT_CALL_HANDLER, DAVIT_CALL_SYNC, DAVIT_CALL_TIMER].contains(&kind);
        for each in dropped {
            match (&each, &self.dynamic) {
                // A handle that is gone already is refused, which is fine.
                (Dropped::Retained(handle), _) => drop((self.object.release)(call, *handle)),
                (Dropped::Informer(handle), Some(table)) if may_close => drop((table.close)(call, *handle)),
                _ => self.give_back_later(each),
            }
        }
    }
}

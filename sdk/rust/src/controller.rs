//! What a plugin implements.
use crate::abi::*;
use crate::cache::{Event, Index, Informer, Queue};
use crate::cloud::CloudProvider;
use crate::ctx::Ctx;
use crate::debug_page::DebugPage;
use crate::entry::{self, Frame};
use crate::error::{Error, Result};
use crate::metric::{self, Metric, MetricKind};
use crate::state::HandedState;
use crate::text::{to_c, Key, Resource};
use crate::value::Value;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// The next run of a key or timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// A key: when it is added again. A timer: after its period.
    WhenChanged,
    After(Duration),
    /// After the next back-off, but nothing has failed: for what is not there yet.
    WithBackoff,
    /// As `After`, but the failures so far stay counted.
    AfterKeepingBackoff(Duration),
}

/// A controller. One value serves all of its workers, so it keeps no state that needs `&mut`. A panic ends the call in which it
/// happened, as an error with its text, and nothing else.
pub trait Controller: Send + Sync + Sized + 'static {
    /// Opens queues and informers. The cache is still empty. An error keeps the host from starting the controller; the code
    /// `DAVIT_UNSUPPORTED` skips it.
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self>;
    /// Something changed: only adds keys to queues. An error is logged.
    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>) -> Result<()>;
    /// Makes one object as it should be; never twice at once for one key. An error tries again with back-off.
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again>;
    /// A timer of `Setup::timer` is due. An error fires it again with back-off.
    fn fire(&self, _ctx: &Ctx<'_>, _timer: &'static str) -> Result<Again> {
        Ok(Again::WhenChanged)
    }
    /// An error makes the host unhealthy. Must not take a lock that a sync holds while it waits.
    fn health(&self, _ctx: &Ctx<'_>) -> Result<()> {
        Ok(())
    }
    /// A page of GET /debug/controllers/NAME/PATH; `DAVIT_NOT_FOUND`: there is none. Runs beside syncs and handlers.
    fn debug_page(&self, _ctx: &Ctx<'_>, path: &str, _query: &str) -> Result<DebugPage> {
        Err(Error::new(DAVIT_NOT_FOUND, format!("the controller has no page \"{}\"", path)))
    }
    /// The operator has changed the configuration. Ok: it counts from now on. `DAVIT_UNSUPPORTED`, as here: the host swaps to
    /// another instance, which finds it in `new`. Every other error keeps the old one. Runs beside syncs and handlers.
    fn configure(&self, _ctx: &Ctx<'_>, _config: &Value<'_>) -> Result<()> {
        Err(Error::new(DAVIT_UNSUPPORTED, "it takes no configuration while it runs"))
    }
    /// The state that a hot swap hands to the next build, if there is any; the same object each time.
    fn state(&self) -> Option<&dyn HandedState> {
        None
    }
    /// The cloud that the controller provides, if it does; the same object each time.
    fn cloud(&self) -> Option<&dyn CloudProvider> {
        None
    }
}

/// How a queue works; `..Default::default()` leaves the rest to the note, the operator and the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// At most so many keys at once; 0: as the note or the operator says.
    pub workers: u32,
    /// The first back-off of a failing key, which doubles each time; zero: 5 ms.
    pub backoff_first: Duration,
    /// The longest back-off; zero: 1000 s.
    pub backoff_max: Duration,
    /// A key that has failed so often in a row is dropped with a log line; 0: never.
    pub retries_max: u32,
}

/// What an informer of the note's watches follows; `..Default::default()` for the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InformerOptions<'a> {
    /// The label selector of the note's watch, character by character.
    pub labels: &'a str,
    /// The field selector of the note's watch, likewise.
    pub fields: &'a str,
    /// The watch is renewed when nothing came through it for so long, at least a second; zero: as the host thinks fit. For
    /// controllers that act on what does not come. Needs "davit.freshness/1".
    pub silence_max: Duration,
}

/// A timer from [`Setup::timer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timer {
    handle: davit_handle,
}

impl Timer {
    /// Ends the timer: it does not fire again. Does not wait for a run in progress.
    pub fn stop(&self, ctx: &Ctx<'_>) -> Result<()> {
        let code = unsafe { (ctx.host().timer()?.stop)(ctx.raw(), self.handle) };
        ctx.checked(code, "the timer was not stopped")
    }
}

/// Opens what a controller works with, while it is made.
pub struct Setup<'call, C> {
    pub(crate) frame: *mut Frame<C>,
    pub(crate) ctx: Ctx<'call>,
}

impl<'call, C: Controller> Setup<'call, C> {
    pub fn ctx(&self) -> Ctx<'call> {
        self.ctx
    }

    /// `name` is the label of its metrics. The operator says how many workers it has, or the note.
    pub fn queue(&mut self, name: &str) -> Result<Queue> {
        self.queue_with(name, QueueOptions::default())
    }
    pub fn queue_with(&mut self, name: &str, options: QueueOptions) -> Result<Queue> {
        let options = davit_queue_options {
            workers: options.workers,
            name: to_c(name),
            base_ms: options.backoff_first.as_millis() as u64,
            max_ms: options.backoff_max.as_millis() as u64,
            retries_max: options.retries_max,
            this: self.frame.cast(),
            sync: Some(entry::sync_key::<C>),
            ..davit_queue_options::new()
        };
        let mut handle = 0;
        let code = unsafe { (self.ctx.host().queue.open)(self.ctx.raw(), &options, &mut handle) };
        self.ctx.checked(code, "cannot open the queue")?;
        Ok(Queue { handle })
    }

    /// The resource must be among the note's watches.
    pub fn informer(&mut self, resource: &'static Resource) -> Result<Informer> {
        self.informer_with(resource, InformerOptions::default())
    }
    /// With selectors, or a limit of silence.
    pub fn informer_with(&mut self, resource: &'static Resource, options: InformerOptions<'_>) -> Result<Informer> {
        let silence_max = options.silence_max;
        let options = davit_informer_options {
            group: to_c(resource.group),
            version: to_c(resource.version),
            resource: to_c(resource.resource),
            label_selector: to_c(options.labels),
            field_selector: to_c(options.fields),
            this: entry::door(self.frame, Some(resource), ""),
            on_event: Some(entry::on_event::<C>),
            ..davit_informer_options::new()
        };
        let mut handle = 0;
        let code = unsafe { (self.ctx.host().informer.open)(self.ctx.raw(), &options, &mut handle) };
        self.ctx.checked(code, &format!("cannot watch {}", resource.resource))?;
        if !silence_max.is_zero() {
            let longest_ms = silence_max.as_millis() as u64;
            let code = unsafe { (self.ctx.host().freshness()?.limit_silence)(self.ctx.raw(), handle, longest_ms) };
            self.ctx.checked(code, "the silence of the watch has no limit")?;
        }
        Ok(Informer { handle })
    }

    /// Adds an index over the strings at `path`: "spec.nodeName", "spec.volumes[].secret.secretName".
    pub fn index(&mut self, informer: &Informer, name: &'static str, path: &str) -> Result<Index> {
        let code = unsafe {
            (self.ctx.host().informer.add_index)(self.ctx.raw(), informer.handle, to_c(name), to_c(path))
        };
        self.ctx.checked(code, &format!("cannot add the index {}", name))?;
        Ok(Index { name })
    }

    /// Calls `Controller::fire` with this name after `first`, and again `period` after each run; a zero period: once. Needs
    /// "davit.timer/1".
    pub fn timer(&mut self, name: &'static str, first: Duration, period: Duration) -> Result<Timer> {
        let options = davit_timer_options {
            first_ms: first.as_millis() as u64,
            period_ms: period.as_millis() as u64,
            this: entry::door(self.frame, None, name),
            fire: Some(entry::fire::<C>),
            ..davit_timer_options::new()
        };
        let mut handle = 0;
        let code = unsafe { (self.ctx.host().timer()?.start)(self.ctx.raw(), &options, &mut handle) };
        self.ctx.checked(code, &format!("cannot start the timer {}", name))?;
        Ok(Timer { handle })
    }

    /// Opens a metric with its full Prometheus name. Needs "davit.metric/1".
    pub fn metric(&mut self, kind: MetricKind<'_>, name: &str, help: &str, labels: &[&str]) -> Result<Metric> {
        metric::open(&self.ctx, kind, name, help, labels)
    }
}

/// Runs `call`; a panic becomes an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => text.to_string(),
            (_, Some(text)) => text.clone(),
            _ => {
                // The destructor of another type might panic, too.
                std::mem::forget(panic);
                "of an unknown type".to_string()
            }
        };
        Err(Error::new(DAVIT_INTERNAL, format!("panic: {}", text)))
    })
}

//! How the host calls a controller: each function runs the plugin's code under `catch_unwind`.
use crate::abi::*;
use crate::cache::{found_of, Event};
use crate::cloud;
use crate::cloud_abi::davit_cloud_provider_v1;
use crate::controller::{guarded, Again, Controller, Setup};
use crate::ctx::{Call, Ctx, Level};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::sized::read_sized;
use crate::state;
use crate::text::{from_c, to_c, Key, Resource};
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

/// All that one running controller has, at a fixed address.
pub(crate) struct Frame<C> {
    pub(crate) host: Arc<Host>,
    pub(crate) controller: Option<C>, // Set before init returns, and with that before any other call.
    state: Option<davit_state_v1>,    // Of a controller that has a state.
    cloud: Option<Box<cloud::Offered>>, // Of one that provides a cloud.
    health: davit_health_v1,
    debug: davit_debug_v1,
    configurable: davit_configurable_v1,
    doors: Vec<Arc<Door<C>>>,
}

/// What an informer's handler or a timer is given back.
pub(crate) struct Door<C> {
    frame: *const Frame<C>,
    resource: Option<&'static Resource>,
    timer: &'static str,
}

/// Lives as long as the frame, also where the host refuses what it is for.
pub(crate) fn door<C>(frame: *mut Frame<C>, resource: Option<&'static Resource>, timer: &'static str) -> *mut c_void {
    let door = Arc::new(Door { frame: frame as *const _, resource, timer });
    let raw = Arc::as_ptr(&door) as *mut Door<C>;
    unsafe { (*frame).doors.push(door) };
    raw.cast()
}

impl<C: Controller> Frame<C> {
    fn new(host: Arc<Host>) -> Frame<C> {
        let health = davit_health_v1 {
            size: std::mem::size_of::<davit_health_v1>() as u32,
            reserved: 0,
            check: check::<C>,
        };
        let debug = davit_debug_v1 {
            size: std::mem::size_of::<davit_debug_v1>() as u32,
            reserved: 0,
            serve: serve::<C>,
        };
        let configurable = davit_configurable_v1 {
            size: std::mem::size_of::<davit_configurable_v1>() as u32,
            reserved: 0,
            changed: configure::<C>,
        };
        Frame { host, controller: None, state: None, cloud: None, health, debug, configurable, doors: Vec::new() }
    }
    fn made(&self) -> Result<&C> {
        self.controller.as_ref().ok_or_else(|| Error::new(DAVIT_INTERNAL, "the controller is not made yet"))
    }
}

/// Runs `body` in a call of the host, and then `finish` with its outcome.
pub(crate) unsafe fn in_call<T, R>(
    host: &Arc<Host>,
    raw: *const davit_call,
    body: impl FnOnce(&Ctx<'_>) -> Result<T>,
    finish: impl FnOnce(&Ctx<'_>, Result<T>) -> R,
) -> R {
    let call = Call::new(host, raw);
    let outcome = guarded(|| body(&call.ctx()));
    let outcome = call.ended(outcome);
    finish(&call.ctx(), outcome)
}

/// The code of `outcome`, whose words the host gets.
pub(crate) fn answer<T>(ctx: &Ctx<'_>, outcome: Result<T>) -> davit_code {
    outcome.err().map_or(DAVIT_OK, |error| {
        ctx.explain(&error.to_string());
        error.code_for_host()
    })
}

/// The code of `outcome`, whose words go to a sink of the host.
unsafe fn answer_into<T>(sink: *const davit_sink, outcome: Result<T>) -> davit_code {
    outcome.err().map_or(DAVIT_OK, |error| {
        write(sink, error.to_string().as_bytes());
        error.code_for_host()
    })
}

/// A code but DAVIT_OK: the receiver wants no more.
pub(crate) unsafe fn write(sink: *const davit_sink, bytes: &[u8]) -> davit_code {
    match read_sized(sink) {
        Some(sink) => (sink.write)(sink.this, davit_str { data: bytes.as_ptr(), size: bytes.len() }),
        None => DAVIT_INTERNAL,
    }
}

pub(crate) unsafe extern "C" fn on_event<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    raw: *const davit_event,
) {
    let door = &*this.cast::<Door<C>>();
    let frame = &*door.frame;
    let body = |ctx: &Ctx<'_>| match (door.resource, found_of(ctx, raw)) {
        (Some(resource), Some(found)) => frame.made()?.changed(ctx, &Event::of(resource, found)),
        _ => Ok(()),
    };
    in_call(&frame.host, call, body, log_failure)
}

/// The outcome of a handler, which has no result.
pub(crate) fn log_failure(ctx: &Ctx<'_>, outcome: Result<()>) {
    if let Err(error) = outcome {
        ctx.log(Level::Error, "A handler failed", &[("err", &error.to_string())]);
    }
}

/// Writes what a sync or timer decided.
unsafe fn decide(ctx: &Ctx<'_>, outcome: Result<Again>, result: *mut davit_sync_result) -> davit_code {
    let after = |delay: Duration| (delay.as_millis() as u64).max(1);
    match outcome {
        Err(error) => return answer::<()>(ctx, Err(error)),
        Ok(Again::WhenChanged) => {}
        Ok(Again::After(delay)) => (*result).again_ms = after(delay),
        Ok(Again::AfterKeepingBackoff(delay)) => {
            (*result).again_ms = after(delay);
            (*result).backoff = DAVIT_BACKOFF_KEEP;
        }
        Ok(Again::WithBackoff) => (*result).backoff = DAVIT_BACKOFF_RETRY,
    }
    DAVIT_OK
}

pub(crate) unsafe extern "C" fn sync_key<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    key: davit_str,
    result: *mut davit_sync_result,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let body = |ctx: &Ctx<'_>| frame.made()?.sync(ctx, &Key::parse(from_c(key)));
    in_call(&frame.host, call, body, |ctx, outcome| decide(ctx, outcome, result))
}

pub(crate) unsafe extern "C" fn fire<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    result: *mut davit_sync_result,
) -> davit_code {
    let door = &*this.cast::<Door<C>>();
    let frame = &*door.frame;
    let body = |ctx: &Ctx<'_>| frame.made()?.fire(ctx, door.timer);
    in_call(&frame.host, call, body, |ctx, outcome| decide(ctx, outcome, result))
}

unsafe extern "C" fn check<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    why: *const davit_sink,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    in_call(&frame.host, call, |ctx| frame.made()?.health(ctx), |_, outcome| answer_into(why, outcome))
}

unsafe extern "C" fn serve<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    path: davit_str,
    query: davit_str,
    page: *const davit_page,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let page = match read_sized(page) {
        Some(page) => page,
        None => return DAVIT_INTERNAL,
    };
    let body = |ctx: &Ctx<'_>| {
        let made = frame.made()?.debug_page(ctx, from_c(path), from_c(query))?;
        let head = page.head.ok_or_else(|| Error::new(DAVIT_INTERNAL, "the host's page has no head"))?;
        if head(page.this, made.http_status, to_c(&made.content_type)) != DAVIT_OK {
            let what = format!("a page cannot have status {} and type \"{}\"", made.http_status, made.content_type);
            return Err(Error::new(DAVIT_INVALID, what));
        }
        Ok(made.body)
    };
    in_call(&frame.host, call, body, |_, outcome| match outcome {
        Ok(bytes) => write(page.body, &bytes),
        error => answer_into(page.body, error),
    })
}

unsafe extern "C" fn configure<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    config: davit_value,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    in_call(&frame.host, call, |ctx| frame.made()?.configure(ctx, &ctx.wrap(config)), answer)
}

unsafe extern "C" fn capability<C: Controller>(
    this: *mut c_void,
    _: *const davit_call,
    id: davit_str,
) -> *const c_void {
    let frame = &*this.cast::<Frame<C>>();
    match (from_c(id), &frame.state) {
        ("davit.health/1", _) => (&frame.health as *const davit_health_v1).cast(),
        ("davit.debug/1", _) => (&frame.debug as *const davit_debug_v1).cast(),
        ("davit.configurable/1", _) => (&frame.configurable as *const davit_configurable_v1).cast(),
        ("davit.state/1", Some(table)) => (table as *const davit_state_v1).cast(),
        ("davit.cloud-provider/1", _) => match &frame.cloud {
            Some(offered) => (&offered.side as *const davit_cloud_provider_v1).cast(),
            None => std::ptr::null(),
        },
        _ => std::ptr::null(),
    }
}

/// Drops the controller, then what its handlers have captured, in the call, so that what they kept is given back. Each may panic.
unsafe fn end<C: Controller>(frame: *mut Frame<C>, call: *const davit_call) {
    fn dropped<T>(value: T) -> Result<()> {
        guarded(|| {
            drop(value);
            Ok(())
        })
    }
    let host = (*frame).host.clone();
    let body = |_: &Ctx<'_>| {
        let outcome = dropped((*frame).controller.take());
        host.take_all().into_iter().map(dropped).fold(outcome, Result::and)
    };
    in_call(&host, call, body, |ctx, outcome| {
        if let Err(error) = outcome {
            ctx.log(Level::Error, "The end of the controller failed", &[("err", &error.to_string())]);
        }
    });
    drop(Box::from_raw(frame));
}

unsafe extern "C" fn destroy<C: Controller>(this: *mut c_void, call: *const davit_call) {
    end(this.cast::<Frame<C>>(), call);
}

/// The InitFunc of a controller; [`plugin!`](crate::plugin) puts it into the table.
///
/// # Safety
/// For the host only.
pub unsafe extern "C" fn init<C: Controller>(
    call: *const davit_call,
    context: *const davit_context,
    out: *mut davit_controller,
) -> i32 {
    let context = match read_sized(context) {
        Some(context) => context,
        None => return DAVIT_FAILED,
    };
    let host = match Host::new(call, context) {
        Ok(host) => Arc::new(host),
        Err(error) => {
            (context.error_text)(call, to_c(&error.message));
            return DAVIT_FAILED;
        }
    };
    let frame = Box::into_raw(Box::new(Frame::<C>::new(host.clone())));
    let body = |ctx: &Ctx<'_>| {
        let controller = C::new(&mut Setup { frame, ctx: *ctx })?;
        (*frame).state = controller.state().map(state::table::<C>);
        (*frame).cloud = controller.cloud().map(cloud::offered::<C>);
        (*frame).controller = Some(controller);
        Ok(())
    };
    let code = in_call(&host, call, body, answer);
    if code != DAVIT_OK {
        end(frame, call);
        return if code == DAVIT_UNSUPPORTED { DAVIT_SKIPPED } else { DAVIT_FAILED };
    }
    let mut made = davit_controller {
        this: frame.cast(),
        destroy: Some(destroy::<C>),
        capability: Some(capability::<C>),
        ..davit_controller::new()
    };
    made.size = made.size.min((*out).size); // An older host knows less of it.
    std::ptr::copy_nonoverlapping((&made as *const davit_controller).cast::<u8>(), out.cast(), made.size as usize);
    DAVIT_STARTED
}

//! What a plugin implements, and how the host calls it.
use crate::abi::*;
use crate::basics::{checked, from_c, to_c, Again, Error, Key, Resource, Result};
use crate::cache::{Change, Event, Informer, Queue};
use crate::ctx::{Ctx, Tables};
use crate::state::{capability, state_table, HandedState};
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// A controller. One value serves all of its workers, so it keeps no state that needs `&mut`.
pub trait Controller: Send + Sync + Sized + 'static {
    /// Opens a queue and informers. The cache is still empty. An error keeps the host from starting the controller.
    fn new(setup: &mut Setup<Self>) -> Result<Self>;
    /// Something changed: only adds keys to queues.
    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>);
    /// Makes one object as it should be; never twice at once for one key. An error tries again with back-off.
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again>;
    /// The state that a hot swap hands to the next build, if there is any; the same object each time.
    fn state(&self) -> Option<&dyn HandedState> {
        None
    }
}

pub(crate) struct Frame<C> {
    tables: Tables,
    pub(crate) controller: Option<C>, // Set before init returns, and with that before any other call.
    pub(crate) state: Option<davit_state_v1>, // Of a controller that has a state.
    doors: Vec<Box<Door<C>>>,
}
impl<C> Frame<C> {
    pub(crate) fn ctx(&self, call: *const davit_call) -> Ctx<'_> {
        Ctx { tables: &self.tables, call }
    }
}
/// What an informer's handler is given back.
pub(crate) struct Door<C> {
    frame: *const Frame<C>,
    resource: &'static Resource,
}

/// Opens what a controller works with, while it is made.
pub struct Setup<C> {
    frame: *mut Frame<C>,
    call: *const davit_call,
}

impl<C: Controller> Setup<C> {
    pub fn ctx(&self) -> Ctx<'_> {
        unsafe { (*self.frame).ctx(self.call) }
    }

    pub fn queue(&mut self, name: &str) -> Result<Queue> {
        let ctx = self.ctx();
        let options = davit_queue_options {
            size: std::mem::size_of::<davit_queue_options>() as u32,
            workers: 0,
            name: to_c(name),
            base_ms: 0,
            max_ms: 0,
            retries_max: 0,
            reserved: 0,
            this: self.frame.cast(),
            sync: sync_key::<C>,
        };
        let mut handle = 0;
        let code = unsafe { ((*ctx.tables.queue).open)(ctx.call, &options, &mut handle) };
        checked(code, "cannot open the queue")?;
        Ok(Queue { handle })
    }

    /// The resource must be among the note's watches.
    pub fn informer(&mut self, resource: &'static Resource) -> Result<Informer> {
        let ctx = self.ctx();
        let door = Box::new(Door { frame: self.frame as *const _, resource });
        let none = to_c("");
        let options = davit_informer_options {
            size: std::mem::size_of::<davit_informer_options>() as u32,
            reserved: 0,
            group: to_c(resource.group),
            version: to_c(resource.version),
            resource: to_c(resource.resource),
            label_selector: none,
            field_selector: none,
            this: (&*door as *const Door<C> as *mut Door<C>).cast(),
            on_event: Some(on_event::<C>),
        };
        let mut handle = 0;
        let code = unsafe { ((*ctx.tables.informer).open)(ctx.call, &options, &mut handle) };
        checked(code, &format!("cannot watch {}", resource.resource))?;
        unsafe { (*self.frame).doors.push(door) };
        Ok(Informer { handle })
    }
}

/// Runs `call`; a panic becomes an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Error::new(DAVIT_INTERNAL, format!("panic: {}", text.unwrap_or_default())))
    })
}

unsafe extern "C" fn on_event<C: Controller>(this: *mut c_void, call: *const davit_call, raw: *const davit_event) {
    let door = &*this.cast::<Door<C>>();
    let frame = &*door.frame;
    let ctx = frame.ctx(call);
    let raw = &*raw;
    let (change, old) = match raw.r#type {
        1 => (Change::Added, None),
        2 => (Change::Updated, Some(ctx.wrap(raw.old_value))),
        _ => (Change::Deleted, None),
    };
    let event = Event { change, resource: door.resource, object: ctx.wrap(raw.value), old };
    // Nothing to tell the host but what the panic has already written.
    let _ = guarded(|| {
        if let Some(controller) = &frame.controller {
            controller.changed(&ctx, &event);
        }
        Ok(())
    });
}

unsafe extern "C" fn sync_key<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    key: davit_str,
    result: *mut davit_sync_result,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let ctx = frame.ctx(call);
    let outcome = guarded(|| match &frame.controller {
        Some(controller) => controller.sync(&ctx, &Key::parse(from_c(key))),
        None => Err(Error::new(DAVIT_INTERNAL, "the controller is not made yet")),
    });
    let result = &mut *result;
    let after = |delay: Duration| (delay.as_millis() as u64).max(1);
    match outcome {
        Ok(Again::WhenChanged) => {}
        Ok(Again::After(delay)) => result.again_ms = after(delay),
        Ok(Again::AfterKeepingBackoff(delay)) => {
            result.again_ms = after(delay);
            result.keep_backoff = 1;
        }
        Err(error) => {
            ctx.explain(&error.message);
            return error.code;
        }
    }
    DAVIT_OK
}

unsafe extern "C" fn destroy<C: Controller>(this: *mut c_void, _: *const davit_call) {
    let _ = guarded(|| {
        drop(Box::from_raw(this.cast::<Frame<C>>()));
        Ok(())
    });
}

/// The InitFunc of a controller; [`plugin!`] puts it into the table.
///
/// # Safety
/// For the host only.
pub unsafe extern "C" fn init<C: Controller>(
    call: *const davit_call,
    context: *const davit_context,
    out: *mut davit_controller,
) -> i32 {
    let tables = match Tables::new(call, context) {
        Some(tables) => tables,
        None => return DAVIT_FAILED,
    };
    let frame = Box::into_raw(Box::new(Frame::<C> { tables, controller: None, state: None, doors: Vec::new() }));
    match guarded(|| C::new(&mut Setup { frame, call })) {
        Ok(controller) => {
            (*frame).state = controller.state().map(state_table::<C>);
            (*frame).controller = Some(controller);
        }
        Err(error) => {
            (*frame).ctx(call).explain(&error.message);
            drop(Box::from_raw(frame));
            return DAVIT_FAILED;
        }
    }
    *out = davit_controller {
        size: std::mem::size_of::<davit_controller>() as u32,
        reserved: 0,
        this: frame.cast(),
        destroy: Some(destroy::<C>),
        capability: Some(capability::<C>),
    };
    DAVIT_STARTED
}

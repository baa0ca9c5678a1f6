//! Informers opened at run time: "davit.informer/2".
use crate::abi::*;
use crate::cache::{found_of, value_of, values_of, Found, Queue};
use crate::ctx::Ctx;
use crate::entry::{in_call, log_failure};
use crate::error::Result;
use crate::host::{Dropped, Host};
use crate::text::{to_c, ApiResource, Key};
use crate::value::Value;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

type OnChange = dyn Fn(&Ctx<'_>, &Found<'_>) -> Result<()> + Send + Sync;

/// What an informer opened at run time follows. It borrows its texts until [`Ctx::open`] has returned.
#[must_use = "nothing is followed until it is opened"]
pub struct Watch<'a> {
    resource: &'a dyn ApiResource,
    ns: &'a str,
    labels: &'a str,
    fields: &'a str,
    form: i32,
    reads: &'a [&'a str],
    indexes: Vec<(&'a str, &'a [&'a str])>,
    wake: Option<(Queue, Key)>,
    on_change: Option<Box<OnChange>>,
}

impl<'a> Watch<'a> {
    /// All objects of a resource, whole. The rules of the note must allow list and watch, or its watches name the resource.
    pub fn new(resource: &'a dyn ApiResource) -> Self {
        Watch {
            resource,
            ns: "",
            labels: "",
            fields: "",
            form: DAVIT_FORM_OBJECT,
            reads: &[],
            indexes: Vec::new(),
            wake: None,
            on_change: None,
        }
    }
    /// Those of one namespace.
    pub fn namespace(mut self, ns: &'a str) -> Self {
        self.ns = ns;
        self
    }
    /// A label selector, which the server evaluates.
    pub fn labels(mut self, selector: &'a str) -> Self {
        self.labels = selector;
        self
    }
    /// A field selector, which the server evaluates.
    pub fn fields(mut self, selector: &'a str) -> Self {
        self.fields = selector;
        self
    }
    /// The server sends metadata alone: a fraction of the bytes and of the memory.
    pub fn metadata_only(mut self) -> Self {
        self.form = DAVIT_FORM_METADATA;
        self
    }
    /// The field paths that are read; without: all.
    pub fn reads(mut self, paths: &'a [&'a str]) -> Self {
        self.reads = paths;
        self
    }
    /// An index over 1 to 4 paths: an object is in it if each path leads to a string. One of them may lead to several, by `[]`.
    pub fn index(mut self, name: &'a str, paths: &'a [&'a str]) -> Self {
        self.indexes.push((name, paths));
        self
    }
    /// Adds `key` to `queue` whenever [`DynamicInformer::synced`] may say something else, and once after it was opened.
    pub fn wake(mut self, queue: &Queue, key: &Key) -> Self {
        self.wake = Some((*queue, key.clone()));
        self
    }
    /// Called for every change, as [`Controller::changed`](crate::Controller::changed) and never beside it: only adds keys. An
    /// error is logged.
    pub fn on_change(mut self, handler: impl Fn(&Ctx<'_>, &Found<'_>) -> Result<()> + Send + Sync + 'static) -> Self {
        self.on_change = Some(Box::new(handler));
        self
    }
}

/// Whether an informer has its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synced {
    /// It is there, and the handler has seen all of it.
    Yes,
    /// It is not there, or may be older than the moment since which the controller acts; then reads fail, too.
    NotYet,
    /// The server does not serve the resource (any more). Reads give the last known content; the host asks again.
    NotServed,
    /// The server refuses. Likewise.
    Forbidden,
}

/// An informer from [`Ctx::open`]. It ends with the controller, or when it is closed or dropped.
#[derive(Debug)]
#[must_use = "it is closed when this is dropped"]
pub struct DynamicInformer {
    host: Weak<Host>,
    handle: davit_handle,
}

impl DynamicInformer {
    pub fn synced(&self, ctx: &Ctx<'_>) -> Result<Synced> {
        match unsafe { (ctx.host().dynamic()?.synced)(ctx.raw(), self.handle) } {
            DAVIT_OK => Ok(Synced::Yes),
            DAVIT_UNAVAILABLE | DAVIT_EXPIRED => Ok(Synced::NotYet),
            DAVIT_NOT_FOUND => Ok(Synced::NotServed),
            DAVIT_FORBIDDEN => Ok(Synced::Forbidden),
            code => Err(ctx.checked(code, "the informer is not open").err().unwrap_or_default()),
        }
    }
    /// `Ok(None)`: there is no such object.
    pub fn get<'call>(&self, ctx: &Ctx<'call>, key: &Key) -> Result<Option<Value<'call>>> {
        let mut out = davit_value::new();
        let table = ctx.host().dynamic()?;
        let code = unsafe { (table.get)(ctx.raw(), self.handle, to_c(&key.ns), to_c(&key.name), &mut out) };
        value_of(ctx, code, out)
    }
    /// Every object.
    pub fn list<'call>(&self, ctx: &Ctx<'call>) -> Result<Vec<Value<'call>>> {
        self.by(ctx, "", &[])
    }
    pub fn in_namespace<'call>(&self, ctx: &Ctx<'call>, ns: &str) -> Result<Vec<Value<'call>>> {
        self.by(ctx, DAVIT_INDEX_NAMESPACE, &[ns])
    }
    /// The objects that `owner` controls; see [`Value::is_controlled_by`].
    pub fn controlled_by<'call>(&self, ctx: &Ctx<'call>, owner: Value<'_>) -> Result<Vec<Value<'call>>> {
        let mut found = self.by(ctx, DAVIT_INDEX_CONTROLLER, &[owner.uid()])?;
        found.retain(|each| each.is_controlled_by(owner));
        Ok(found)
    }
    pub fn by_label<'call>(&self, ctx: &Ctx<'call>, ns: &str, label: &str, value: &str) -> Result<Vec<Value<'call>>> {
        self.by(ctx, DAVIT_INDEX_LABEL, &[&format!("{}/{}={}", ns, label, value)])
    }
    /// The objects that have `values` in an index of [`Watch::index`], one for each of its paths. `DAVIT_MISUSE`: there is no such
    /// index; `DAVIT_INVALID`: another number of values.
    pub fn by<'call>(&self, ctx: &Ctx<'call>, index: &str, values: &[&str]) -> Result<Vec<Value<'call>>> {
        let table = ctx.host().dynamic()?;
        let raw: Vec<davit_str> = values.iter().map(|each| to_c(each)).collect();
        let mut out = davit_list { items: std::ptr::null(), count: 0 };
        let code =
            unsafe { (table.select)(ctx.raw(), self.handle, to_c(index), raw.as_ptr(), raw.len(), &mut out) };
        unsafe { values_of(ctx, code, index, &out) }
    }
    /// Ends it now rather than at the end of the call, as dropping it does. The handler is not called again, but a run that is
    /// under way is not waited for.
    pub fn close(mut self, ctx: &Ctx<'_>) -> Result<()> {
        let code = unsafe { (ctx.host().dynamic()?.close)(ctx.raw(), self.handle) };
        ctx.checked(code, "the informer was not closed")?;
        self.host = Weak::new(); // Nothing is left to give back.
        Ok(())
    }
}

impl Drop for DynamicInformer {
    fn drop(&mut self) {
        if let Some(host) = self.host.upgrade() {
            host.give_back_later(Dropped::Informer(self.handle));
        }
    }
}

/// What the handler of a dynamic informer is given back.
pub(crate) struct Anchor {
    host: Weak<Host>,
    on_change: Option<Box<OnChange>>,
}

unsafe extern "C" fn on_event(this: *mut c_void, call: *const davit_call, raw: *const davit_event) {
    let anchor = &*this.cast::<Anchor>();
    if let (Some(host), Some(handler)) = (anchor.host.upgrade(), &anchor.on_change) {
        let body = |ctx: &Ctx<'_>| found_of(ctx, raw).map_or(Ok(()), |found| handler(ctx, &found));
        in_call(&host, call, body, log_failure);
    }
}

unsafe extern "C" fn on_closed(this: *mut c_void, call: *const davit_call) {
    let anchor: *const Anchor = this.cast();
    if let Some(host) = (*anchor).host.upgrade() {
        let body = |_: &Ctx<'_>| {
            drop(host.take(anchor)); // What the handler has captured may run code.
            Ok(())
        };
        in_call(&host, call, body, log_failure);
    }
}

impl<'call> Ctx<'call> {
    /// Begins to follow a resource: in `new`, handlers, syncs and timers. A resource that the server lacks, now or later, is no
    /// error; [`DynamicInformer::synced`] reports it, and nothing else waits for it. Needs "davit.informer/2".
    ///
    /// `DAVIT_UNDECLARED`: the note does not allow it. `DAVIT_UNSUPPORTED`: the controller has 16384 open. `DAVIT_INVALID`: a
    /// malformed name, path or index.
    pub fn open(&self, watch: Watch<'_>) -> Result<DynamicInformer> {
        let table = self.host().dynamic()?;
        let texts = |from: &[&str]| from.iter().map(|each| to_c(each)).collect::<Vec<davit_str>>();
        let projection = texts(watch.reads);
        let paths: Vec<Vec<davit_str>> = watch.indexes.iter().map(|(_, paths)| texts(paths)).collect();
        let indexes: Vec<davit_index> = watch.indexes.iter().zip(&paths).map(|((name, _), paths)| davit_index {
            path_count: paths.len() as u32,
            name: to_c(name),
            paths: paths.as_ptr(),
            ..davit_index::new()
        }).collect();
        let wake_key = watch.wake.as_ref().map(|(_, key)| key.to_string()).unwrap_or_default();
        let anchor = Anchor { host: self.weak_host(), on_change: watch.on_change };
        let anchor = self.host().keep(Arc::new(anchor));
        let options = davit_informer_options_v2 {
            size: std::mem::size_of::<davit_informer_options_v2>() as u32,
            form: watch.form,
            group: to_c(watch.resource.group()),
            version: to_c(watch.resource.version()),
            resource: to_c(watch.resource.resource()),
            ns: to_c(watch.ns),
            label_selector: to_c(watch.labels),
            field_selector: to_c(watch.fields),
            projection: projection.as_ptr(),
            projection_count: projection.len(),
            indexes: indexes.as_ptr(),
            index_size: std::mem::size_of::<davit_index>(),
            index_count: indexes.len(),
            wake_queue: watch.wake.as_ref().map_or(0, |(queue, _)| queue.handle),
            wake_key: to_c(&wake_key),
            this: (anchor as *mut Anchor).cast(),
            on_event,
            on_closed,
        };
        let mut handle = 0;
        let code = unsafe { (table.open)(self.raw(), &options, &mut handle) };
        if code != DAVIT_OK {
            drop(self.host().take(anchor));
        }
        self.checked(code, &format!("the host refused to watch {}", watch.resource.resource()))?;
        Ok(DynamicInformer { host: self.weak_host(), handle })
    }
}

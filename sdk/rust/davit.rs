//! davit: controllers for the davit host, in Rust. No other crates; needs rustc 1.63.
//!
//! A plugin is one file with one [`plugin!`] and a type that implements [`Controller`]. The module [`abi`] is the C contract
//! of `<davit/abi.h>`, type by type; what stands above it here is all that most plugins need. A panic ends the call in
//! which it happened, as an error of that key, and nothing else.

use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

pub mod abi;

use abi::*;

fn to_c(text: &str) -> davit_str {
    davit_str { data: text.as_ptr(), size: text.len() }
}

/// The host gives out UTF-8 that lives at least as long as the call in progress.
unsafe fn from_c<'a>(text: davit_str) -> &'a str {
    if text.size == 0 {
        return "";
    }
    std::str::from_utf8(std::slice::from_raw_parts(text.data, text.size)).unwrap_or("")
}

/// What went wrong: one of `abi::DAVIT_*` but `DAVIT_OK`, and words for people.
#[derive(Debug, Clone)]
pub struct Error {
    pub code: i32,
    pub message: String,
}

impl Error {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Error { code, message: message.into() }
    }
    /// No such object: for a write, somebody has deleted it meanwhile.
    pub fn is_not_found(&self) -> bool {
        self.code == DAVIT_NOT_FOUND
    }
}

pub type Result<T> = std::result::Result<T, Error>;

fn checked(code: i32, what: &str) -> Result<()> {
    if code == DAVIT_OK {
        return Ok(());
    }
    Err(Error::new(code, what))
}

/// What a sync wants next for its key.
pub enum Again {
    WhenChanged,
    After(Duration),
}

/// How the API server calls a kind of object; `group` is empty for the core group.
#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    pub group: &'static str,
    pub version: &'static str,
    pub resource: &'static str,
    pub kind: &'static str,
}

/// The name of an object: "namespace/name", or "name" for those of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub ns: String,
    pub name: String,
}

impl Key {
    pub fn parse(text: &str) -> Key {
        let (ns, name) = text.split_once('/').unwrap_or(("", text));
        Key { ns: ns.to_string(), name: name.to_string() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.ns.is_empty() {
            return out.write_str(&self.name);
        }
        write!(out, "{}/{}", self.ns, self.name)
    }
}

/// The host as one controller sees it. May be used from handlers, syncs and timers of that controller, on their threads.
#[derive(Clone, Copy)]
pub struct Host {
    context: *const davit_context,
    host: *mut davit_host,
    object: *const davit_object_v1,
    informer: *const davit_informer_v1,
    queue: *const davit_queue_v1,
    client: *const davit_client_v1,
}
// The tables live as long as the process, and their functions are thread-safe.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

impl Host {
    unsafe fn new(context: *const davit_context) -> Option<Host> {
        let host = (*context).host;
        let table = |id: &str| ((*context).capability)(host, to_c(id));
        let made = Host {
            context,
            host,
            object: table("davit.object/1").cast(),
            informer: table("davit.informer/1").cast(),
            queue: table("davit.queue/1").cast(),
            client: table("davit.client/1").cast(),
        };
        let complete =
            !made.object.is_null() && !made.informer.is_null() && !made.queue.is_null() && !made.client.is_null();
        if complete {
            Some(made)
        } else {
            None
        }
    }

    fn explain(&self, text: &str) {
        unsafe { ((*self.context).error_text)(self.host, to_c(text)) }
    }

    fn wrap(&self, raw: davit_value) -> Value<'_> {
        Value { host: self, raw }
    }

    /// Changes an object through a patch.
    pub fn patch(&self, resource: &Resource, key: &Key, kind: PatchType, body: &str) -> Result<()> {
        let mut request = self.request(DAVIT_PATCH, resource, &key.ns, &key.name);
        request.patch_type = kind as i32;
        request.body = to_c(body);
        self.send(&request).map(|_| ())
    }

    /// Makes an object from JSON text.
    pub fn create(&self, resource: &Resource, ns: &str, body: &str) -> Result<()> {
        let mut request = self.request(DAVIT_CREATE, resource, ns, "");
        request.body = to_c(body);
        self.send(&request).map(|_| ())
    }

    /// Deletes an object; with a UID only that one.
    pub fn delete(&self, resource: &Resource, key: &Key, uid: &str) -> Result<()> {
        let mut request = self.request(DAVIT_DELETE, resource, &key.ns, &key.name);
        request.precondition_uid = to_c(uid);
        self.send(&request).map(|_| ())
    }

    /// Reads an object from the server, past the cache.
    pub fn get(&self, resource: &Resource, key: &Key) -> Result<Value<'_>> {
        let mut request = self.request(DAVIT_GET, resource, &key.ns, &key.name);
        request.answer = 1; // The whole object.
        self.send(&request)
    }

    fn request(&self, verb: i32, resource: &Resource, ns: &str, name: &str) -> davit_request {
        let none = to_c("");
        davit_request {
            size: std::mem::size_of::<davit_request>() as u32,
            verb,
            group: to_c(resource.group),
            version: to_c(resource.version),
            resource: to_c(resource.resource),
            subresource: none,
            ns: to_c(ns),
            name: to_c(name),
            body: none,
            patch_type: 0,
            answer: 0,
            query: none,
            propagation: 0,
            has_grace_seconds: 0,
            grace_seconds: 0,
            precondition_uid: none,
            precondition_resource_version: none,
            timeout_ms: 0,
        }
    }

    fn send(&self, request: &davit_request) -> Result<Value<'_>> {
        let none = to_c("");
        let mut response = davit_response {
            size: std::mem::size_of::<davit_response>() as u32,
            code: 0,
            http_status: 0,
            retry_after_ms: 0,
            reason: none,
            message: none,
            causes: none,
            object: ABSENT,
        };
        let code = unsafe { ((*self.client).call)(self.host, request, &mut response) };
        checked(code, unsafe { from_c(response.message) })?;
        Ok(self.wrap(response.object))
    }
}

/// How the body of a patch is meant.
#[derive(Clone, Copy)]
pub enum PatchType {
    Json = 1,
    Merge = 2,
    Strategic = 3,
    Apply = 4,
}

const ABSENT: davit_value = davit_value { object: std::ptr::null(), node: 0, mask: 0 };

/// A place in an object of the host's cache, read where it lies. Valid during the call in which it was obtained. What is not
/// there, and what the note does not declare, reads as absent.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    host: &'a Host,
    raw: davit_value,
}

impl<'a> Value<'a> {
    fn object(&self) -> &davit_object_v1 {
        unsafe { &*self.host.object }
    }
    pub fn is_absent(&self) -> bool {
        unsafe { (self.object().kind)(self.raw) == 0 }
    }
    /// The member of an object.
    pub fn get(&self, key: &str) -> Value<'a> {
        let mut out = ABSENT;
        let code = unsafe { (self.object().lookup)(self.raw, to_c(key), &mut out) };
        self.host.wrap(if code == DAVIT_OK { out } else { ABSENT })
    }
    /// The text of a string.
    pub fn text(&self) -> Option<&'a str> {
        let mut out = to_c("");
        let code = unsafe { (self.object().string)(self.raw, &mut out) };
        if code == DAVIT_OK {
            Some(unsafe { from_c(out) })
        } else {
            None
        }
    }
    pub fn integer(&self) -> Option<i64> {
        let mut out = 0;
        let code = unsafe { (self.object().integer)(self.raw, &mut out) };
        if code == DAVIT_OK {
            Some(out)
        } else {
            None
        }
    }
    /// The elements of an array.
    pub fn elements(&self) -> Vec<Value<'a>> {
        let count = unsafe { (self.object().count)(self.raw) };
        let mut raw = vec![ABSENT; count];
        let written = unsafe { (self.object().elements)(self.raw, 0, raw.as_mut_ptr(), count) };
        raw.truncate(written);
        raw.into_iter().map(|each| self.host.wrap(each)).collect()
    }
    /// The members of an object whose whole subtree the note declares.
    pub fn members(&self) -> Vec<(&'a str, Value<'a>)> {
        let count = unsafe { (self.object().count)(self.raw) };
        let mut raw = vec![davit_member { key: to_c(""), value: ABSENT }; count];
        let mut written = 0;
        unsafe { (self.object().members)(self.raw, 0, raw.as_mut_ptr(), count, &mut written) };
        raw.truncate(written);
        raw.into_iter().map(|each| (unsafe { from_c(each.key) }, self.host.wrap(each.value))).collect()
    }
    /// Compact JSON text; empty for what is absent or not declared as a whole.
    pub fn json(&self) -> String {
        unsafe extern "C" fn append(this: *mut c_void, chunk: davit_str) {
            (*this.cast::<String>()).push_str(from_c(chunk));
        }
        let mut out = String::new();
        let sink = davit_sink { this: (&mut out as *mut String).cast(), write: append };
        unsafe { (self.object().json)(self.raw, sink) };
        out
    }
    /// Deeply equal, whatever the order of members.
    pub fn equals(&self, other: Value<'_>) -> bool {
        let mut out = 0;
        unsafe { (self.object().equal)(self.raw, other.raw, &mut out) == DAVIT_OK && out == 1 }
    }

    // What every Kubernetes object has.
    pub fn metadata(&self) -> Value<'a> {
        self.get("metadata")
    }
    pub fn key(&self) -> Key {
        let text = |name| self.metadata().get(name).text().unwrap_or("").to_string();
        Key { ns: text("namespace"), name: text("name") }
    }
    pub fn uid(&self) -> &'a str {
        self.metadata().get("uid").text().unwrap_or("")
    }
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.metadata().get("labels").get(key).text()
    }
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.metadata().get("annotations").get(key).text()
    }
    pub fn is_being_deleted(&self) -> bool {
        self.metadata().get("deletionTimestamp").text().is_some()
    }
}

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
    host: Host,
    handle: davit_handle,
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
    host: Host,
    handle: davit_handle,
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

/// A controller. One value serves all of its workers, so it keeps no state that needs `&mut`.
pub trait Controller: Send + Sync + Sized + 'static {
    /// Opens a queue and informers. The cache is still empty. An error keeps the host from starting the controller.
    fn new(setup: &mut Setup<Self>) -> Result<Self>;
    /// Something changed: only adds keys to queues.
    fn changed(&self, host: &Host, event: &Event<'_>);
    /// Makes one object as it should be; never twice at once for one key. An error tries again with back-off.
    fn sync(&self, host: &Host, key: &Key) -> Result<Again>;
}

struct Frame<C> {
    host: Host,
    controller: Option<C>, // Set before init returns, and with that before any other call.
    doors: Vec<Box<Door<C>>>,
}
/// What an informer's handler is given back.
struct Door<C> {
    frame: *const Frame<C>,
    resource: &'static Resource,
}

/// Opens what a controller works with, while it is made.
pub struct Setup<C> {
    frame: *mut Frame<C>,
}

impl<C: Controller> Setup<C> {
    pub fn host(&self) -> Host {
        unsafe { (*self.frame).host }
    }

    pub fn queue(&mut self, name: &str) -> Result<Queue> {
        let host = self.host();
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
        let code = unsafe { ((*host.queue).open)(host.host, &options, &mut handle) };
        checked(code, "cannot open the queue")?;
        Ok(Queue { host, handle })
    }

    /// The resource must be among the note's watches.
    pub fn informer(&mut self, resource: &'static Resource) -> Result<Informer> {
        let host = self.host();
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
        let code = unsafe { ((*host.informer).open)(host.host, &options, &mut handle) };
        checked(code, &format!("cannot watch {}", resource.resource))?;
        unsafe { (*self.frame).doors.push(door) };
        Ok(Informer { host, handle })
    }
}

/// Runs `call`; a panic becomes an error.
fn guarded<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Error::new(DAVIT_INTERNAL, format!("panic: {}", text.unwrap_or_default())))
    })
}

unsafe extern "C" fn on_event<C: Controller>(this: *mut c_void, raw: *const davit_event) {
    let door = &*this.cast::<Door<C>>();
    let frame = &*door.frame;
    let raw = &*raw;
    let (change, old) = match raw.r#type {
        1 => (Change::Added, None),
        2 => (Change::Updated, Some(frame.host.wrap(raw.old_value))),
        _ => (Change::Deleted, None),
    };
    let event = Event { change, resource: door.resource, object: frame.host.wrap(raw.value), old };
    // Nothing to tell the host but what the panic has already written.
    let _ = guarded(|| {
        if let Some(controller) = &frame.controller {
            controller.changed(&frame.host, &event);
        }
        Ok(())
    });
}

unsafe extern "C" fn sync_key<C: Controller>(
    this: *mut c_void,
    key: davit_str,
    result: *mut davit_sync_result,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let outcome = guarded(|| match &frame.controller {
        Some(controller) => controller.sync(&frame.host, &Key::parse(from_c(key))),
        None => Err(Error::new(DAVIT_INTERNAL, "the controller is not made yet")),
    });
    match outcome {
        Ok(Again::WhenChanged) => DAVIT_OK,
        Ok(Again::After(delay)) => {
            (*result).again_ms = (delay.as_millis() as u64).max(1);
            DAVIT_OK
        }
        Err(error) => {
            frame.host.explain(&error.message);
            error.code
        }
    }
}

unsafe extern "C" fn destroy<C: Controller>(this: *mut c_void) {
    let _ = guarded(|| {
        drop(Box::from_raw(this.cast::<Frame<C>>()));
        Ok(())
    });
}

/// The InitFunc of a controller; [`plugin!`] puts it into the table.
///
/// # Safety
/// For the host only.
pub unsafe extern "C" fn init<C: Controller>(context: *const davit_context, out: *mut davit_controller) -> i32 {
    const STARTED: i32 = 0;
    const FAILED: i32 = 2;
    let host = match Host::new(context) {
        Some(host) => host,
        None => return FAILED,
    };
    let frame = Box::into_raw(Box::new(Frame::<C> { host, controller: None, doors: Vec::new() }));
    match guarded(|| C::new(&mut Setup { frame })) {
        Ok(controller) => (*frame).controller = Some(controller),
        Err(error) => {
            host.explain(&error.message);
            drop(Box::from_raw(frame));
            return FAILED;
        }
    }
    *out = davit_controller {
        size: std::mem::size_of::<davit_controller>() as u32,
        reserved: 0,
        this: frame.cast(),
        destroy: Some(destroy::<C>),
        capability: None,
    };
    STARTED
}

/// Places the note and the table: `plugin!(NOTE, ["name-controller" => Type, …])`, once in a plugin. `NOTE` is a constant
/// `&str` of the JSON that docs/ABI.md describes.
#[macro_export]
macro_rules! plugin {
    ($note:expr, [$($name:literal => $controller:ty),+ $(,)?]) => {
        const DAVIT_NOTE_TEXT: &str = $note;
        #[used]
        #[link_section = ".note.davit"]
        static DAVIT_NOTE: $crate::abi::davit_note<{ (DAVIT_NOTE_TEXT.len() + 4) / 4 * 4 }> =
            $crate::abi::davit_note::new(DAVIT_NOTE_TEXT);

        const DAVIT_ROW_COUNT: usize = [$($name),+].len();
        static DAVIT_ROWS: [$crate::abi::davit_row; DAVIT_ROW_COUNT] = [$(
            $crate::abi::davit_row {
                name: $crate::abi::davit_str { data: $name.as_ptr(), size: $name.len() },
                init: $crate::init::<$controller>,
            },
        )+];
        static DAVIT_PLUGIN: $crate::abi::davit_plugin = $crate::abi::davit_plugin {
            size: std::mem::size_of::<$crate::abi::davit_plugin>() as u32,
            row_size: std::mem::size_of::<$crate::abi::davit_row>() as u32,
            rows: &DAVIT_ROWS as *const _ as *const $crate::abi::davit_row,
            row_count: DAVIT_ROW_COUNT,
        };
        #[no_mangle]
        pub extern "C" fn davit_plugin_v1() -> *const $crate::abi::davit_plugin {
            &DAVIT_PLUGIN
        }
    };
}

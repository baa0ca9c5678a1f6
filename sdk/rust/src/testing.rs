//! The in-memory cluster for unit tests: the host and an API server in the process of the test, without sockets and threads, and
//! with a clock that the test moves.
//!
//! ```ignore
//! let cluster = Cluster::new(DAVIT_NOTE_TEXT);
//! cluster.add(r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"}}"#);
//! cluster.start(davit_plugin_v1(), "greeter-controller").unwrap();
//! cluster.run_until_idle();
//! assert_eq!(cluster.get(&PODS, &Key::new("default", "web")).unwrap().label("greeting"), Some("hello"));
//! ```
//!
//! It is in libdavit_testing.so, which is opened when the first cluster is made: from the path in the environment variable
//! DAVIT_TESTING_LIBRARY, or where this crate is installed.
use crate::abi::*;
use crate::callback::Sink;
use crate::debug_page::DebugPage;
use crate::entry;
use crate::error::{Error, Result};
pub use crate::request::Verb;
use crate::sized::read_sized;
use crate::text::{api_version_of, bytes_from_c, from_c, to_c, ApiResource, Key};
use crate::value::{Reader, Value};
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use std::time::Duration;

#[allow(non_camel_case_types)]
type raw_cluster = c_void;
type Serve = unsafe extern "C" fn(*mut c_void, davit_str, davit_str, davit_str, *const davit_sink) -> i32;

type RawDebugPage =
    unsafe extern "C" fn(*mut raw_cluster, davit_str, davit_str, davit_str, *const davit_sink, *const davit_sink) -> i32;

/// The functions of `<davit/testing/cluster.h>`.
#[derive(Clone, Copy)]
struct Library {
    open: unsafe extern "C" fn(davit_str) -> *mut raw_cluster,
    close: unsafe extern "C" fn(*mut raw_cluster),
    start: unsafe extern "C" fn(*mut raw_cluster, davit_str, davit_init_fn, davit_str, *const davit_sink) -> davit_code,
    stop: unsafe extern "C" fn(*mut raw_cluster, davit_str),
    run_until_idle: unsafe extern "C" fn(*mut raw_cluster) -> usize,
    advance: unsafe extern "C" fn(*mut raw_cluster, u64) -> davit_code,
    add: unsafe extern "C" fn(*mut raw_cluster, davit_str) -> davit_code,
    add_yaml: unsafe extern "C" fn(*mut raw_cluster, davit_str) -> davit_code,
    request: unsafe extern "C" fn(*mut raw_cluster, davit_str, davit_str, davit_str, davit_str, *mut davit_value) -> i32,
    objects: unsafe extern "C" fn() -> *const davit_object_v1,
    fail_next: unsafe extern "C" fn(*mut raw_cluster, i32, davit_str, i32, davit_str, i32),
    on_http: unsafe extern "C" fn(*mut raw_cluster, *mut c_void, Serve),
    records: unsafe extern "C" fn(*mut raw_cluster, i32, *const davit_sink) -> davit_code,
    swap: unsafe extern "C" fn(*mut raw_cluster, davit_str, davit_init_fn, davit_str, *const davit_sink) -> davit_code,
    configure: unsafe extern "C" fn(*mut raw_cluster, davit_str, davit_str, *const davit_sink) -> davit_code,
    health: unsafe extern "C" fn(*mut raw_cluster, davit_str, *const davit_sink) -> davit_code,
    debug_page: RawDebugPage,
    set_leading: unsafe extern "C" fn(*mut raw_cluster, i32),
    lists: unsafe extern "C" fn(*mut raw_cluster, davit_str) -> i32,
}

extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}
const RTLD_NOW: c_int = 2;

fn library_path() -> String {
    const INSTALLED: Option<&str> = option_env!("CARGO_MANIFEST_DIR");
    std::env::var("DAVIT_TESTING_LIBRARY")
        .unwrap_or_else(|_| format!("{}/../../../davit/libdavit_testing.so", INSTALLED.unwrap_or(".")))
}

/// The plugin of another file, such as davit's own loops of a cloud, to run beside that of the test. It stays loaded.
pub struct PluginFile {
    table: *const davit_plugin,
    note: String,
}

impl PluginFile {
    /// Panics with the reason: a test cannot go on without it.
    pub fn open(path: &str) -> PluginFile {
        let file = CString::new(path).expect("a path");
        let library = unsafe { dlopen(file.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            panic!("{}", unsafe { CStr::from_ptr(dlerror()) }.to_string_lossy());
        }
        let found = unsafe { dlsym(library, "davit_plugin_v1\0".as_ptr().cast()) };
        assert!(!found.is_null(), "{} is not a plugin", path);
        let entry: extern "C" fn() -> *const davit_plugin = unsafe { std::mem::transmute(found) };
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {}", path, error));
        PluginFile { table: entry(), note: note_of(&bytes).unwrap_or_else(|| panic!("{} has no note", path)) }
    }
    /// A plugin of davit's own: "cloud".
    pub fn shipped(name: &str) -> PluginFile {
        let library = library_path();
        let folder = library.rsplit_once('/').map_or(".", |(folder, _)| folder);
        PluginFile::open(&format!("{}/plugins/{}.so", folder, name))
    }
    pub fn table(&self) -> *const davit_plugin {
        self.table
    }
    /// The note `own` with the controllers of this plugin, too, for [`Cluster::new`]: what none of them declares is refused.
    pub fn note_with(&self, own: &str) -> String {
        let place = own.find(CONTROLLERS).expect("a note with controllers") + CONTROLLERS.len();
        format!("{}{},{}", &own[..place], controllers_of(&self.note), &own[place..])
    }
}

const CONTROLLERS: &str = "\"controllers\":[";

/// The text of the ELF note in the bytes of a file, which is as `crate::Note` makes it.
fn note_of(file: &[u8]) -> Option<String> {
    const OWNER: &[u8] = b"\x01\0\0\0davit\0\0\0";
    for at in 8..file.len().saturating_sub(OWNER.len()) {
        if &file[at..at + OWNER.len()] != OWNER || file[at - 8..at - 4] != [6, 0, 0, 0] {
            continue;
        }
        let size = u32::from_le_bytes([file[at - 4], file[at - 3], file[at - 2], file[at - 1]]) as usize;
        let text = file.get(at + OWNER.len()..at + OWNER.len() + size.saturating_sub(1))?;
        return String::from_utf8(text.to_vec()).ok();
    }
    None
}

/// The elements of the list of controllers in a note.
fn controllers_of(note: &str) -> &str {
    let begin = note.find(CONTROLLERS).expect("a note with controllers") + CONTROLLERS.len();
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, c) in note[begin..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_text = !in_text,
            '[' | '{' if !in_text => depth += 1,
            ']' if !in_text && depth == 0 => return &note[begin..begin + at],
            ']' | '}' if !in_text => depth -= 1,
            _ => {}
        }
    }
    panic!("the list of controllers has no end")
}

impl Library {
    fn load() -> Library {
        let path = CString::new(library_path()).expect("a path");
        let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            let why = unsafe { CStr::from_ptr(dlerror()) };
            panic!("{}: set DAVIT_TESTING_LIBRARY to the path of libdavit_testing.so", why.to_string_lossy());
        }
        macro_rules! function {
            ($name:literal) => {{
                let found = unsafe { dlsym(library, concat!("davit_cluster_", $name, "\0").as_ptr().cast()) };
                assert!(!found.is_null(), "{} has no davit_cluster_{}: is it of this davit?", library_path(), $name);
                unsafe { std::mem::transmute(found) }
            }};
        }
        Library {
            open: function!("open"),
            close: function!("close"),
            start: function!("start"),
            stop: function!("stop"),
            run_until_idle: function!("run_until_idle"),
            advance: function!("advance"),
            add: function!("add"),
            add_yaml: function!("add_yaml"),
            request: function!("request"),
            objects: function!("objects"),
            fail_next: function!("fail_next"),
            on_http: function!("on_http"),
            records: function!("records"),
            swap: function!("swap"),
            configure: function!("configure"),
            health: function!("health"),
            debug_page: function!("debug_page"),
            set_leading: function!("set_leading"),
            lists: function!("lists"),
        }
    }
}

/// The kinds of [`Cluster::records`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// "patch replicasets/web/status 200"
    Requests = 1,
    /// Of the same requests, in their order.
    Bodies = 2,
    /// "Normal Created Created pod: web-x"
    Events = 3,
    /// Of syncs: "default/web: its reason".
    Failures = 4,
    /// "message key=value"
    Log = 5,
    /// "name 3 label"
    Metrics = 6,
    /// `PUT https://dns.example.com/a 200`
    Http = 7,
    /// What the note lacks.
    Violations = 8,
    /// What the note declares and nothing has needed.
    Unused = 9,
}

type Server = dyn Fn(&str, &str, &[u8]) -> (i32, Vec<u8>);

/// A Kubernetes cluster in memory. Nothing happens by itself and nothing takes time. It stays on its thread. A mistake of
/// the test, such as a malformed object, panics; the reason is on standard error.
pub struct Cluster {
    library: Library,
    raw: *mut raw_cluster,
    reader: Reader,
    _objects: Rc<davit_object_v1>, // What the reader reads with.
    servers: std::cell::RefCell<Vec<Box<Box<Server>>>>, // At a fixed address each, for the library.
    thread: PhantomData<*const ()>,
}

impl Cluster {
    /// `note` is that of `plugin!`, DAVIT_NOTE_TEXT; with an empty one everything is allowed.
    pub fn new(note: &str) -> Cluster {
        let library = Library::load();
        let raw = unsafe { (library.open)(to_c(note)) };
        assert!(!raw.is_null(), "the host would refuse this note");
        let objects = unsafe { read_sized((library.objects)()) };
        let objects = Rc::new(objects.expect("libdavit_testing.so is of this davit"));
        let reader = Reader::new(&*objects);
        Cluster { library, raw, reader, _objects: objects, servers: Default::default(), thread: PhantomData }
    }

    /// Makes a controller of a plugin and fills its caches; its syncs run later.
    pub fn start(&self, plugin: *const davit_plugin, name: &str) -> Result<()> {
        self.start_with(plugin, name, "")
    }
    /// With a configuration: JSON text.
    pub fn start_with(&self, plugin: *const davit_plugin, name: &str, config: &str) -> Result<()> {
        let row = row_of(plugin, name)?;
        refusal_of(|why| unsafe { (self.library.start)(self.raw, row.name, row.init, to_c(config), why) })
    }
    /// Replaces the running build of a controller, like a hot swap. After an error the old build keeps running.
    pub fn swap(&self, plugin: *const davit_plugin, name: &str) -> Result<()> {
        let row = row_of(plugin, name)?;
        refusal_of(|why| unsafe { (self.library.swap)(self.raw, row.name, row.init, to_c(""), why) })
    }
    /// Gives a controller another configuration while it runs: JSON text. `DAVIT_UNSUPPORTED`: the host would swap.
    pub fn configure(&self, name: &str, config: &str) -> Result<()> {
        refusal_of(|why| unsafe { (self.library.configure)(self.raw, to_c(name), to_c(config), why) })
    }
    /// What a controller reports for /readyz and /livez.
    pub fn health(&self, name: &str) -> Result<()> {
        refusal_of(|why| unsafe { (self.library.health)(self.raw, to_c(name), why) })
    }
    /// The page of a controller at GET /debug/controllers/NAME/PATH?QUERY; an error's page is its text, with status 404 or 500.
    pub fn debug_page(&self, name: &str, path: &str, query: &str) -> DebugPage {
        let (mut content_type, mut body) = (Vec::new(), Vec::new());
        let http_status = {
            let (mut type_sink, mut body_sink) = (into(&mut content_type), into(&mut body));
            let (type_sink, body_sink) = (type_sink.raw(), body_sink.raw());
            unsafe { (self.library.debug_page)(self.raw, to_c(name), to_c(path), to_c(query), &type_sink, &body_sink) }
        };
        DebugPage { http_status, content_type: String::from_utf8_lossy(&content_type).into_owned(), body }
    }
    /// Whether the replica leads; a cluster begins so. On a standby controllers fill their caches and sync nothing.
    pub fn set_leading(&self, leads: bool) {
        unsafe { (self.library.set_leading)(self.raw, i32::from(leads)) }
    }
    /// The number of lists of a resource, "widgets.example.com", that filled a cache.
    pub fn lists(&self, resource: &str) -> i32 {
        unsafe { (self.library.lists)(self.raw, to_c(resource)) }
    }
    pub fn stop(&self, name: &str) {
        unsafe { (self.library.stop)(self.raw, to_c(name)) }
    }

    /// Delivers events and runs timers and syncs until nothing is left that is due; the number of syncs.
    pub fn run_until_idle(&self) -> usize {
        let syncs = unsafe { (self.library.run_until_idle)(self.raw) };
        assert!(syncs != usize::MAX, "the controllers never become idle, or the test made a mistake: see standard error");
        syncs
    }
    /// Moves the clock, and runs at each instant what is due then.
    pub fn advance(&self, duration: Duration) {
        let code = unsafe { (self.library.advance)(self.raw, duration.as_millis() as u64) };
        assert!(code == DAVIT_OK, "the controllers never become idle, or the test made a mistake: see standard error");
    }

    /// Stores an object as if it had been in etcd before: nothing judges it. Replaces a present one.
    pub fn add(&self, json: &str) {
        let code = unsafe { (self.library.add)(self.raw, to_c(json)) };
        assert!(code == DAVIT_OK, "the cluster refuses the object");
    }
    /// The same for each document of a YAML text.
    pub fn add_yaml(&self, yaml: &str) {
        let code = unsafe { (self.library.add_yaml)(self.raw, to_c(yaml)) };
        assert!(code == DAVIT_OK, "the cluster refuses the objects");
    }
    /// The same for a file of YAML or JSON: the project's definitions and examples.
    pub fn add_file(&self, path: impl AsRef<std::path::Path>) {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {}", path.display(), why));
        self.add_yaml(&text)
    }
    /// The object as the server has it now.
    pub fn get(&self, resource: &dyn ApiResource, key: &Key) -> Option<Value<'_>> {
        self.request("GET", &path_of(resource, key), None).1.filter(|value| !value.is_absent())
    }
    /// A merge patch of an administrator.
    pub fn merge(&self, resource: &dyn ApiResource, key: &Key, patch: &str) {
        let sent = self.request("PATCH", &path_of(resource, key), Some(("application/merge-patch+json", patch)));
        assert!(sent.0 / 100 == 2, "patch of {}: status {}", key, sent.0);
    }
    /// Deletes as kubectl does: objects with finalizers stay until they are gone.
    pub fn remove(&self, resource: &dyn ApiResource, key: &Key) {
        let sent = self.request("DELETE", &path_of(resource, key), None);
        assert!(sent.0 / 100 == 2, "deletion of {}: status {}", key, sent.0);
    }
    /// The HTTP status and the object of a request of an administrator; `body` is a content type and a text. The object is absent if the
    /// response is not JSON.
    pub fn request(&self, method: &str, path: &str, body: Option<(&str, &str)>) -> (i32, Option<Value<'_>>) {
        let (content_type, body) = body.unwrap_or(("", ""));
        let mut out = davit_value::new();
        let status = unsafe {
            (self.library.request)(self.raw, to_c(method), to_c(path), to_c(content_type), to_c(body), &mut out)
        };
        (status, Some(Value::new(&self.reader, out)).filter(|_| status / 100 == 2))
    }

    /// Makes the next requests of controllers fail. `reason` is the server's: "Conflict".
    pub fn fail_next(&self, verb: Verb, resource: &str, http_status: i32, reason: &str, times: i32) {
        unsafe { (self.library.fail_next)(self.raw, verb as i32, to_c(resource), http_status, to_c(reason), times) }
    }
    /// Plays the servers outside the cluster: from method, URL and body to HTTP status and body. Status 0: no connection.
    pub fn on_http(&self, server: impl Fn(&str, &str, &[u8]) -> (i32, Vec<u8>) + 'static) {
        let server: Box<Box<Server>> = Box::new(Box::new(server));
        let raw = &*server as *const Box<Server>;
        self.servers.borrow_mut().push(server);
        unsafe { (self.library.on_http)(self.raw, raw as *mut c_void, serve) }
    }

    /// What has happened since the cluster was made.
    pub fn records(&self, kind: Records) -> Vec<String> {
        let mut out = Vec::new();
        let mut sink = Sink::new(|text: &[u8]| {
            out.push(String::from_utf8_lossy(text).into_owned());
            Ok(())
        });
        unsafe { (self.library.records)(self.raw, kind as i32, &sink.raw()) };
        drop(sink);
        out
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        unsafe { (self.library.close)(self.raw) }
    }
}

/// Collects what is written.
fn into(bytes: &mut Vec<u8>) -> Sink<impl FnMut(&[u8]) -> Result<()> + '_> {
    Sink::new(|piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    })
}

/// The error of a function that writes why it refuses.
fn refusal_of(function: impl FnOnce(*const davit_sink) -> davit_code) -> Result<()> {
    let mut why = Vec::new();
    let code = function(&into(&mut why).raw());
    if code == DAVIT_OK {
        return Ok(());
    }
    Err(Error::new(code, String::from_utf8_lossy(&why)))
}

fn row_of<'a>(plugin: *const davit_plugin, name: &str) -> Result<&'a davit_row> {
    let rows = unsafe { std::slice::from_raw_parts((*plugin).rows, (*plugin).row_count) };
    let row = rows.iter().find(|row| unsafe { from_c(row.name) } == name);
    row.ok_or_else(|| Error::new(DAVIT_NOT_FOUND, format!("the plugin has no controller {}", name)))
}

unsafe extern "C" fn serve(
    this: *mut c_void,
    method: davit_str,
    url: davit_str,
    body: davit_str,
    response: *const davit_sink,
) -> i32 {
    let server = &*this.cast::<Box<Server>>();
    let served = catch_unwind(AssertUnwindSafe(|| server(from_c(method), from_c(url), bytes_from_c(body))));
    let (status, text) = served.unwrap_or((0, Vec::new()));
    entry::write(response, &text);
    status
}

/// The path of an object in the API.
fn path_of(resource: &dyn ApiResource, key: &Key) -> String {
    let root = if resource.group().is_empty() { "/api" } else { "/apis" };
    let ns = if key.ns.is_empty() { String::new() } else { format!("/namespaces/{}", key.ns) };
    format!("{}/{}{}/{}/{}", root, api_version_of(resource), ns, resource.resource(), key.name)
}

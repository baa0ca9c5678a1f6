//! davit: controllers for the davit host, in Rust. No other crates; needs rustc 1.63.
//!
//! A plugin is one file with one [`plugin!`] and a type that implements [`Controller`]. The module [`abi`] is the C contract
//! of `<davit/abi.h>`, type by type; what stands above it here is all that most plugins need. A panic ends the call in
//! which it happened, as an error of that key, and nothing else.

use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// `<davit/abi.h>` as it is: names, order and rules of lifetime are that header's.
#[allow(non_camel_case_types)]
pub mod abi {
    use std::ffi::c_void;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct davit_str {
        pub data: *const u8,
        pub size: usize,
    }
    pub type davit_handle = u64;
    pub type davit_code = i32;
    pub type davit_name = u32;
    #[repr(C)]
    pub struct davit_host {
        opaque: [u8; 0],
    }

    pub const DAVIT_OK: davit_code = 0;
    pub const DAVIT_NOT_FOUND: davit_code = 1;
    pub const DAVIT_ALREADY_EXISTS: davit_code = 2;
    pub const DAVIT_CONFLICT: davit_code = 3;
    pub const DAVIT_INVALID: davit_code = 4;
    pub const DAVIT_FORBIDDEN: davit_code = 5;
    pub const DAVIT_EXPIRED: davit_code = 6;
    pub const DAVIT_THROTTLED: davit_code = 7;
    pub const DAVIT_UNAVAILABLE: davit_code = 8;
    pub const DAVIT_CANCELLED: davit_code = 9;
    pub const DAVIT_UNDECLARED: davit_code = 10;
    pub const DAVIT_WRONG_TYPE: davit_code = 11;
    pub const DAVIT_STALE: davit_code = 12;
    pub const DAVIT_MISUSE: davit_code = 13;
    pub const DAVIT_UNSUPPORTED: davit_code = 14;
    pub const DAVIT_INTERNAL: davit_code = 15;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct davit_sink {
        pub this: *mut c_void,
        pub write: unsafe extern "C" fn(this: *mut c_void, chunk: davit_str),
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct davit_value {
        pub object: *const c_void,
        pub node: u32,
        pub mask: u32,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct davit_member {
        pub key: davit_str,
        pub value: davit_value,
    }
    #[repr(C)]
    pub struct davit_object_v1 {
        pub size: u32,
        pub reserved: u32,
        pub name: unsafe extern "C" fn(*mut davit_host, davit_str) -> davit_name,
        pub kind: unsafe extern "C" fn(davit_value) -> i32,
        pub member: unsafe extern "C" fn(davit_value, davit_name, *mut davit_value) -> davit_code,
        pub lookup: unsafe extern "C" fn(davit_value, davit_str, *mut davit_value) -> davit_code,
        pub path: unsafe extern "C" fn(davit_value, *const davit_name, usize, *mut davit_value) -> davit_code,
        pub count: unsafe extern "C" fn(davit_value) -> usize,
        pub elements: unsafe extern "C" fn(davit_value, usize, *mut davit_value, usize) -> usize,
        pub members: unsafe extern "C" fn(davit_value, usize, *mut davit_member, usize, *mut usize) -> davit_code,
        pub string: unsafe extern "C" fn(davit_value, *mut davit_str) -> davit_code,
        pub integer: unsafe extern "C" fn(davit_value, *mut i64) -> davit_code,
        pub number: unsafe extern "C" fn(davit_value, *mut davit_str) -> davit_code,
        pub boolean: unsafe extern "C" fn(davit_value, *mut i32) -> davit_code,
        pub equal: unsafe extern "C" fn(davit_value, davit_value, *mut i32) -> davit_code,
        pub hash: unsafe extern "C" fn(davit_value, *mut u64) -> davit_code,
        pub json: unsafe extern "C" fn(davit_value, davit_sink) -> davit_code,
        pub parse: unsafe extern "C" fn(*mut davit_host, davit_str, *mut davit_value) -> davit_code,
        pub retain: unsafe extern "C" fn(*mut davit_host, davit_value, *mut davit_handle) -> davit_code,
        pub retained: unsafe extern "C" fn(*mut davit_host, davit_handle, *mut davit_value) -> davit_code,
        pub release: unsafe extern "C" fn(*mut davit_host, davit_handle) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_event {
        pub size: u32,
        pub r#type: i32,
        pub initial: i32,
        pub tombstone: i32,
        pub value: davit_value,
        pub old_value: davit_value,
    }
    #[repr(C)]
    pub struct davit_informer_options {
        pub size: u32,
        pub reserved: u32,
        pub group: davit_str,
        pub version: davit_str,
        pub resource: davit_str,
        pub label_selector: davit_str,
        pub field_selector: davit_str,
        pub this: *mut c_void,
        pub on_event: Option<unsafe extern "C" fn(this: *mut c_void, event: *const davit_event)>,
    }
    #[repr(C)]
    pub struct davit_list {
        pub items: *const davit_value,
        pub count: usize,
    }
    #[repr(C)]
    pub struct davit_informer_v1 {
        pub size: u32,
        pub reserved: u32,
        pub open: unsafe extern "C" fn(*mut davit_host, *const davit_informer_options, *mut davit_handle) -> davit_code,
        pub add_index: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str, davit_str) -> davit_code,
        pub get:
            unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str, davit_str, *mut davit_value) -> davit_code,
        pub select:
            unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str, davit_str, *mut davit_list) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_sync_result {
        pub size: u32,
        pub reserved: u32,
        pub again_ms: u64,
    }
    #[repr(C)]
    pub struct davit_queue_options {
        pub size: u32,
        pub workers: u32,
        pub name: davit_str,
        pub base_ms: u64,
        pub max_ms: u64,
        pub retries_max: u32,
        pub reserved: u32,
        pub this: *mut c_void,
        pub sync: unsafe extern "C" fn(this: *mut c_void, key: davit_str, result: *mut davit_sync_result) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_queue_v1 {
        pub size: u32,
        pub reserved: u32,
        pub open: unsafe extern "C" fn(*mut davit_host, *const davit_queue_options, *mut davit_handle) -> davit_code,
        pub add: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str) -> davit_code,
        pub add_sharded: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str, davit_str) -> davit_code,
        pub add_after: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str, u64) -> davit_code,
        pub add_rate_limited: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str) -> davit_code,
        pub forget: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str) -> davit_code,
        pub failures: unsafe extern "C" fn(*mut davit_host, davit_handle, davit_str) -> u32,
    }

    pub const DAVIT_GET: i32 = 1;
    pub const DAVIT_LIST: i32 = 2;
    pub const DAVIT_CREATE: i32 = 3;
    pub const DAVIT_UPDATE: i32 = 4;
    pub const DAVIT_PATCH: i32 = 5;
    pub const DAVIT_DELETE: i32 = 6;

    #[repr(C)]
    pub struct davit_request {
        pub size: u32,
        pub verb: i32,
        pub group: davit_str,
        pub version: davit_str,
        pub resource: davit_str,
        pub subresource: davit_str,
        pub ns: davit_str,
        pub name: davit_str,
        pub body: davit_str,
        pub patch_type: i32,
        pub answer: i32,
        pub query: davit_str,
        pub propagation: i32,
        pub has_grace_seconds: i32,
        pub grace_seconds: i64,
        pub precondition_uid: davit_str,
        pub precondition_resource_version: davit_str,
        pub timeout_ms: u64,
    }
    #[repr(C)]
    pub struct davit_response {
        pub size: u32,
        pub code: davit_code,
        pub http_status: i32,
        pub retry_after_ms: u32,
        pub reason: davit_str,
        pub message: davit_str,
        pub causes: davit_str,
        pub object: davit_value,
    }
    #[repr(C)]
    pub struct davit_client_v1 {
        pub size: u32,
        pub reserved: u32,
        pub call: unsafe extern "C" fn(*mut davit_host, *const davit_request, *mut davit_response) -> davit_code,
        pub batch: unsafe extern "C" fn(
            *mut davit_host,
            *const davit_request,
            usize,
            *mut davit_response,
            usize,
            usize,
        ) -> davit_code,
        pub resource_exists: unsafe extern "C" fn(*mut davit_host, davit_str, davit_str, davit_str) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_timer_options {
        pub size: u32,
        pub reserved: u32,
        pub first_ms: u64,
        pub period_ms: u64,
        pub this: *mut c_void,
        pub fire: unsafe extern "C" fn(this: *mut c_void),
    }
    #[repr(C)]
    pub struct davit_timer_v1 {
        pub size: u32,
        pub reserved: u32,
        pub start: unsafe extern "C" fn(*mut davit_host, *const davit_timer_options, *mut davit_handle) -> davit_code,
        pub stop: unsafe extern "C" fn(*mut davit_host, davit_handle) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_reference {
        pub size: u32,
        pub reserved: u32,
        pub api_version: davit_str,
        pub kind: davit_str,
        pub ns: davit_str,
        pub name: davit_str,
        pub uid: davit_str,
        pub resource_version: davit_str,
        pub field_path: davit_str,
    }
    #[repr(C)]
    pub struct davit_event_v1 {
        pub size: u32,
        pub reserved: u32,
        pub record: unsafe extern "C" fn(
            *mut davit_host,
            *const davit_reference,
            davit_str,
            davit_str,
            davit_str,
        ) -> davit_code,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct davit_log_field {
        pub key: davit_str,
        pub value: davit_str,
    }
    #[repr(C)]
    pub struct davit_log_v1 {
        pub size: u32,
        pub reserved: u32,
        pub write: unsafe extern "C" fn(*mut davit_host, i32, davit_str, *const davit_log_field, usize),
        pub enabled: unsafe extern "C" fn(*mut davit_host, i32) -> i32,
    }
    #[repr(C)]
    pub struct davit_clock_v1 {
        pub size: u32,
        pub reserved: u32,
        pub monotonic_ns: unsafe extern "C" fn(*mut davit_host) -> i64,
        pub wall_ns: unsafe extern "C" fn(*mut davit_host) -> i64,
    }
    #[repr(C)]
    pub struct davit_random_v1 {
        pub size: u32,
        pub reserved: u32,
        pub next: unsafe extern "C" fn(*mut davit_host) -> u64,
    }
    #[repr(C)]
    pub struct davit_metric_options {
        pub size: u32,
        pub r#type: i32,
        pub name: davit_str,
        pub help: davit_str,
        pub labels: *const davit_str,
        pub label_count: usize,
        pub buckets: *const f64,
        pub bucket_count: usize,
    }
    #[repr(C)]
    pub struct davit_metric_v1 {
        pub size: u32,
        pub reserved: u32,
        pub open: unsafe extern "C" fn(*mut davit_host, *const davit_metric_options, *mut davit_handle) -> davit_code,
        pub record: unsafe extern "C" fn(*mut davit_host, davit_handle, f64, *const davit_str, usize) -> davit_code,
    }
    #[repr(C)]
    pub struct davit_config_v1 {
        pub size: u32,
        pub reserved: u32,
        pub value: unsafe extern "C" fn(*mut davit_host) -> davit_value,
    }
    #[repr(C)]
    pub struct davit_context {
        pub size: u32,
        pub abi_major: u16,
        pub abi_minor: u16,
        pub host: *mut davit_host,
        pub controller: davit_str,
        pub capability: unsafe extern "C" fn(*mut davit_host, davit_str) -> *const c_void,
        pub error_text: unsafe extern "C" fn(*mut davit_host, davit_str),
    }
    #[repr(C)]
    pub struct davit_controller {
        pub size: u32,
        pub reserved: u32,
        pub this: *mut c_void,
        pub destroy: Option<unsafe extern "C" fn(this: *mut c_void)>,
        pub capability: Option<unsafe extern "C" fn(this: *mut c_void, id: davit_str) -> *const c_void>,
    }
    pub type davit_init_fn = unsafe extern "C" fn(*const davit_context, *mut davit_controller) -> i32;
    #[repr(C)]
    pub struct davit_row {
        pub name: davit_str,
        pub init: davit_init_fn,
    }
    #[repr(C)]
    pub struct davit_plugin {
        pub size: u32,
        pub row_size: u32,
        pub rows: *const davit_row,
        pub row_count: usize,
    }
    // Constant tables of pointers to constants.
    unsafe impl Sync for davit_plugin {}
    unsafe impl Sync for davit_row {}

    /// The ELF note; `SIZE` is its text with the NUL, filled up to a multiple of 4.
    #[repr(C, align(4))]
    pub struct davit_note<const SIZE: usize> {
        owner_size: u32,
        text_size: u32,
        kind: u32,
        owner: [u8; 8],
        text: [u8; SIZE],
    }
    impl<const SIZE: usize> davit_note<SIZE> {
        pub const fn new(json: &str) -> Self {
            let bytes = json.as_bytes();
            let mut text = [0u8; SIZE];
            let mut at = 0;
            while at < bytes.len() {
                text[at] = bytes[at];
                at += 1;
            }
            davit_note {
                owner_size: 6,
                text_size: bytes.len() as u32 + 1,
                kind: 1,
                owner: *b"davit\0\0\0",
                text,
            }
        }
    }

    /// Sizes as the header has them on a 64-bit machine: a slip above does not compile.
    const _: () = {
        const SIZES: [(usize, usize); 30] = [
            (std::mem::size_of::<davit_str>(), 16),
            (std::mem::size_of::<davit_sink>(), 16),
            (std::mem::size_of::<davit_value>(), 16),
            (std::mem::size_of::<davit_member>(), 32),
            (std::mem::size_of::<davit_object_v1>(), 160),
            (std::mem::size_of::<davit_event>(), 48),
            (std::mem::size_of::<davit_informer_options>(), 104),
            (std::mem::size_of::<davit_list>(), 16),
            (std::mem::size_of::<davit_informer_v1>(), 40),
            (std::mem::size_of::<davit_sync_result>(), 16),
            (std::mem::size_of::<davit_queue_options>(), 64),
            (std::mem::size_of::<davit_queue_v1>(), 64),
            (std::mem::size_of::<davit_request>(), 200),
            (std::mem::size_of::<davit_response>(), 80),
            (std::mem::size_of::<davit_client_v1>(), 32),
            (std::mem::size_of::<davit_timer_options>(), 40),
            (std::mem::size_of::<davit_timer_v1>(), 24),
            (std::mem::size_of::<davit_reference>(), 120),
            (std::mem::size_of::<davit_event_v1>(), 16),
            (std::mem::size_of::<davit_log_field>(), 32),
            (std::mem::size_of::<davit_log_v1>(), 24),
            (std::mem::size_of::<davit_clock_v1>(), 24),
            (std::mem::size_of::<davit_random_v1>(), 16),
            (std::mem::size_of::<davit_metric_options>(), 72),
            (std::mem::size_of::<davit_metric_v1>(), 24),
            (std::mem::size_of::<davit_config_v1>(), 16),
            (std::mem::size_of::<davit_context>(), 48),
            (std::mem::size_of::<davit_controller>(), 32),
            (std::mem::size_of::<davit_row>(), 24),
            (std::mem::size_of::<davit_plugin>(), 24),
        ];
        let mut at = 0;
        while at < SIZES.len() {
            assert!(SIZES[at].0 == SIZES[at].1);
            at += 1;
        }
    };
}

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

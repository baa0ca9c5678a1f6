//! `<davit/abi.h>` as it is: names, order and rules of lifetime are that header's.
#![allow(non_camel_case_types)]

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
    pub size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub write: unsafe extern "C" fn(this: *mut c_void, chunk: davit_str) -> davit_code,
}

pub const DAVIT_CALL_INIT: i32 = 1;
pub const DAVIT_CALL_HANDLER: i32 = 2;
pub const DAVIT_CALL_SYNC: i32 = 3;
pub const DAVIT_CALL_TIMER: i32 = 4;
pub const DAVIT_CALL_PROBE: i32 = 5;
pub const DAVIT_CALL_DESTROY: i32 = 6;

#[repr(C)]
pub struct davit_call {
    pub size: u32,
    pub kind: i32,
    pub host: *const c_void,
    pub source: davit_handle,
    pub key: davit_str,
    pub trace_id: davit_str,
    pub deadline_ns: i64,
    pub attempt: u32,
    pub reserved: u32,
    pub cancelled: unsafe extern "C" fn(call: *const davit_call) -> i32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_value {
    pub object: *const c_void,
    pub node: u32,
    pub mask: u32,
}
pub const DAVIT_KIND_ABSENT: i32 = 0;
pub const DAVIT_KIND_NULL: i32 = 1;
pub const DAVIT_KIND_BOOLEAN: i32 = 2;
pub const DAVIT_KIND_NUMBER: i32 = 3;
pub const DAVIT_KIND_STRING: i32 = 4;
pub const DAVIT_KIND_ARRAY: i32 = 5;
pub const DAVIT_KIND_OBJECT: i32 = 6;

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
    pub name: unsafe extern "C" fn(*const davit_call, davit_str) -> davit_name,
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
    pub json: unsafe extern "C" fn(davit_value, *const davit_sink) -> davit_code,
    pub parse: unsafe extern "C" fn(*const davit_call, davit_str, *mut davit_value) -> davit_code,
    pub retain: unsafe extern "C" fn(*const davit_call, davit_value, *mut davit_handle) -> davit_code,
    pub retained: unsafe extern "C" fn(*const davit_call, davit_handle, *mut davit_value) -> davit_code,
    pub release: unsafe extern "C" fn(*const davit_call, davit_handle) -> davit_code,
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
    pub on_event: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, event: *const davit_event)>,
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
    pub open: unsafe extern "C" fn(*const davit_call, *const davit_informer_options, *mut davit_handle) -> davit_code,
    pub add_index: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, davit_str) -> davit_code,
    pub get:
        unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, davit_str, *mut davit_value) -> davit_code,
    pub select:
        unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, davit_str, *mut davit_list) -> davit_code,
}
#[repr(C)]
pub struct davit_sync_result {
    pub size: u32,
    pub keep_backoff: u32,
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
    pub sync: unsafe extern "C" fn(
        this: *mut c_void,
        call: *const davit_call,
        key: davit_str,
        result: *mut davit_sync_result,
    ) -> davit_code,
}
#[repr(C)]
pub struct davit_queue_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(*const davit_call, *const davit_queue_options, *mut davit_handle) -> davit_code,
    pub add: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str) -> davit_code,
    pub add_sharded: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, davit_str) -> davit_code,
    pub add_after: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, u64) -> davit_code,
    pub add_rate_limited: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str) -> davit_code,
    pub forget: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str) -> davit_code,
    pub failures: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str) -> u32,
}

pub const DAVIT_GET: i32 = 1;
pub const DAVIT_LIST: i32 = 2;
pub const DAVIT_CREATE: i32 = 3;
pub const DAVIT_UPDATE: i32 = 4;
pub const DAVIT_PATCH: i32 = 5;
pub const DAVIT_DELETE: i32 = 6;
pub const DAVIT_DELETE_COLLECTION: i32 = 7;
pub const DAVIT_ANSWER_OBJECT: i32 = 0;
pub const DAVIT_ANSWER_METADATA: i32 = 1;

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
    pub call: unsafe extern "C" fn(*const davit_call, *const davit_request, *mut davit_response) -> davit_code,
    pub batch: unsafe extern "C" fn(
        *const davit_call,
        *const davit_request,
        usize,
        *mut davit_response,
        usize,
        usize,
    ) -> davit_code,
    pub resource_exists: unsafe extern "C" fn(*const davit_call, davit_str, davit_str, davit_str) -> davit_code,
}
#[repr(C)]
pub struct davit_timer_options {
    pub size: u32,
    pub reserved: u32,
    pub first_ms: u64,
    pub period_ms: u64,
    pub this: *mut c_void,
    pub fire: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, result: *mut davit_sync_result) -> davit_code,
}
#[repr(C)]
pub struct davit_timer_v1 {
    pub size: u32,
    pub reserved: u32,
    pub start: unsafe extern "C" fn(*const davit_call, *const davit_timer_options, *mut davit_handle) -> davit_code,
    pub stop: unsafe extern "C" fn(*const davit_call, davit_handle) -> davit_code,
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
        *const davit_call,
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
    pub write: unsafe extern "C" fn(*const davit_call, i32, davit_str, *const davit_log_field, usize),
    pub enabled: unsafe extern "C" fn(*const davit_call, i32) -> i32,
}
#[repr(C)]
pub struct davit_clock_v1 {
    pub size: u32,
    pub reserved: u32,
    pub monotonic_ns: unsafe extern "C" fn(*const davit_call) -> i64,
    pub wall_ns: unsafe extern "C" fn(*const davit_call) -> i64,
}
#[repr(C)]
pub struct davit_random_v1 {
    pub size: u32,
    pub reserved: u32,
    pub next: unsafe extern "C" fn(*const davit_call) -> u64,
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
    pub open: unsafe extern "C" fn(*const davit_call, *const davit_metric_options, *mut davit_handle) -> davit_code,
    pub record: unsafe extern "C" fn(*const davit_call, davit_handle, f64, *const davit_str, usize) -> davit_code,
    pub remove: unsafe extern "C" fn(*const davit_call, davit_handle, *const davit_str, usize) -> davit_code,
}
#[repr(C)]
pub struct davit_config_v1 {
    pub size: u32,
    pub reserved: u32,
    pub value: unsafe extern "C" fn(*const davit_call) -> davit_value,
}
#[repr(C)]
pub struct davit_freshness {
    pub size: u32,
    pub reserved: u32,
    pub confirmed_ns: i64,
    pub followed_since_ns: i64,
}
#[repr(C)]
pub struct davit_freshness_v1 {
    pub size: u32,
    pub reserved: u32,
    pub limit_silence: unsafe extern "C" fn(*const davit_call, davit_handle, u64) -> davit_code,
    pub read: unsafe extern "C" fn(*const davit_call, davit_handle, *mut davit_freshness) -> davit_code,
    pub verify: unsafe extern "C" fn(*const davit_call, davit_handle) -> davit_code,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_served_resource {
    pub size: u32,
    pub scope: i32,
    pub group: davit_str,
    pub version: davit_str,
    pub resource: davit_str,
    pub kind: davit_str,
    pub singular: davit_str,
    pub verbs: *const davit_str,
    pub verb_count: usize,
    pub subresources: *const davit_str,
    pub subresource_count: usize,
    pub is_preferred: i32,
    pub reserved: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_unknown_version {
    pub size: u32,
    pub reserved: u32,
    pub group: davit_str,
    pub version: davit_str,
    pub message: davit_str,
}
#[repr(C)]
pub struct davit_catalog {
    pub size: u32,
    pub resource_size: u32,
    pub resources: *const davit_served_resource,
    pub resource_count: usize,
    pub unknown_size: u32,
    pub reserved: u32,
    pub unknown: *const davit_unknown_version,
    pub unknown_count: usize,
}
#[repr(C)]
pub struct davit_discovery_v1 {
    pub size: u32,
    pub reserved: u32,
    pub find: unsafe extern "C" fn(*const davit_call, davit_str, davit_str, davit_str, *mut davit_served_resource) -> davit_code,
    pub find_kind:
        unsafe extern "C" fn(*const davit_call, davit_str, davit_str, davit_str, *mut davit_served_resource) -> davit_code,
    pub catalog: unsafe extern "C" fn(*const davit_call, *mut davit_catalog) -> davit_code,
    pub wake: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str) -> davit_code,
    pub refresh: unsafe extern "C" fn(*const davit_call) -> davit_code,
    pub fetch: unsafe extern "C" fn(*const davit_call, *mut davit_catalog) -> davit_code,
}
pub const DAVIT_FORM_OBJECT: i32 = 0;
pub const DAVIT_FORM_METADATA: i32 = 1;
#[repr(C)]
pub struct davit_index {
    pub size: u32,
    pub path_count: u32,
    pub name: davit_str,
    pub paths: *const davit_str,
}
#[repr(C)]
pub struct davit_informer_options_v2 {
    pub size: u32,
    pub form: i32,
    pub group: davit_str,
    pub version: davit_str,
    pub resource: davit_str,
    pub ns: davit_str,
    pub label_selector: davit_str,
    pub field_selector: davit_str,
    pub projection: *const davit_str,
    pub projection_count: usize,
    pub indexes: *const davit_index,
    pub index_size: usize,
    pub index_count: usize,
    pub wake_queue: davit_handle,
    pub wake_key: davit_str,
    pub this: *mut c_void,
    pub on_event: Option<unsafe extern "C" fn(*mut c_void, *const davit_call, *const davit_event)>,
    pub on_closed: Option<unsafe extern "C" fn(*mut c_void, *const davit_call)>,
}
#[repr(C)]
pub struct davit_informer_v2 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(*const davit_call, *const davit_informer_options_v2, *mut davit_handle) -> davit_code,
    pub close: unsafe extern "C" fn(*const davit_call, davit_handle) -> davit_code,
    pub synced: unsafe extern "C" fn(*const davit_call, davit_handle) -> davit_code,
    pub get: unsafe extern "C" fn(*const davit_call, davit_handle, davit_str, davit_str, *mut davit_value) -> davit_code,
    pub select: unsafe extern "C" fn(
        *const davit_call,
        davit_handle,
        davit_str,
        *const davit_str,
        usize,
        *mut davit_list,
    ) -> davit_code,
}
pub const DAVIT_HTTP_BODY_BYTES_DEFAULT: u64 = 8388608;
pub const DAVIT_HTTP_BODY_BYTES_MAX: u64 = 67108864;
pub const DAVIT_HTTP_EFFECT_BY_METHOD: i32 = 0;
pub const DAVIT_HTTP_READS: i32 = 1;
pub const DAVIT_HTTP_CHANGES: i32 = 2;
pub const DAVIT_HTTP_RETRY_BY_METHOD: i32 = 0;
pub const DAVIT_HTTP_RETRY_NEVER: i32 = 1;
pub const DAVIT_HTTP_RETRY_ALWAYS: i32 = 2;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_http_header {
    pub name: davit_str,
    pub value: davit_str,
}
#[repr(C)]
pub struct davit_http_request {
    pub size: u32,
    pub effect: i32,
    pub method: davit_str,
    pub url: davit_str,
    pub headers: *const davit_http_header,
    pub header_count: usize,
    pub body: davit_str,
    pub retry: i32,
    pub redirects_max: u32,
    pub timeout_ms: u64,
    pub body_bytes_max: u64,
}
#[repr(C)]
pub struct davit_http_response {
    pub size: u32,
    pub code: davit_code,
    pub http_status: i32,
    pub simulated: i32,
    pub retry_after_ms: u32,
    pub reserved: u32,
    pub message: davit_str,
    pub url: davit_str,
    pub headers: *const davit_http_header,
    pub header_count: usize,
    pub body: davit_str,
}
#[repr(C)]
pub struct davit_http_v1 {
    pub size: u32,
    pub reserved: u32,
    pub call: unsafe extern "C" fn(*const davit_call, *const davit_http_request, *mut davit_http_response) -> davit_code,
    pub batch: unsafe extern "C" fn(
        *const davit_call,
        *const davit_http_request,
        usize,
        *mut davit_http_response,
        usize,
        usize,
    ) -> davit_code,
}
#[repr(C)]
pub struct davit_waker {
    opaque: [u8; 0],
}
#[repr(C)]
pub struct davit_waker_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(*const davit_call, davit_handle, *mut *mut davit_waker) -> davit_code,
    pub wake: unsafe extern "C" fn(*mut davit_waker, davit_str) -> davit_code,
    pub retain: unsafe extern "C" fn(*mut davit_waker),
    pub release: unsafe extern "C" fn(*mut davit_waker),
}
#[repr(C)]
pub struct davit_error {
    pub size: u32,
    pub code: davit_code,
    pub http_status: i32,
    pub retry_after_ms: u32,
    pub reason: davit_str,
    pub message: davit_str,
    pub causes: davit_str,
    pub position: u64,
}
#[repr(C)]
pub struct davit_context {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub controller: davit_str,
    pub capability: unsafe extern "C" fn(*const davit_call, davit_str) -> *const c_void,
    pub error_text: unsafe extern "C" fn(*const davit_call, davit_str),
    pub last_error: unsafe extern "C" fn(*const davit_call, *mut davit_error) -> davit_code,
}
#[repr(C)]
pub struct davit_controller {
    pub size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub destroy: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call)>,
    pub capability: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, id: davit_str) -> *const c_void>,
}
#[repr(C)]
pub struct davit_health_v1 {
    pub size: u32,
    pub reserved: u32,
    pub check: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, why: *const davit_sink) -> davit_code,
}
#[repr(C)]
pub struct davit_debug_v1 {
    pub size: u32,
    pub reserved: u32,
    pub serve: unsafe extern "C" fn(
        this: *mut c_void,
        call: *const davit_call,
        path: davit_str,
        query: davit_str,
        body: *const davit_sink,
    ) -> davit_code,
}
#[repr(C)]
pub struct davit_state_v1 {
    pub size: u32,
    pub version: u32,
    pub oldest: u32,
    pub reserved: u32,
    pub write: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, out: *const davit_sink) -> davit_code,
    pub read: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, version: u32, state: davit_str) -> davit_code,
}
pub const DAVIT_FAILED: i32 = 0;
pub const DAVIT_STARTED: i32 = 1;
pub const DAVIT_SKIPPED: i32 = 2;
pub type davit_init_fn = unsafe extern "C" fn(*const davit_call, *const davit_context, *mut davit_controller) -> i32;
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
    const SIZES: [(usize, usize); 49] = [
        (std::mem::size_of::<davit_str>(), 16),
        (std::mem::size_of::<davit_sink>(), 24),
        (std::mem::size_of::<davit_call>(), 80),
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
        (std::mem::size_of::<davit_metric_v1>(), 32),
        (std::mem::size_of::<davit_config_v1>(), 16),
        (std::mem::size_of::<davit_freshness>(), 24),
        (std::mem::size_of::<davit_freshness_v1>(), 32),
        (std::mem::size_of::<davit_served_resource>(), 128),
        (std::mem::size_of::<davit_unknown_version>(), 56),
        (std::mem::size_of::<davit_catalog>(), 48),
        (std::mem::size_of::<davit_discovery_v1>(), 56),
        (std::mem::size_of::<davit_index>(), 32),
        (std::mem::size_of::<davit_informer_options_v2>(), 192),
        (std::mem::size_of::<davit_informer_v2>(), 48),
        (std::mem::size_of::<davit_waker_v1>(), 40),
        (std::mem::size_of::<davit_error>(), 72),
        (std::mem::size_of::<davit_http_header>(), 32),
        (std::mem::size_of::<davit_http_request>(), 96),
        (std::mem::size_of::<davit_http_response>(), 88),
        (std::mem::size_of::<davit_http_v1>(), 24),
        (std::mem::size_of::<davit_context>(), 48),
        (std::mem::size_of::<davit_controller>(), 32),
        (std::mem::size_of::<davit_health_v1>(), 16),
        (std::mem::size_of::<davit_debug_v1>(), 16),
        (std::mem::size_of::<davit_state_v1>(), 32),
        (std::mem::size_of::<davit_row>(), 24),
        (std::mem::size_of::<davit_plugin>(), 24),
    ];
    let mut at = 0;
    while at < SIZES.len() {
        assert!(SIZES[at].0 == SIZES[at].1);
        at += 1;
    }
};

//! `<davit/abi.h>` type by type: order, meaning and rules of lifetime are that header's. `sdk/tools/abi_rust.py` makes this
//! module from it, and a test fails when it is stale.
//!
//! `self` is `this` here. A function pointer that the plugin gives is an `Option`; the tables of the host have every function
//! of their revision. `new()` of a struct is all zero but for its size.
#![allow(non_camel_case_types, clippy::new_without_default)]

use std::ffi::c_void;
use std::mem::size_of;

pub const DAVIT_ABI_MAJOR: u32 = 1;

pub const DAVIT_ABI_MINOR: u32 = 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_str {
    pub data: *const u8,
    pub size: usize,
}

impl davit_str {
    pub const fn new() -> Self {
        davit_str {
            data: std::ptr::null(),
            size: 0,
        }
    }
}

pub type davit_handle = u64;

pub type davit_code = i32;

pub const DAVIT_OK: i32 = 0;
pub const DAVIT_NOT_FOUND: i32 = 1;
pub const DAVIT_ALREADY_EXISTS: i32 = 2;
pub const DAVIT_CONFLICT: i32 = 3;
pub const DAVIT_INVALID: i32 = 4;
pub const DAVIT_FORBIDDEN: i32 = 5;
pub const DAVIT_EXPIRED: i32 = 6;
pub const DAVIT_THROTTLED: i32 = 7;
pub const DAVIT_UNAVAILABLE: i32 = 8;
pub const DAVIT_CANCELLED: i32 = 9;
pub const DAVIT_UNDECLARED: i32 = 10;
pub const DAVIT_WRONG_TYPE: i32 = 11;
pub const DAVIT_STALE: i32 = 12;
pub const DAVIT_MISUSE: i32 = 13;
pub const DAVIT_UNSUPPORTED: i32 = 14;
pub const DAVIT_INTERNAL: i32 = 15;

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
#[derive(Clone, Copy)]
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
    pub leads: unsafe extern "C" fn(call: *const davit_call) -> i32,
}

pub type davit_name = u32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_value {
    pub object: *const c_void,
    pub node: u32,
    pub mask: u32,
}

impl davit_value {
    pub const fn new() -> Self {
        davit_value {
            object: std::ptr::null(),
            node: 0,
            mask: 0,
        }
    }
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
#[derive(Clone, Copy)]
pub struct davit_object_v1 {
    pub size: u32,
    pub reserved: u32,
    pub name: unsafe extern "C" fn(call: *const davit_call, text: davit_str) -> davit_name,
    pub kind: unsafe extern "C" fn(value: davit_value) -> i32,
    pub member: unsafe extern "C" fn(value: davit_value, name: davit_name, out: *mut davit_value) -> davit_code,
    pub lookup: unsafe extern "C" fn(value: davit_value, key: davit_str, out: *mut davit_value) -> davit_code,
    pub path: unsafe extern "C" fn(value: davit_value, names: *const davit_name, count: usize, out: *mut davit_value) -> davit_code,
    pub count: unsafe extern "C" fn(value: davit_value) -> usize,
    pub elements: unsafe extern "C" fn(array: davit_value, first: usize, out: *mut davit_value, capacity: usize) -> usize,
    pub members: unsafe extern "C" fn(object: davit_value, first: usize, out: *mut davit_member, capacity: usize, written: *mut usize) -> davit_code,
    pub string: unsafe extern "C" fn(value: davit_value, out: *mut davit_str) -> davit_code,
    pub integer: unsafe extern "C" fn(value: davit_value, out: *mut i64) -> davit_code,
    pub number: unsafe extern "C" fn(value: davit_value, out: *mut davit_str) -> davit_code,
    pub boolean: unsafe extern "C" fn(value: davit_value, out: *mut i32) -> davit_code,
    pub equal: unsafe extern "C" fn(a: davit_value, b: davit_value, out: *mut i32) -> davit_code,
    pub hash: unsafe extern "C" fn(value: davit_value, out: *mut u64) -> davit_code,
    pub json: unsafe extern "C" fn(value: davit_value, sink: *const davit_sink) -> davit_code,
    pub parse: unsafe extern "C" fn(call: *const davit_call, json: davit_str, out: *mut davit_value) -> davit_code,
    pub retain: unsafe extern "C" fn(call: *const davit_call, value: davit_value, out: *mut davit_handle) -> davit_code,
    pub retained: unsafe extern "C" fn(call: *const davit_call, handle: davit_handle, out: *mut davit_value) -> davit_code,
    pub release: unsafe extern "C" fn(call: *const davit_call, handle: davit_handle) -> davit_code,
}

pub const DAVIT_EVENT_ADDED: i32 = 1;
pub const DAVIT_EVENT_UPDATED: i32 = 2;
pub const DAVIT_EVENT_DELETED: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_event {
    pub size: u32,
    pub r#type: i32,
    pub initial: i32,
    pub tombstone: i32,
    pub value: davit_value,
    pub old_value: davit_value,
}

impl davit_event {
    pub const fn new() -> Self {
        davit_event {
            size: size_of::<Self>() as u32,
            r#type: 0,
            initial: 0,
            tombstone: 0,
            value: davit_value::new(),
            old_value: davit_value::new(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_informer_options {
    pub const fn new() -> Self {
        davit_informer_options {
            size: size_of::<Self>() as u32,
            reserved: 0,
            group: davit_str::new(),
            version: davit_str::new(),
            resource: davit_str::new(),
            label_selector: davit_str::new(),
            field_selector: davit_str::new(),
            this: std::ptr::null_mut(),
            on_event: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_list {
    pub items: *const davit_value,
    pub count: usize,
}

pub const DAVIT_INDEX_NAMESPACE: &str = "namespace";

pub const DAVIT_INDEX_CONTROLLER: &str = "controller";

pub const DAVIT_INDEX_LABEL: &str = "label";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_informer_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(call: *const davit_call, options: *const davit_informer_options, out: *mut davit_handle) -> davit_code,
    pub add_index: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, name: davit_str, path: davit_str) -> davit_code,
    pub get: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, ns: davit_str, name: davit_str, out: *mut davit_value) -> davit_code,
    pub select: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, index: davit_str, key: davit_str, out: *mut davit_list) -> davit_code,
}

pub const DAVIT_BACKOFF_END: i32 = 0;
pub const DAVIT_BACKOFF_KEEP: i32 = 1;
pub const DAVIT_BACKOFF_RETRY: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_sync_result {
    pub size: u32,
    pub backoff: i32,
    pub again_ms: u64,
}

impl davit_sync_result {
    pub const fn new() -> Self {
        davit_sync_result {
            size: size_of::<Self>() as u32,
            backoff: 0,
            again_ms: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_queue_options {
    pub size: u32,
    pub workers: u32,
    pub name: davit_str,
    pub base_ms: u64,
    pub max_ms: u64,
    pub retries_max: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub sync: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, key: davit_str, result: *mut davit_sync_result) -> davit_code>,
}

impl davit_queue_options {
    pub const fn new() -> Self {
        davit_queue_options {
            size: size_of::<Self>() as u32,
            workers: 0,
            name: davit_str::new(),
            base_ms: 0,
            max_ms: 0,
            retries_max: 0,
            reserved: 0,
            this: std::ptr::null_mut(),
            sync: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_queue_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(call: *const davit_call, options: *const davit_queue_options, out: *mut davit_handle) -> davit_code,
    pub add: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str) -> davit_code,
    pub add_sharded: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str, shard: davit_str) -> davit_code,
    pub add_after: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str, delay_ms: u64) -> davit_code,
    pub add_rate_limited: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str) -> davit_code,
    pub forget: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str) -> davit_code,
    pub failures: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str) -> u32,
}

pub const DAVIT_GET: i32 = 1;
pub const DAVIT_LIST: i32 = 2;
pub const DAVIT_CREATE: i32 = 3;
pub const DAVIT_UPDATE: i32 = 4;
pub const DAVIT_PATCH: i32 = 5;
pub const DAVIT_DELETE: i32 = 6;
pub const DAVIT_DELETE_COLLECTION: i32 = 7;

pub const DAVIT_PATCH_JSON: i32 = 1;
pub const DAVIT_PATCH_MERGE: i32 = 2;
pub const DAVIT_PATCH_STRATEGIC: i32 = 3;
pub const DAVIT_PATCH_APPLY: i32 = 4;

pub const DAVIT_PROPAGATION_DEFAULT: i32 = 0;
pub const DAVIT_PROPAGATION_ORPHAN: i32 = 1;
pub const DAVIT_PROPAGATION_BACKGROUND: i32 = 2;
pub const DAVIT_PROPAGATION_FOREGROUND: i32 = 3;

pub const DAVIT_ANSWER_OBJECT: i32 = 0;
pub const DAVIT_ANSWER_METADATA: i32 = 1;

pub const DAVIT_PRIORITY_NORMAL: i32 = 0;
pub const DAVIT_PRIORITY_HIGH: i32 = 1;
pub const DAVIT_PRIORITY_LOW: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
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
    pub priority: i32,
    pub force: i32,
    pub field_manager: davit_str,
    pub limit: u64,
    pub continue_token: davit_str,
    pub raw: *const davit_sink,
    pub propagation: i32,
    pub has_grace_seconds: i32,
    pub grace_seconds: i64,
    pub precondition_uid: davit_str,
    pub precondition_resource_version: davit_str,
    pub timeout_ms: u64,
}

impl davit_request {
    pub const fn new() -> Self {
        davit_request {
            size: size_of::<Self>() as u32,
            verb: 0,
            group: davit_str::new(),
            version: davit_str::new(),
            resource: davit_str::new(),
            subresource: davit_str::new(),
            ns: davit_str::new(),
            name: davit_str::new(),
            body: davit_str::new(),
            patch_type: 0,
            answer: 0,
            query: davit_str::new(),
            priority: 0,
            force: 0,
            field_manager: davit_str::new(),
            limit: 0,
            continue_token: davit_str::new(),
            raw: std::ptr::null(),
            propagation: 0,
            has_grace_seconds: 0,
            grace_seconds: 0,
            precondition_uid: davit_str::new(),
            precondition_resource_version: davit_str::new(),
            timeout_ms: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_response {
    pub const fn new() -> Self {
        davit_response {
            size: size_of::<Self>() as u32,
            code: 0,
            http_status: 0,
            retry_after_ms: 0,
            reason: davit_str::new(),
            message: davit_str::new(),
            causes: davit_str::new(),
            object: davit_value::new(),
        }
    }
}

pub const DAVIT_FAN_OUT_AT_ONCE_MAX: i32 = 50;
pub const DAVIT_REQUEST_ROOM: i32 = 1024;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_fan_out {
    pub size: u32,
    pub at_once_max: u32,
    pub this: *mut c_void,
    pub next: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, index: u64, request: *mut davit_request) -> davit_code>,
    pub done: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, index: u64, response: *const davit_response) -> davit_code>,
}

impl davit_fan_out {
    pub const fn new() -> Self {
        davit_fan_out {
            size: size_of::<Self>() as u32,
            at_once_max: 0,
            this: std::ptr::null_mut(),
            next: None,
            done: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_client_v1 {
    pub size: u32,
    pub reserved: u32,
    pub call: unsafe extern "C" fn(call: *const davit_call, request: *const davit_request, response: *mut davit_response) -> davit_code,
    pub batch: unsafe extern "C" fn(call: *const davit_call, requests: *const davit_request, request_size: usize, responses: *mut davit_response, response_size: usize, count: usize) -> davit_code,
    pub resource_exists: unsafe extern "C" fn(call: *const davit_call, group: davit_str, version: davit_str, resource: davit_str) -> davit_code,
    pub fan_out: unsafe extern "C" fn(call: *const davit_call, fan_out: *const davit_fan_out) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_timer_options {
    pub size: u32,
    pub reserved: u32,
    pub first_ms: u64,
    pub period_ms: u64,
    pub this: *mut c_void,
    pub fire: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, result: *mut davit_sync_result) -> davit_code>,
}

impl davit_timer_options {
    pub const fn new() -> Self {
        davit_timer_options {
            size: size_of::<Self>() as u32,
            reserved: 0,
            first_ms: 0,
            period_ms: 0,
            this: std::ptr::null_mut(),
            fire: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_timer_v1 {
    pub size: u32,
    pub reserved: u32,
    pub start: unsafe extern "C" fn(call: *const davit_call, options: *const davit_timer_options, out: *mut davit_handle) -> davit_code,
    pub stop: unsafe extern "C" fn(call: *const davit_call, timer: davit_handle) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_reference {
    pub const fn new() -> Self {
        davit_reference {
            size: size_of::<Self>() as u32,
            reserved: 0,
            api_version: davit_str::new(),
            kind: davit_str::new(),
            ns: davit_str::new(),
            name: davit_str::new(),
            uid: davit_str::new(),
            resource_version: davit_str::new(),
            field_path: davit_str::new(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_event_v1 {
    pub size: u32,
    pub reserved: u32,
    pub record: unsafe extern "C" fn(call: *const davit_call, regarding: *const davit_reference, r#type: davit_str, reason: davit_str, message: davit_str) -> davit_code,
}

pub const DAVIT_LOG_ERROR: i32 = -2;
pub const DAVIT_LOG_WARNING: i32 = -1;
pub const DAVIT_LOG_INFO: i32 = 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_log_field {
    pub key: davit_str,
    pub value: davit_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_log_v1 {
    pub size: u32,
    pub reserved: u32,
    pub write: unsafe extern "C" fn(call: *const davit_call, level: i32, message: davit_str, fields: *const davit_log_field, count: usize),
    pub enabled: unsafe extern "C" fn(call: *const davit_call, level: i32) -> i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_clock_v1 {
    pub size: u32,
    pub reserved: u32,
    pub monotonic_ns: unsafe extern "C" fn(call: *const davit_call) -> i64,
    pub wall_ns: unsafe extern "C" fn(call: *const davit_call) -> i64,
    pub pause: unsafe extern "C" fn(call: *const davit_call, ms: u64) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_random_v1 {
    pub size: u32,
    pub reserved: u32,
    pub next: unsafe extern "C" fn(call: *const davit_call) -> u64,
}

pub const DAVIT_METRIC_COUNTER: i32 = 1;
pub const DAVIT_METRIC_GAUGE: i32 = 2;
pub const DAVIT_METRIC_HISTOGRAM: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_metric_options {
    pub const fn new() -> Self {
        davit_metric_options {
            size: size_of::<Self>() as u32,
            r#type: 0,
            name: davit_str::new(),
            help: davit_str::new(),
            labels: std::ptr::null(),
            label_count: 0,
            buckets: std::ptr::null(),
            bucket_count: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_metric_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(call: *const davit_call, options: *const davit_metric_options, out: *mut davit_handle) -> davit_code,
    pub record: unsafe extern "C" fn(call: *const davit_call, metric: davit_handle, value: f64, label_values: *const davit_str, label_count: usize) -> davit_code,
    pub remove: unsafe extern "C" fn(call: *const davit_call, metric: davit_handle, label_values: *const davit_str, label_count: usize) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_config_v1 {
    pub size: u32,
    pub reserved: u32,
    pub value: unsafe extern "C" fn(call: *const davit_call) -> davit_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_freshness {
    pub size: u32,
    pub reserved: u32,
    pub confirmed_ns: i64,
    pub followed_since_ns: i64,
    pub verified_ns: i64,
}

impl davit_freshness {
    pub const fn new() -> Self {
        davit_freshness {
            size: size_of::<Self>() as u32,
            reserved: 0,
            confirmed_ns: 0,
            followed_since_ns: 0,
            verified_ns: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_freshness_v1 {
    pub size: u32,
    pub reserved: u32,
    pub limit_silence: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, longest_ms: u64) -> davit_code,
    pub read: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, out: *mut davit_freshness) -> davit_code,
    pub verify: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle) -> davit_code,
}

pub const DAVIT_SCOPE_UNKNOWN: i32 = 0;
pub const DAVIT_SCOPE_NAMESPACED: i32 = 1;
pub const DAVIT_SCOPE_CLUSTER: i32 = 2;

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

impl davit_served_resource {
    pub const fn new() -> Self {
        davit_served_resource {
            size: size_of::<Self>() as u32,
            scope: 0,
            group: davit_str::new(),
            version: davit_str::new(),
            resource: davit_str::new(),
            kind: davit_str::new(),
            singular: davit_str::new(),
            verbs: std::ptr::null(),
            verb_count: 0,
            subresources: std::ptr::null(),
            subresource_count: 0,
            is_preferred: 0,
            reserved: 0,
        }
    }
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

impl davit_unknown_version {
    pub const fn new() -> Self {
        davit_unknown_version {
            size: size_of::<Self>() as u32,
            reserved: 0,
            group: davit_str::new(),
            version: davit_str::new(),
            message: davit_str::new(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_catalog {
    pub size: u32,
    pub resource_size: u32,
    pub resources: *const davit_served_resource,
    pub resource_count: usize,
    pub unknown_size: u32,
    pub reserved: u32,
    pub unknown: *const davit_unknown_version,
    pub unknown_count: usize,
    pub fetched_ns: i64,
}

impl davit_catalog {
    pub const fn new() -> Self {
        davit_catalog {
            size: size_of::<Self>() as u32,
            resource_size: 0,
            resources: std::ptr::null(),
            resource_count: 0,
            unknown_size: 0,
            reserved: 0,
            unknown: std::ptr::null(),
            unknown_count: 0,
            fetched_ns: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_discovery_v1 {
    pub size: u32,
    pub reserved: u32,
    pub find: unsafe extern "C" fn(call: *const davit_call, group: davit_str, version: davit_str, resource: davit_str, out: *mut davit_served_resource) -> davit_code,
    pub find_kind: unsafe extern "C" fn(call: *const davit_call, group: davit_str, version: davit_str, kind: davit_str, out: *mut davit_served_resource) -> davit_code,
    pub catalog: unsafe extern "C" fn(call: *const davit_call, out: *mut davit_catalog) -> davit_code,
    pub wake: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, key: davit_str) -> davit_code,
    pub refresh: unsafe extern "C" fn(call: *const davit_call) -> davit_code,
    pub fetch: unsafe extern "C" fn(call: *const davit_call, out: *mut davit_catalog) -> davit_code,
}

pub const DAVIT_FORM_OBJECT: i32 = 0;
pub const DAVIT_FORM_METADATA: i32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_index {
    pub size: u32,
    pub path_count: u32,
    pub name: davit_str,
    pub paths: *const davit_str,
}

impl davit_index {
    pub const fn new() -> Self {
        davit_index {
            size: size_of::<Self>() as u32,
            path_count: 0,
            name: davit_str::new(),
            paths: std::ptr::null(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
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
    pub on_event: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, event: *const davit_event),
    pub on_closed: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call),
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_informer_v2 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(call: *const davit_call, options: *const davit_informer_options_v2, out: *mut davit_handle) -> davit_code,
    pub close: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle) -> davit_code,
    pub synced: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle) -> davit_code,
    pub get: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, ns: davit_str, name: davit_str, out: *mut davit_value) -> davit_code,
    pub select: unsafe extern "C" fn(call: *const davit_call, informer: davit_handle, index: davit_str, values: *const davit_str, count: usize, out: *mut davit_list) -> davit_code,
}

#[repr(C)]
pub struct davit_waker {
    private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_waker_v1 {
    pub size: u32,
    pub reserved: u32,
    pub open: unsafe extern "C" fn(call: *const davit_call, queue: davit_handle, out: *mut *mut davit_waker) -> davit_code,
    pub wake: unsafe extern "C" fn(waker: *mut davit_waker, key: davit_str) -> davit_code,
    pub retain: unsafe extern "C" fn(waker: *mut davit_waker),
    pub release: unsafe extern "C" fn(waker: *mut davit_waker),
}

pub const DAVIT_HTTP_BODY_BYTES_DEFAULT: i32 = 8388608;
pub const DAVIT_HTTP_BODY_BYTES_MAX: i32 = 67108864;

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
#[derive(Clone, Copy)]
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

impl davit_http_request {
    pub const fn new() -> Self {
        davit_http_request {
            size: size_of::<Self>() as u32,
            effect: 0,
            method: davit_str::new(),
            url: davit_str::new(),
            headers: std::ptr::null(),
            header_count: 0,
            body: davit_str::new(),
            retry: 0,
            redirects_max: 0,
            timeout_ms: 0,
            body_bytes_max: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_http_response {
    pub const fn new() -> Self {
        davit_http_response {
            size: size_of::<Self>() as u32,
            code: 0,
            http_status: 0,
            simulated: 0,
            retry_after_ms: 0,
            reserved: 0,
            message: davit_str::new(),
            url: davit_str::new(),
            headers: std::ptr::null(),
            header_count: 0,
            body: davit_str::new(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_http_v1 {
    pub size: u32,
    pub reserved: u32,
    pub call: unsafe extern "C" fn(call: *const davit_call, request: *const davit_http_request, response: *mut davit_http_response) -> davit_code,
    pub batch: unsafe extern "C" fn(call: *const davit_call, requests: *const davit_http_request, request_size: usize, responses: *mut davit_http_response, response_size: usize, count: usize) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
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

impl davit_error {
    pub const fn new() -> Self {
        davit_error {
            size: size_of::<Self>() as u32,
            code: 0,
            http_status: 0,
            retry_after_ms: 0,
            reason: davit_str::new(),
            message: davit_str::new(),
            causes: davit_str::new(),
            position: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_context {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub controller: davit_str,
    pub capability: unsafe extern "C" fn(call: *const davit_call, id: davit_str) -> *const c_void,
    pub error_text: unsafe extern "C" fn(call: *const davit_call, text: davit_str),
    pub last_error: unsafe extern "C" fn(call: *const davit_call, out: *mut davit_error) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_health_v1 {
    pub size: u32,
    pub reserved: u32,
    pub check: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, why: *const davit_sink) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_page {
    pub size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub body: *const davit_sink,
    pub head: Option<unsafe extern "C" fn(this: *mut c_void, http_status: i32, content_type: davit_str) -> davit_code>,
}

impl davit_page {
    pub const fn new() -> Self {
        davit_page {
            size: size_of::<Self>() as u32,
            reserved: 0,
            this: std::ptr::null_mut(),
            body: std::ptr::null(),
            head: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_debug_v1 {
    pub size: u32,
    pub reserved: u32,
    pub serve: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, path: davit_str, query: davit_str, page: *const davit_page) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_configurable_v1 {
    pub size: u32,
    pub reserved: u32,
    pub changed: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, config: davit_value) -> davit_code,
}

pub const DAVIT_STATE_BYTES_MAX: i32 = 67108864;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_state_v1 {
    pub size: u32,
    pub version: u32,
    pub oldest: u32,
    pub reserved: u32,
    pub write: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, out: *const davit_sink) -> davit_code,
    pub read: unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, version: u32, state: davit_str) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_controller {
    pub size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub destroy: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call)>,
    pub capability: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, id: davit_str) -> *const c_void>,
}

impl davit_controller {
    pub const fn new() -> Self {
        davit_controller {
            size: size_of::<Self>() as u32,
            reserved: 0,
            this: std::ptr::null_mut(),
            destroy: None,
            capability: None,
        }
    }
}

pub const DAVIT_FAILED: i32 = 0;
pub const DAVIT_STARTED: i32 = 1;
pub const DAVIT_SKIPPED: i32 = 2;

pub type davit_init_fn = unsafe extern "C" fn(call: *const davit_call, context: *const davit_context, out: *mut davit_controller) -> i32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_row {
    pub name: davit_str,
    pub init: davit_init_fn,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_plugin {
    pub size: u32,
    pub row_size: u32,
    pub rows: *const davit_row,
    pub row_count: usize,
}

impl davit_plugin {
    pub const fn new() -> Self {
        davit_plugin {
            size: size_of::<Self>() as u32,
            row_size: 0,
            rows: std::ptr::null(),
            row_count: 0,
        }
    }
}

pub type davit_plugin_v1_fn = unsafe extern "C" fn() -> *const davit_plugin;

pub const DAVIT_PLUGIN_SYMBOL: &str = "davit_plugin_v1";

pub const DAVIT_ABI_VERSION_TEXT: &str = "1.0";

pub const DAVIT_NOTE_SECTION: &str = ".note.davit";

pub const DAVIT_NOTE_OWNER: &str = "davit";

pub const DAVIT_NOTE_TYPE: u32 = 1;

// Constant tables of pointers to constants.
unsafe impl Sync for davit_plugin {}
unsafe impl Sync for davit_row {}

/// The size of each struct, for the test that compares them with C's.
pub const SIZES: &[(&str, usize)] = &[
    ("davit_str", size_of::<davit_str>()),
    ("davit_sink", size_of::<davit_sink>()),
    ("davit_call", size_of::<davit_call>()),
    ("davit_value", size_of::<davit_value>()),
    ("davit_member", size_of::<davit_member>()),
    ("davit_object_v1", size_of::<davit_object_v1>()),
    ("davit_event", size_of::<davit_event>()),
    ("davit_informer_options", size_of::<davit_informer_options>()),
    ("davit_list", size_of::<davit_list>()),
    ("davit_informer_v1", size_of::<davit_informer_v1>()),
    ("davit_sync_result", size_of::<davit_sync_result>()),
    ("davit_queue_options", size_of::<davit_queue_options>()),
    ("davit_queue_v1", size_of::<davit_queue_v1>()),
    ("davit_request", size_of::<davit_request>()),
    ("davit_response", size_of::<davit_response>()),
    ("davit_fan_out", size_of::<davit_fan_out>()),
    ("davit_client_v1", size_of::<davit_client_v1>()),
    ("davit_timer_options", size_of::<davit_timer_options>()),
    ("davit_timer_v1", size_of::<davit_timer_v1>()),
    ("davit_reference", size_of::<davit_reference>()),
    ("davit_event_v1", size_of::<davit_event_v1>()),
    ("davit_log_field", size_of::<davit_log_field>()),
    ("davit_log_v1", size_of::<davit_log_v1>()),
    ("davit_clock_v1", size_of::<davit_clock_v1>()),
    ("davit_random_v1", size_of::<davit_random_v1>()),
    ("davit_metric_options", size_of::<davit_metric_options>()),
    ("davit_metric_v1", size_of::<davit_metric_v1>()),
    ("davit_config_v1", size_of::<davit_config_v1>()),
    ("davit_freshness", size_of::<davit_freshness>()),
    ("davit_freshness_v1", size_of::<davit_freshness_v1>()),
    ("davit_served_resource", size_of::<davit_served_resource>()),
    ("davit_unknown_version", size_of::<davit_unknown_version>()),
    ("davit_catalog", size_of::<davit_catalog>()),
    ("davit_discovery_v1", size_of::<davit_discovery_v1>()),
    ("davit_index", size_of::<davit_index>()),
    ("davit_informer_options_v2", size_of::<davit_informer_options_v2>()),
    ("davit_informer_v2", size_of::<davit_informer_v2>()),
    ("davit_waker_v1", size_of::<davit_waker_v1>()),
    ("davit_http_header", size_of::<davit_http_header>()),
    ("davit_http_request", size_of::<davit_http_request>()),
    ("davit_http_response", size_of::<davit_http_response>()),
    ("davit_http_v1", size_of::<davit_http_v1>()),
    ("davit_error", size_of::<davit_error>()),
    ("davit_context", size_of::<davit_context>()),
    ("davit_health_v1", size_of::<davit_health_v1>()),
    ("davit_page", size_of::<davit_page>()),
    ("davit_debug_v1", size_of::<davit_debug_v1>()),
    ("davit_configurable_v1", size_of::<davit_configurable_v1>()),
    ("davit_state_v1", size_of::<davit_state_v1>()),
    ("davit_controller", size_of::<davit_controller>()),
    ("davit_row", size_of::<davit_row>()),
    ("davit_plugin", size_of::<davit_plugin>()),
];

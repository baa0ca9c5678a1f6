//! `<davit/cloud.h>` type by type, as `abi` has those of `<davit/abi.h>`. `sdk/tools/abi_rust.py` makes this module from it, and a
//! test fails when it is stale.
#![allow(non_camel_case_types, clippy::new_without_default)]

use crate::abi::*;
use std::ffi::c_void;
use std::mem::size_of;

pub const DAVIT_CALL_PROVIDER: i32 = 7;

pub const DAVIT_CLOUD_LOAD_BALANCERS: i32 = 1;
pub const DAVIT_CLOUD_INSTANCES: i32 = 2;
pub const DAVIT_CLOUD_ROUTES: i32 = 4;

pub const DAVIT_CLOUD_ANSWER_BYTES_MAX: i32 = 1048576;
pub const DAVIT_CLOUD_ROUTES_BYTES_MAX: i32 = 16777216;
pub const DAVIT_CLOUD_RETRY_AFTER_MS_MAX: i32 = 3600000;
pub const DAVIT_CLOUD_BUSY_MS: i32 = 1000;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_cloud_answer {
    pub size: u32,
    pub exists: i32,
    pub elsewhere: i32,
    pub reserved: u32,
    pub retry_after_ms: u64,
}

impl davit_cloud_answer {
    pub const fn new() -> Self {
        davit_cloud_answer {
            size: size_of::<Self>() as u32,
            exists: 0,
            elsewhere: 0,
            reserved: 0,
            retry_after_ms: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_load_balancers {
    pub size: u32,
    pub reserved: u32,
    pub get: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, service: davit_value, answer: *mut davit_cloud_answer, status: *const davit_sink) -> davit_code>,
    pub ensure: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, service: davit_value, nodes: *const davit_list, answer: *mut davit_cloud_answer, status: *const davit_sink) -> davit_code>,
    pub update: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, service: davit_value, nodes: *const davit_list, answer: *mut davit_cloud_answer) -> davit_code>,
    pub remove: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, service: davit_value, answer: *mut davit_cloud_answer) -> davit_code>,
}

impl davit_load_balancers {
    pub const fn new() -> Self {
        davit_load_balancers {
            size: size_of::<Self>() as u32,
            reserved: 0,
            get: None,
            ensure: None,
            update: None,
            remove: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_instances {
    pub size: u32,
    pub reserved: u32,
    pub exists: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer) -> davit_code>,
    pub shutdown: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer) -> davit_code>,
    pub metadata: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer, out: *const davit_sink) -> davit_code>,
}

impl davit_instances {
    pub const fn new() -> Self {
        davit_instances {
            size: size_of::<Self>() as u32,
            reserved: 0,
            exists: None,
            shutdown: None,
            metadata: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_routes {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, answer: *mut davit_cloud_answer, out: *const davit_sink) -> davit_code>,
    pub create: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, name_hint: davit_str, route: davit_str, answer: *mut davit_cloud_answer) -> davit_code>,
    pub remove: Option<unsafe extern "C" fn(this: *mut c_void, call: *const davit_call, cluster: davit_str, route: davit_str, answer: *mut davit_cloud_answer) -> davit_code>,
}

impl davit_routes {
    pub const fn new() -> Self {
        davit_routes {
            size: size_of::<Self>() as u32,
            reserved: 0,
            list: None,
            create: None,
            remove: None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_cloud_provider_v1 {
    pub size: u32,
    pub reserved: u32,
    pub load_balancers: *const davit_load_balancers,
    pub instances: *const davit_instances,
    pub routes: *const davit_routes,
    pub classes: davit_str,
    pub only_classes: i32,
    pub reserved_end: u32,
}

impl davit_cloud_provider_v1 {
    pub const fn new() -> Self {
        davit_cloud_provider_v1 {
            size: size_of::<Self>() as u32,
            reserved: 0,
            load_balancers: std::ptr::null(),
            instances: std::ptr::null(),
            routes: std::ptr::null(),
            classes: davit_str::new(),
            only_classes: 0,
            reserved_end: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_cloud_host_v1 {
    pub size: u32,
    pub reserved: u32,
    pub again: unsafe extern "C" fn(call: *const davit_call, part: u32, key: davit_str) -> davit_code,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_cloud_offer {
    pub size: u32,
    pub parts: u32,
    pub name: davit_str,
    pub generation: u64,
    pub is_ready: i32,
    pub reserved: u32,
    pub classes: davit_str,
    pub only_classes: i32,
    pub reserved_end: u32,
}

impl davit_cloud_offer {
    pub const fn new() -> Self {
        davit_cloud_offer {
            size: size_of::<Self>() as u32,
            parts: 0,
            name: davit_str::new(),
            generation: 0,
            is_ready: 0,
            reserved: 0,
            classes: davit_str::new(),
            only_classes: 0,
            reserved_end: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct davit_cloud_v1 {
    pub size: u32,
    pub reserved: u32,
    pub provider: unsafe extern "C" fn(call: *const davit_call, out: *mut davit_cloud_offer) -> davit_code,
    pub follow: unsafe extern "C" fn(call: *const davit_call, part: u32, queue: davit_handle) -> davit_code,
    pub get: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, service: davit_value, answer: *mut davit_cloud_answer, status: *const davit_sink) -> davit_code,
    pub ensure: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, service: davit_value, nodes: *const davit_list, answer: *mut davit_cloud_answer, status: *const davit_sink) -> davit_code,
    pub update: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, service: davit_value, nodes: *const davit_list, answer: *mut davit_cloud_answer) -> davit_code,
    pub remove: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, service: davit_value, answer: *mut davit_cloud_answer) -> davit_code,
    pub exists: unsafe extern "C" fn(call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer) -> davit_code,
    pub shutdown: unsafe extern "C" fn(call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer) -> davit_code,
    pub metadata: unsafe extern "C" fn(call: *const davit_call, node: davit_value, answer: *mut davit_cloud_answer, out: *const davit_sink) -> davit_code,
    pub list_routes: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, answer: *mut davit_cloud_answer, out: *const davit_sink) -> davit_code,
    pub create_route: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, name_hint: davit_str, route: davit_str, answer: *mut davit_cloud_answer) -> davit_code,
    pub remove_route: unsafe extern "C" fn(call: *const davit_call, cluster: davit_str, route: davit_str, answer: *mut davit_cloud_answer) -> davit_code,
}

/// The size of each struct, for the test that compares them with C's.
pub const SIZES: &[(&str, usize)] = &[
    ("davit_cloud_answer", size_of::<davit_cloud_answer>()),
    ("davit_load_balancers", size_of::<davit_load_balancers>()),
    ("davit_instances", size_of::<davit_instances>()),
    ("davit_routes", size_of::<davit_routes>()),
    ("davit_cloud_provider_v1", size_of::<davit_cloud_provider_v1>()),
    ("davit_cloud_host_v1", size_of::<davit_cloud_host_v1>()),
    ("davit_cloud_offer", size_of::<davit_cloud_offer>()),
    ("davit_cloud_v1", size_of::<davit_cloud_v1>()),
];

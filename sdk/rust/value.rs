//! Objects of the cluster, read where the host keeps them.
use crate::abi::*;
use crate::basics::{from_c, to_c, Key};
use crate::ctx::Ctx;
use std::ffi::c_void;

pub(crate) const ABSENT: davit_value = davit_value { object: std::ptr::null(), node: 0, mask: 0 };

/// A place in an object of the host's cache, read where it lies. Valid during the call in which it was obtained. What is not
/// there, and what the note does not declare, reads as absent.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    pub(crate) ctx: Ctx<'a>,
    pub(crate) raw: davit_value,
}

impl<'a> Value<'a> {
    fn object(&self) -> &davit_object_v1 {
        unsafe { &*self.ctx.tables.object }
    }
    /// One of `DAVIT_KIND_*` of abi.h.
    pub fn kind(&self) -> i32 {
        unsafe { (self.object().kind)(self.raw) }
    }
    pub fn is_absent(&self) -> bool {
        self.kind() == DAVIT_KIND_ABSENT
    }
    /// The member of an object.
    pub fn get(&self, key: &str) -> Value<'a> {
        let mut out = ABSENT;
        let code = unsafe { (self.object().lookup)(self.raw, to_c(key), &mut out) };
        self.ctx.wrap(if code == DAVIT_OK { out } else { ABSENT })
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
        raw.into_iter().map(|each| self.ctx.wrap(each)).collect()
    }
    /// The members of an object whose whole subtree the note declares.
    pub fn members(&self) -> Vec<(&'a str, Value<'a>)> {
        let count = unsafe { (self.object().count)(self.raw) };
        let mut raw = vec![davit_member { key: to_c(""), value: ABSENT }; count];
        let mut written = 0;
        unsafe { (self.object().members)(self.raw, 0, raw.as_mut_ptr(), count, &mut written) };
        raw.truncate(written);
        raw.into_iter().map(|each| (unsafe { from_c(each.key) }, self.ctx.wrap(each.value))).collect()
    }
    /// Compact JSON text; empty for what is absent or not declared as a whole.
    pub fn json(&self) -> String {
        unsafe extern "C" fn append(this: *mut c_void, chunk: davit_str) -> davit_code {
            (*this.cast::<String>()).push_str(from_c(chunk));
            DAVIT_OK
        }
        let mut out = String::new();
        let this = (&mut out as *mut String).cast();
        let sink = davit_sink { size: std::mem::size_of::<davit_sink>() as u32, reserved: 0, this, write: append };
        unsafe { (self.object().json)(self.raw, &sink) };
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

//! Objects of the cluster, read where the host keeps them.
use crate::abi::*;
use crate::callback::Sink;
use crate::json::{JsonWriter, ToJson};
use crate::text::{from_c, to_c, Key};
use crate::time::Time;
use std::cell::Cell;

/// Reads values, and remembers whether a read went outside the projection.
pub(crate) struct Reader {
    pub(crate) object: *const davit_object_v1, // Lives as long as this.
    pub(crate) undeclared: Cell<bool>,
}

impl Reader {
    pub(crate) fn new(object: *const davit_object_v1) -> Self {
        Reader { object, undeclared: Cell::new(false) }
    }
    fn read<T>(&self, code: davit_code, value: T) -> Option<T> {
        if code == DAVIT_UNDECLARED {
            self.undeclared.set(true);
        }
        Some(value).filter(|_| code == DAVIT_OK)
    }
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Absent,
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

/// A place in an object of the host's cache, read where it lies. It lives as long as the call in which it was obtained, and stays
/// on its thread. Reads are safe to chain: what is not there or of another kind reads as absent. So does what the note does not
/// declare, and the sync fails then.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    pub(crate) reader: &'a Reader,
    pub(crate) raw: davit_value,
}

impl<'a> Value<'a> {
    pub(crate) fn new(reader: &'a Reader, raw: davit_value) -> Self {
        Value { reader, raw }
    }
    fn object(&self) -> &'a davit_object_v1 {
        unsafe { &*self.reader.object }
    }
    fn absent(&self) -> Value<'a> {
        Value::new(self.reader, davit_value::new())
    }

    pub fn kind(&self) -> Kind {
        match unsafe { (self.object().kind)(self.raw) } {
            DAVIT_KIND_NULL => Kind::Null,
            DAVIT_KIND_BOOLEAN => Kind::Boolean,
            DAVIT_KIND_NUMBER => Kind::Number,
            DAVIT_KIND_STRING => Kind::String,
            DAVIT_KIND_ARRAY => Kind::Array,
            DAVIT_KIND_OBJECT => Kind::Object,
            _ => Kind::Absent,
        }
    }
    pub fn is_absent(&self) -> bool {
        self.kind() == Kind::Absent
    }
    /// The member of an object.
    pub fn get(&self, key: &str) -> Value<'a> {
        let mut out = davit_value::new();
        let code = unsafe { (self.object().lookup)(self.raw, to_c(key), &mut out) };
        self.reader.read(code, out).map_or(self.absent(), |found| Value::new(self.reader, found))
    }
    /// The value behind several members: `at(&["spec", "template", "spec"])`.
    pub fn at(&self, path: &[&str]) -> Value<'a> {
        path.iter().fold(*self, |value, key| value.get(key))
    }
    /// The text of a string.
    pub fn text(&self) -> Option<&'a str> {
        let mut out = davit_str::new();
        let code = unsafe { (self.object().string)(self.raw, &mut out) };
        self.reader.read(code, out).map(|text| unsafe { from_c(text) })
    }
    /// A number that is an integer within i64.
    pub fn integer(&self) -> Option<i64> {
        let mut out = 0;
        let code = unsafe { (self.object().integer)(self.raw, &mut out) };
        self.reader.read(code, out)
    }
    /// The text of a number, as the server wrote it.
    pub fn number_text(&self) -> Option<&'a str> {
        let mut out = davit_str::new();
        let code = unsafe { (self.object().number)(self.raw, &mut out) };
        self.reader.read(code, out).map(|text| unsafe { from_c(text) })
    }
    pub fn number(&self) -> Option<f64> {
        self.number_text().and_then(|text| text.parse().ok())
    }
    pub fn boolean(&self) -> Option<bool> {
        let mut out = 0;
        let code = unsafe { (self.object().boolean)(self.raw, &mut out) };
        self.reader.read(code, out).map(|found| found != 0)
    }
    /// A time such as metadata.creationTimestamp.
    pub fn time(&self) -> Option<Time> {
        self.text().and_then(Time::parse)
    }

    /// Number of elements or members.
    pub fn count(&self) -> usize {
        unsafe { (self.object().count)(self.raw) }
    }
    /// The element of an array, from 0.
    pub fn element(&self, index: usize) -> Value<'a> {
        let mut out = davit_value::new();
        let written = unsafe { (self.object().elements)(self.raw, index, &mut out, 1) };
        Value::new(self.reader, if written == 1 { out } else { davit_value::new() })
    }
    /// The elements of an array.
    pub fn elements(&self) -> Vec<Value<'a>> {
        let count = if self.kind() == Kind::Array { self.count() } else { 0 };
        let mut raw = vec![davit_value::new(); count];
        let written = unsafe { (self.object().elements)(self.raw, 0, raw.as_mut_ptr(), count) };
        raw.truncate(written);
        raw.into_iter().map(|each| Value::new(self.reader, each)).collect()
    }
    /// The members of an object whose whole subtree the note declares.
    pub fn members(&self) -> Vec<(&'a str, Value<'a>)> {
        let count = if self.kind() == Kind::Object { self.count() } else { 0 };
        let mut raw = vec![davit_member { key: davit_str::new(), value: davit_value::new() }; count];
        let mut written = 0;
        let code = unsafe { (self.object().members)(self.raw, 0, raw.as_mut_ptr(), count, &mut written) };
        raw.truncate(self.reader.read(code, written).unwrap_or(0));
        raw.into_iter().map(|each| (unsafe { from_c(each.key) }, Value::new(self.reader, each.value))).collect()
    }
    /// Compact JSON text; empty for what is absent or not declared as a whole.
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        let mut sink = Sink::new(|chunk: &[u8]| {
            out.extend_from_slice(chunk);
            Ok(())
        });
        let code = unsafe { (self.object().json)(self.raw, &sink.raw()) };
        drop(sink);
        self.reader.read(code, out).and_then(|json| String::from_utf8(json).ok()).unwrap_or_default()
    }
    /// Whether both are deeply equal, regardless of the order of members; two absent values are.
    pub fn equals(&self, other: Value<'_>) -> bool {
        let mut out = 0;
        let code = unsafe { (self.object().equal)(self.raw, other.raw, &mut out) };
        self.reader.read(code, out) == Some(1)
    }
    /// Equal for equal values, on every host: for annotations that say what was applied.
    pub fn hash(&self) -> Option<u64> {
        let mut out = 0;
        let code = unsafe { (self.object().hash)(self.raw, &mut out) };
        self.reader.read(code, out)
    }
}

/// The parts that every Kubernetes object has.
impl<'a> Value<'a> {
    pub fn metadata(&self) -> Value<'a> {
        self.get("metadata")
    }
    fn metadata_text(&self, name: &str) -> &'a str {
        self.metadata().get(name).text().unwrap_or("")
    }
    pub fn key(&self) -> Key {
        Key::new(self.metadata_text("namespace"), self.metadata_text("name"))
    }
    pub fn name(&self) -> &'a str {
        self.metadata_text("name")
    }
    pub fn ns(&self) -> &'a str {
        self.metadata_text("namespace")
    }
    pub fn uid(&self) -> &'a str {
        self.metadata_text("uid")
    }
    pub fn resource_version(&self) -> &'a str {
        self.metadata_text("resourceVersion")
    }
    /// metadata.generation; 0: the kind has none.
    pub fn generation(&self) -> i64 {
        self.metadata().get("generation").integer().unwrap_or(0)
    }
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.metadata().get("labels").get(key).text()
    }
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.metadata().get("annotations").get(key).text()
    }
    pub fn has_finalizer(&self, name: &str) -> bool {
        self.metadata().get("finalizers").elements().iter().any(|each| each.text() == Some(name))
    }
    pub fn is_being_deleted(&self) -> bool {
        self.metadata().get("deletionTimestamp").text().is_some()
    }
    /// The entry of metadata.ownerReferences with controller=true; absent: there is none.
    pub fn controller_reference(&self) -> Value<'a> {
        let owners = self.metadata().get("ownerReferences").elements();
        owners.into_iter().find(|each| each.get("controller").boolean() == Some(true)).unwrap_or_else(|| self.absent())
    }
    /// Whether the controller reference names the owner by UID and name, and the object is in the owner's namespace; a
    /// cluster-scoped owner may control objects of any. Any client that may write an object can put any reference into it, so the
    /// UID alone proves nothing.
    pub fn is_controlled_by(&self, owner: Value<'_>) -> bool {
        let reference = self.controller_reference();
        let names_owner =
            reference.get("uid").text() == Some(owner.uid()) && reference.get("name").text() == Some(owner.name());
        names_owner && (owner.ns().is_empty() || owner.ns() == self.ns())
    }
    /// The condition of this type in status.conditions; absent: there is none.
    pub fn condition(&self, kind: &str) -> Value<'a> {
        let conditions = self.get("status").get("conditions").elements();
        conditions.into_iter().find(|each| each.get("type").text() == Some(kind)).unwrap_or_else(|| self.absent())
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.json())
    }
}

impl ToJson for Value<'_> {
    fn write(&self, out: &mut JsonWriter) {
        let json = self.json();
        out.raw(if json.is_empty() { "null" } else { &json });
    }
}

//! Drafts: what a controller wants an object to be, as plain structs.
use super::json_equal::json_equal;
use super::{parse_duration, Quantity};
use crate::{JsonWriter, Resource, Time, ToJson, Value};
use std::collections::BTreeMap;

/// The way in which a member of a draft is compared with the live object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As its type says; a list has the same elements in the same order.
    Field,
    /// A list whose elements have keys: in any order.
    Keyed,
    /// A list that others write, too.
    Among,
    /// The members of an object that the schema has no names for.
    Others,
}

/// A part of a draft.
pub trait DraftField {
    fn write(&self, out: &mut JsonWriter);
    /// Whether the live value has everything that this sets.
    fn follows(&self, live: Value<'_>) -> bool;
    /// The same for a list in any order, of which the live one has `rest` elements more or not.
    fn follows_in_any_order(&self, live: Value<'_>, _others: bool) -> bool {
        self.follows(live)
    }
    /// Writes the members alone, without the braces.
    fn write_members(&self, _out: &mut JsonWriter) {}
    /// Whether it is no more than its type's zero value, which a server may leave out.
    fn is_zero(&self) -> bool {
        false
    }
}

/// A struct of a draft; `draft!` declares them.
pub trait Fields {
    /// Calls `visit` for each member that is set.
    fn each_field(&self, visit: &mut dyn FnMut(Mode, &str, &dyn DraftField));

    fn write_fields(&self, out: &mut JsonWriter) {
        self.each_field(&mut |mode, name, field| {
            if mode == Mode::Others {
                field.write_members(out);
            } else {
                field.write(out.key(name));
            }
        });
    }
    fn follows_fields(&self, live: Value<'_>) -> bool {
        let mut follows = true;
        self.each_field(&mut |mode, name, field| {
            follows = follows
                && match mode {
                    Mode::Field => field_follows(field, live.get(name)),
                    Mode::Keyed => field.follows_in_any_order(live.get(name), false),
                    Mode::Among => field.follows_in_any_order(live.get(name), true),
                    Mode::Others => field.follows(live),
                };
        });
        follows
    }
}

fn field_follows(field: &dyn DraftField, live: Value<'_>) -> bool {
    field.follows(live) || (live.is_absent() && field.is_zero())
}

/// Whether the live value has everything that the draft sets. Lists must have the same elements, with keys
/// (x-kubernetes-list-type: map) in any order; maps, and finalizers and owners, may have more. Quantities, times and durations compare
/// by value, and `false`, 0 and "" equal absence, since servers leave them out. Members that the draft does not set are not compared.
pub fn follows(live: Value<'_>, wanted: &dyn DraftField) -> bool {
    wanted.follows(live)
}

/// The JSON text of a draft: of a whole object with apiVersion and kind, of a part without.
pub fn json_of(wanted: &dyn DraftField) -> String {
    let mut out = JsonWriter::default();
    wanted.write(&mut out);
    out.into_text()
}

/// The draft of a whole object.
pub trait KindDraft: Fields + DraftField {
    fn resource(&self) -> Resource;
    fn metadata(&self) -> &Metadata;
}

impl DraftField for String {
    fn write(&self, out: &mut JsonWriter) {
        out.string(self);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        live.text() == Some(self)
    }
    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}
impl DraftField for i64 {
    fn write(&self, out: &mut JsonWriter) {
        out.integer(*self);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        live.integer() == Some(*self)
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
}
impl DraftField for bool {
    fn write(&self, out: &mut JsonWriter) {
        out.boolean(*self);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        live.boolean() == Some(*self)
    }
    fn is_zero(&self) -> bool {
        !*self
    }
}
impl DraftField for f64 {
    fn write(&self, out: &mut JsonWriter) {
        out.number(*self);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        live.number() == Some(*self)
    }
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}
/// Whole seconds.
impl DraftField for Time {
    fn write(&self, out: &mut JsonWriter) {
        out.string(&self.to_string());
    }
    fn follows(&self, live: Value<'_>) -> bool {
        live.time() == Some(Time { nanos: 0, ..*self })
    }
}
impl<T: DraftField + ?Sized> DraftField for Box<T> {
    fn write(&self, out: &mut JsonWriter) {
        (**self).write(out);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        (**self).follows(live)
    }
}
impl<T: DraftField> DraftField for Vec<T> {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_array();
        for each in self {
            each.write(out);
        }
        out.end_array();
    }
    fn follows(&self, live: Value<'_>) -> bool {
        let live = live.elements();
        live.len() == self.len() && self.iter().zip(live).all(|(wanted, live)| wanted.follows(live))
    }
    fn follows_in_any_order(&self, live: Value<'_>, others: bool) -> bool {
        let live = live.elements();
        (others || live.len() == self.len()) && self.iter().all(|wanted| live.iter().any(|each| wanted.follows(*each)))
    }
}
impl<T: DraftField> DraftField for BTreeMap<String, T> {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_object();
        self.write_members(out);
        out.end_object();
    }
    fn write_members(&self, out: &mut JsonWriter) {
        for (key, value) in self {
            value.write(out.key(key));
        }
    }
    fn follows(&self, live: Value<'_>) -> bool {
        self.iter().all(|(key, wanted)| wanted.follows(live.get(key)))
    }
}

/// Texts with a meaning of their own: `QuantityText`, `WantedDuration`, `Raw`.
macro_rules! texts {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name(pub String);
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_string())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }
    )*};
}
texts! {
    /// A quantity in its text form: "500m", "1Gi". Compared by value.
    QuantityText;
    /// A duration as Go writes it: "1m30s". Compared by value.
    WantedDuration;
    /// Any JSON value, as text that is written as it is.
    Raw;
}

impl From<Value<'_>> for Raw {
    fn from(value: Value<'_>) -> Self {
        Raw(if value.is_absent() { "null".to_string() } else { value.json() })
    }
}
impl DraftField for QuantityText {
    fn write(&self, out: &mut JsonWriter) {
        out.string(&self.0);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        let wanted = Quantity::parse(&self.0);
        wanted.is_some() && wanted == <Quantity as super::Read>::read(live)
    }
}
impl DraftField for WantedDuration {
    fn write(&self, out: &mut JsonWriter) {
        out.string(&self.0);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        let wanted = parse_duration(&self.0);
        wanted.is_some() && wanted == live.text().and_then(parse_duration)
    }
}
impl DraftField for Raw {
    fn write(&self, out: &mut JsonWriter) {
        out.raw(&self.0);
    }
    fn follows(&self, live: Value<'_>) -> bool {
        json_equal(&self.0, live)
    }
}
/// JSON text as it is, in `json!` for example.
impl ToJson for Raw {
    fn write(&self, out: &mut JsonWriter) {
        out.raw(&self.0);
    }
}

/// An integer or a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntOrString {
    Integer(i64),
    Text(String),
}
impl From<i64> for IntOrString {
    fn from(number: i64) -> Self {
        IntOrString::Integer(number)
    }
}
impl From<i32> for IntOrString {
    fn from(number: i32) -> Self {
        IntOrString::Integer(number.into())
    }
}
impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        IntOrString::Text(text.to_string())
    }
}
impl From<String> for IntOrString {
    fn from(text: String) -> Self {
        IntOrString::Text(text)
    }
}
impl DraftField for IntOrString {
    fn write(&self, out: &mut JsonWriter) {
        match self {
            IntOrString::Integer(number) => out.integer(*number),
            IntOrString::Text(text) => out.string(text),
        };
    }
    fn follows(&self, live: Value<'_>) -> bool {
        match self {
            IntOrString::Integer(number) => live.integer() == Some(*number),
            IntOrString::Text(text) => live.text() == Some(text),
        }
    }
}

/// Declares drafts of parts: `draft! { /// … pub struct PortDraft { Field name: String = "name", … } }`. Each member has a function of
/// its name that sets it and returns the draft. With `for KIND` behind its name it is the draft of a whole object.
#[macro_export]
macro_rules! draft {
    ($($(#[$about:meta])* pub struct $name:ident $(for $view:ident)? {
        $($(#[$doc:meta])* $mode:ident $member:ident: $type:ty = $json:literal,)*
    })*) => {$(
        $crate::draft_struct!([$(#[$about])*] $name [$($view)?] $($(#[$doc])* $mode $member: $type = $json,)*);
        impl $name {
            pub fn new() -> Self {
                ::std::default::Default::default()
            }
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $member(mut self, value: impl ::std::convert::Into<$type>) -> Self {
                    self.$member = ::std::option::Option::Some(value.into());
                    self
                }
            )*
        }
    )*};
}
#[doc(hidden)]
#[macro_export]
macro_rules! draft_struct {
    ([$($about:tt)*] $name:ident [] $($(#[$doc:meta])* $mode:ident $member:ident: $type:ty = $json:literal,)*) => {
        $($about)*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $member: ::std::option::Option<$type>,)*
        }
        impl $crate::typed::Fields for $name {
            fn each_field(&self, _visit: &mut dyn FnMut($crate::typed::Mode, &str, &dyn $crate::typed::DraftField)) {
                $(if let ::std::option::Option::Some(field) = &self.$member {
                    _visit($crate::typed::Mode::$mode, $json, field);
                })*
            }
        }
        impl $crate::typed::DraftField for $name {
            fn write(&self, out: &mut $crate::JsonWriter) {
                out.begin_object();
                $crate::typed::Fields::write_fields(self, out);
                out.end_object();
            }
            /// An absent part follows no draft of it, not even an empty one.
            fn follows(&self, live: $crate::Value<'_>) -> bool {
                live.kind() == $crate::Kind::Object && $crate::typed::Fields::follows_fields(self, live)
            }
        }
    };
    ([$($about:tt)*] $name:ident [$view:ident] $($(#[$doc:meta])* $mode:ident $member:ident: $type:ty = $json:literal,)*) => {
        $($about)*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            pub metadata: $crate::typed::Metadata,
            $($(#[$doc])* pub $member: ::std::option::Option<$type>,)*
        }
        impl $name {
            /// `ns` is empty for objects of the cluster.
            pub fn named(ns: &str, name: &str) -> Self {
                $name { metadata: $crate::typed::Metadata::named(ns, name), ..$name::new() }
            }
            #[must_use]
            pub fn metadata(mut self, metadata: $crate::typed::Metadata) -> Self {
                self.metadata = metadata;
                self
            }
        }
        impl $crate::typed::Fields for $name {
            fn each_field(&self, visit: &mut dyn FnMut($crate::typed::Mode, &str, &dyn $crate::typed::DraftField)) {
                visit($crate::typed::Mode::Field, "metadata", &self.metadata);
                $(if let ::std::option::Option::Some(field) = &self.$member {
                    visit($crate::typed::Mode::$mode, $json, field);
                })*
            }
        }
        impl $crate::typed::DraftField for $name {
            fn write(&self, out: &mut $crate::JsonWriter) {
                out.begin_object().member("apiVersion", &$view::RESOURCE.api_version()).member("kind", $view::RESOURCE.kind);
                $crate::typed::Fields::write_fields(self, out);
                out.end_object();
            }
            fn follows(&self, live: $crate::Value<'_>) -> bool {
                $crate::typed::Fields::follows_fields(self, live)
            }
        }
        impl $crate::typed::KindDraft for $name {
            fn resource(&self) -> $crate::Resource {
                $view::RESOURCE
            }
            fn metadata(&self) -> &$crate::typed::Metadata {
                &self.metadata
            }
        }
    };
}

crate::draft! {
    /// One entry of metadata.ownerReferences.
    pub struct Owner {
        Field api_version: String = "apiVersion",
        Field kind: String = "kind",
        Field name: String = "name",
        Field uid: String = "uid",
        Field controller: bool = "controller",
        Field block_owner_deletion: bool = "blockOwnerDeletion",
    }
    /// The metadata that controllers write. Labels, annotations, owners and finalizers of others stay.
    pub struct Metadata {
        Field name: String = "name",
        Field generate_name: String = "generateName",
        Field ns: String = "namespace",
        Field labels: BTreeMap<String, String> = "labels",
        Field annotations: BTreeMap<String, String> = "annotations",
        Among owners: Vec<Owner> = "ownerReferences",
        Among finalizers: Vec<String> = "finalizers",
    }
}

impl Owner {
    /// Makes `object` the controller.
    pub fn controlled_by(resource: &Resource, object: Value<'_>) -> Self {
        Owner::new()
            .api_version(resource.api_version())
            .kind(resource.kind)
            .name(object.name())
            .uid(object.uid())
            .controller(true)
            .block_owner_deletion(true)
    }
}

impl Metadata {
    /// `ns` is empty for objects of the cluster.
    pub fn named(ns: &str, name: &str) -> Self {
        let out = Metadata::new().name(name);
        if ns.is_empty() {
            return out;
        }
        out.ns(ns)
    }
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.get_or_insert_with(BTreeMap::new).insert(key.to_string(), value.to_string());
        self
    }
    #[must_use]
    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.annotations.get_or_insert_with(BTreeMap::new).insert(key.to_string(), value.to_string());
        self
    }
    #[must_use]
    pub fn owner(mut self, owner: Owner) -> Self {
        self.owners.get_or_insert_with(Vec::new).push(owner);
        self
    }
}

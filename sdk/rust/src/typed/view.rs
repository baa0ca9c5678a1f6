//! Views: live objects with the names and types of their schema.
use super::{parse_duration, Quantity};
use crate::{Kind, Time, Value};
use std::marker::PhantomData;
use std::time::Duration;

/// Types that a value is read as.
pub trait Read<'a>: Sized {
    /// Nothing if the value is absent or of another type. Views of objects and lists are always there, and empty then.
    fn read(value: Value<'a>) -> Option<Self>;
}

impl<'a> Read<'a> for Value<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        Some(value)
    }
}
impl<'a> Read<'a> for &'a str {
    fn read(value: Value<'a>) -> Option<Self> {
        value.text()
    }
}
impl Read<'_> for i64 {
    fn read(value: Value<'_>) -> Option<Self> {
        value.integer()
    }
}
impl Read<'_> for f64 {
    fn read(value: Value<'_>) -> Option<Self> {
        value.number()
    }
}
impl Read<'_> for bool {
    fn read(value: Value<'_>) -> Option<Self> {
        value.boolean()
    }
}
impl Read<'_> for Time {
    fn read(value: Value<'_>) -> Option<Self> {
        value.time()
    }
}
impl Read<'_> for Duration {
    fn read(value: Value<'_>) -> Option<Self> {
        parse_duration(value.text()?)
    }
}
impl Read<'_> for Quantity {
    fn read(value: Value<'_>) -> Option<Self> {
        Quantity::parse(if value.kind() == Kind::Number { value.number_text()? } else { value.text()? })
    }
}

/// The member `name` of an object, or `fallback` if there is none of its type.
pub fn or<'a, T: Read<'a>>(object: Value<'a>, name: &str, fallback: T) -> T {
    T::read(object.get(name)).unwrap_or(fallback)
}

/// The member `name` of an object; nothing if there is none of its type.
pub fn get<'a, T: Read<'a>>(object: Value<'a>, name: &str) -> Option<T> {
    T::read(object.get(name))
}

/// Types that are always there, and empty where the object lacks them.
pub trait Part<'a>: Read<'a> {
    fn of(raw: Value<'a>) -> Self;
}

/// The member `name` of an object, maybe empty.
pub fn part<'a, T: Part<'a>>(object: Value<'a>, name: &str) -> T {
    T::of(object.get(name))
}

/// A JSON array whose elements are read as `T`; those of another type are left out. Empty for everything else.
#[derive(Clone, Copy, Debug)]
pub struct List<'a, T> {
    raw: Value<'a>,
    element: PhantomData<T>,
}

impl<'a, T: Read<'a>> List<'a, T> {
    pub fn iter(&self) -> impl Iterator<Item = T> + 'a
    where
        T: 'a,
    {
        self.raw.elements().into_iter().filter_map(T::read)
    }
    pub fn len(&self) -> usize {
        if self.raw.kind() == Kind::Array {
            self.raw.count()
        } else {
            0
        }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// With elements of every type.
    pub fn raw(&self) -> Value<'a> {
        self.raw
    }
}
impl<'a, T: Read<'a>> Part<'a> for List<'a, T> {
    fn of(raw: Value<'a>) -> Self {
        List { raw, element: PhantomData }
    }
}
impl<'a, T: Read<'a>> Read<'a> for List<'a, T> {
    fn read(raw: Value<'a>) -> Option<Self> {
        Some(Self::of(raw))
    }
}

/// A JSON object with keys that are data. Empty for everything else.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a, T> {
    raw: Value<'a>,
    element: PhantomData<T>,
}

impl<'a, T: Read<'a>> Map<'a, T> {
    pub fn get(&self, key: &str) -> Option<T> {
        let value = self.raw.get(key);
        if value.is_absent() {
            return None;
        }
        T::read(value)
    }
    /// In document order; values of another type are left out.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, T)> + 'a
    where
        T: 'a,
    {
        self.raw.members().into_iter().filter_map(|(key, value)| Some((key, T::read(value)?)))
    }
    pub fn raw(&self) -> Value<'a> {
        self.raw
    }
}
impl<'a, T: Read<'a>> Part<'a> for Map<'a, T> {
    fn of(raw: Value<'a>) -> Self {
        Map { raw, element: PhantomData }
    }
}
impl<'a, T: Read<'a>> Read<'a> for Map<'a, T> {
    fn read(raw: Value<'a>) -> Option<Self> {
        Some(Self::of(raw))
    }
}

/// Declares views: `view! { /// … pub struct WebAppSpec; }`.
#[macro_export]
macro_rules! view {
    ($($(#[$about:meta])* pub struct $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a> {
            raw: $crate::Value<'a>,
        }
        impl<'a> $name<'a> {
            pub fn new(raw: $crate::Value<'a>) -> Self {
                $name { raw }
            }
            /// The part itself, with members that the schema does not have.
            pub fn raw(&self) -> $crate::Value<'a> {
                self.raw
            }
            /// Whether the object has this part.
            pub fn is_there(&self) -> bool {
                !self.raw.is_absent()
            }
        }
        impl<'a> $crate::typed::Part<'a> for $name<'a> {
            fn of(raw: $crate::Value<'a>) -> Self {
                $name { raw }
            }
        }
        impl<'a> $crate::typed::Read<'a> for $name<'a> {
            fn read(raw: $crate::Value<'a>) -> ::std::option::Option<Self> {
                ::std::option::Option::Some($name { raw })
            }
        }
        /// Name, labels and the like of a whole object.
        impl<'a> ::std::ops::Deref for $name<'a> {
            type Target = $crate::Value<'a>;
            fn deref(&self) -> &$crate::Value<'a> {
                &self.raw
            }
        }
    )*};
}

crate::view! {
    /// A value that is an integer or a string: a port by number or name, a count or percentage.
    pub struct IntOrStringView;
    /// Metadata of a template: labels and annotations for objects made from it.
    pub struct MetadataView;
}

impl<'a> IntOrStringView<'a> {
    pub fn integer(&self) -> Option<i64> {
        self.raw.integer()
    }
    pub fn text(&self) -> Option<&'a str> {
        self.raw.text()
    }
}

impl<'a> MetadataView<'a> {
    pub fn name(&self) -> &'a str {
        or(self.raw, "name", "")
    }
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.raw.get("labels").get(key).text()
    }
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.raw.get("annotations").get(key).text()
    }
}

/// Declares an enum of texts, with `Unrecognized` for those that the schema does not list.
#[macro_export]
macro_rules! text_enum {
    ($(#[$about:meta])* pub enum $name:ident { $($value:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            /// A text that the schema does not list.
            Unrecognized,
            $(#[doc = $text] $value,)+
        }
        impl $name {
            /// "" for `Unrecognized`.
            pub fn text(self) -> &'static str {
                match self {
                    $name::Unrecognized => "",
                    $($name::$value => $text,)+
                }
            }
            pub fn parse(text: &str) -> Self {
                match text {
                    $($text => $name::$value,)+
                    _ => $name::Unrecognized,
                }
            }
        }
        impl $crate::typed::Read<'_> for $name {
            fn read(value: $crate::Value<'_>) -> ::std::option::Option<Self> {
                if value.is_absent() {
                    return ::std::option::Option::None;
                }
                ::std::option::Option::Some(value.text().map_or($name::Unrecognized, $name::parse))
            }
        }
        impl $crate::typed::DraftField for $name {
            fn write(&self, out: &mut $crate::JsonWriter) {
                out.string(self.text());
            }
            fn follows(&self, live: $crate::Value<'_>) -> bool {
                live.text().unwrap_or("") == self.text()
            }
        }
    };
}

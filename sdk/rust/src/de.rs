//! Feature `serde`: values as types that implement `Deserialize`.
use crate::abi::DAVIT_INVALID;
use crate::{Error, Kind, Result, Value};
use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

impl<'de> Value<'de> {
    /// The value as a `T`, whose texts may be borrowed from the host's object. A struct reads the members that it has fields for and no
    /// others, so that a projection need not declare more.
    pub fn deserialize<T: Deserialize<'de>>(&self) -> Result<T> {
        T::deserialize(Place(*self))
    }
}

impl serde::de::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Error::new(DAVIT_INVALID, message.to_string())
    }
}

struct Place<'de>(Value<'de>);

impl<'de> IntoDeserializer<'de, Error> for Place<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Place<'de> {
    fn visit_number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(number) = self.0.integer() {
            return visitor.visit_i64(number);
        }
        match self.0.number_text().map(str::parse::<u64>) {
            Some(Ok(number)) => visitor.visit_u64(number),
            _ => visitor.visit_f64(self.0.number().unwrap_or(f64::NAN)),
        }
    }
}

impl<'de> Deserializer<'de> for Place<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.kind() {
            Kind::Absent | Kind::Null => visitor.visit_unit(),
            Kind::Boolean => visitor.visit_bool(self.0.boolean() == Some(true)),
            Kind::Number => self.visit_number(visitor),
            Kind::String => visitor.visit_borrowed_str(self.0.text().unwrap_or("")),
            Kind::Array => visitor.visit_seq(SeqDeserializer::new(self.0.elements().into_iter().map(Place))),
            Kind::Object => {
                let members = self.0.members().into_iter().map(|(key, value)| (key, Place(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
        }
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if self.0.kind() != Kind::Object {
            return self.deserialize_any(visitor);
        }
        let value = self.0;
        let members = fields.iter().map(|field| (*field, value.get(field))).filter(|(_, member)| !member.is_absent());
        visitor.visit_map(MapDeserializer::new(members.map(|(field, member)| (field, Place(member)))))
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.kind() {
            Kind::Absent | Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }
    /// A unit variant is its name; others are an object with one member.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(text) = self.0.text() {
            return visitor.visit_enum(text.into_deserializer());
        }
        let members = self.0.members().into_iter().map(|(key, value)| (key, Place(value)));
        visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(members)))
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

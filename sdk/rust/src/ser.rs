//! Feature `serde`: JSON of types that implement `Serialize`.
use crate::abi::DAVIT_INVALID;
use crate::{Error, JsonWriter, Result};
use serde::ser::{self, Impossible, Serialize, Serializer};

/// JSON text of a value, for the body of a request: `Request::create(&PODS, "default", to_json(&pod)?)`. An error for what JSON
/// has no form for: a key of a map that is neither a text, a number nor a boolean, or a number that is not finite.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let mut out = JsonWriter::default();
    value.serialize(Json { out: &mut out })?;
    Ok(out.into_text())
}

impl ser::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Error::new(DAVIT_INVALID, message.to_string())
    }
}

struct Json<'a> {
    out: &'a mut JsonWriter,
}

/// An array or object that is being written, maybe as the one member of the object that stands for a variant of an enum.
struct Nested<'a> {
    out: &'a mut JsonWriter,
    is_object: bool,
    is_variant: bool,
}

impl<'a> Json<'a> {
    fn array(self) -> Result<Nested<'a>> {
        self.out.begin_array();
        Ok(Nested { out: self.out, is_object: false, is_variant: false })
    }
    fn object(self) -> Result<Nested<'a>> {
        self.out.begin_object();
        Ok(Nested { out: self.out, is_object: true, is_variant: false })
    }
    fn variant(self, name: &str) -> Json<'a> {
        self.out.begin_object().key(name);
        self
    }
    fn text(self, text: &str) -> Result<()> {
        self.out.string(text);
        Ok(())
    }
    fn raw(self, number: impl ToString) -> Result<()> {
        self.out.raw(&number.to_string());
        Ok(())
    }
}

impl Nested<'_> {
    fn of_variant(mut self) -> Self {
        self.is_variant = true;
        self
    }
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Json { out: self.out })
    }
    fn finish(self) -> Result<()> {
        if self.is_object {
            self.out.end_object();
        } else {
            self.out.end_array();
        }
        if self.is_variant {
            self.out.end_object();
        }
        Ok(())
    }
}

macro_rules! numbers {
    ($($name:ident $kind:ty,)*) => {$(
        fn $name(self, value: $kind) -> Result<()> {
            self.raw(value)
        }
    )*};
}

impl<'a> Serializer for Json<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Nested<'a>;
    type SerializeTuple = Nested<'a>;
    type SerializeTupleStruct = Nested<'a>;
    type SerializeTupleVariant = Nested<'a>;
    type SerializeMap = Nested<'a>;
    type SerializeStruct = Nested<'a>;
    type SerializeStructVariant = Nested<'a>;

    numbers! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128,
    }
    fn serialize_f32(self, value: f32) -> Result<()> {
        if !value.is_finite() {
            return Err(ser::Error::custom("JSON has no number for what is not finite"));
        }
        self.raw(value)
    }
    fn serialize_f64(self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(ser::Error::custom("JSON has no number for what is not finite"));
        }
        self.raw(value)
    }
    fn serialize_char(self, value: char) -> Result<()> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        let mut array = self.array()?;
        for each in value {
            array.value(each)?;
        }
        array.finish()
    }
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<()> {
        self.out.null();
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.text(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let json = self.variant(variant);
        value.serialize(Json { out: json.out })?;
        json.out.end_object();
        Ok(())
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Nested<'a>> {
        self.array()
    }
    fn serialize_tuple(self, _: usize) -> Result<Nested<'a>> {
        self.array()
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Nested<'a>> {
        self.array()
    }
    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Nested<'a>> {
        self.variant(variant).array().map(Nested::of_variant)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Nested<'a>> {
        self.object()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Nested<'a>> {
        self.object()
    }
    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Nested<'a>> {
        self.variant(variant).object().map(Nested::of_variant)
    }
}

macro_rules! elements {
    ($($kind:ident $function:ident;)*) => {$(
        impl ser::$kind for Nested<'_> {
            type Ok = ();
            type Error = Error;
            fn $function<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.value(value)
            }
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}
elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}
macro_rules! members {
    ($($kind:ident)*) => {$(
        impl ser::$kind for Nested<'_> {
            type Ok = ();
            type Error = Error;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
                self.out.key(key);
                self.value(value)
            }
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}
members! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Nested<'_> {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let key = key.serialize(KeyText)?;
        self.out.key(&key);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value)
    }
    fn end(self) -> Result<()> {
        self.finish()
    }
}

/// The name of a member.
struct KeyText;

fn no_key<T>() -> Result<T> {
    Err(ser::Error::custom("a key of a map is neither a text, a number nor a boolean"))
}

macro_rules! key_texts {
    ($($name:ident $kind:ty,)*) => {$(
        fn $name(self, value: $kind) -> Result<String> {
            Ok(value.to_string())
        }
    )*};
}

impl Serializer for KeyText {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Impossible<String, Error>;
    type SerializeTuple = Impossible<String, Error>;
    type SerializeTupleStruct = Impossible<String, Error>;
    type SerializeTupleVariant = Impossible<String, Error>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Impossible<String, Error>;
    type SerializeStructVariant = Impossible<String, Error>;

    key_texts! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128, serialize_char char,
        serialize_str &str,
    }
    fn serialize_f32(self, _: f32) -> Result<String> {
        no_key()
    }
    fn serialize_f64(self, _: f64) -> Result<String> {
        no_key()
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<String> {
        no_key()
    }
    fn serialize_none(self) -> Result<String> {
        no_key()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<String> {
        no_key()
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<String> {
        no_key()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<String> {
        Ok(variant.to_string())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<String> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String> {
        no_key()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        no_key()
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        no_key()
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct> {
        no_key()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        no_key()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        no_key()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        no_key()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        no_key()
    }
}

//! JSON text for requests and states.
use std::collections::BTreeMap;

/// Writes JSON text. What is begun is ended by whichever function began it.
#[derive(Debug, Default)]
pub struct JsonWriter {
    text: String,
}

impl JsonWriter {
    pub fn begin_object(&mut self) -> &mut Self {
        self.value("{")
    }
    pub fn end_object(&mut self) -> &mut Self {
        self.text.push('}');
        self
    }
    pub fn begin_array(&mut self) -> &mut Self {
        self.value("[")
    }
    pub fn end_array(&mut self) -> &mut Self {
        self.text.push(']');
        self
    }
    /// The name of the member whose value comes next.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.text.push(':');
        self
    }
    pub fn member<T: ToJson + ?Sized>(&mut self, name: &str, value: &T) -> &mut Self {
        value.write(self.key(name));
        self
    }
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.value("\"");
        for each in text.chars() {
            match each {
                '"' | '\\' => self.text.extend(['\\', each]),
                _ if each < ' ' => self.text.push_str(&format!("\\u{:04x}", each as u32)),
                _ => self.text.push(each),
            }
        }
        self.text.push('"');
        self
    }
    pub fn integer(&mut self, number: i64) -> &mut Self {
        self.value(&number.to_string())
    }
    /// `null` for what JSON has no number for.
    pub fn number(&mut self, number: f64) -> &mut Self {
        self.value(&if number.is_finite() { number.to_string() } else { "null".to_string() })
    }
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.value(if value { "true" } else { "false" })
    }
    pub fn null(&mut self) -> &mut Self {
        self.value("null")
    }
    /// JSON text as it is.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.value(json)
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn into_text(self) -> String {
        self.text
    }

    fn value(&mut self, begin: &str) -> &mut Self {
        if !self.text.is_empty() && !self.text.ends_with(&['{', '[', ':'][..]) {
            self.text.push(',');
        }
        self.text.push_str(begin);
        self
    }
}

/// Values that have a JSON form. Absent ones, such as `None`, are `null`.
pub trait ToJson {
    fn write(&self, out: &mut JsonWriter);
}

impl ToJson for str {
    fn write(&self, out: &mut JsonWriter) {
        out.string(self);
    }
}
impl ToJson for String {
    fn write(&self, out: &mut JsonWriter) {
        out.string(self);
    }
}
impl ToJson for bool {
    fn write(&self, out: &mut JsonWriter) {
        out.boolean(*self);
    }
}
impl ToJson for f64 {
    fn write(&self, out: &mut JsonWriter) {
        out.number(*self);
    }
}
macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl ToJson for $kind {
            fn write(&self, out: &mut JsonWriter) {
                out.raw(&self.to_string());
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64, isize, usize);

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write(&self, out: &mut JsonWriter) {
        (**self).write(out);
    }
}
impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, out: &mut JsonWriter) {
        match self {
            Some(value) => value.write(out),
            None => {
                out.null();
            }
        }
    }
}
impl<T: ToJson> ToJson for [T] {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_array();
        for each in self {
            each.write(out);
        }
        out.end_array();
    }
}
impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, out: &mut JsonWriter) {
        self.as_slice().write(out);
    }
}
impl<K: AsRef<str>, T: ToJson> ToJson for BTreeMap<K, T> {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_object();
        for (key, value) in self {
            out.member(key.as_ref(), value);
        }
        out.end_object();
    }
}

/// JSON text, as a `String`: `json!({"metadata": {"labels": {KEY: "yes"}}, "data": [1, (n + 1)], "old": null})`. Keys and values are
/// literals, names, or expressions in parentheses; a value is any [`ToJson`], with its text escaped.
#[macro_export]
macro_rules! json {
    ($value:tt) => {{
        let mut out = $crate::JsonWriter::default();
        $crate::json_value!(out, $value);
        out.into_text()
    }};
}
#[doc(hidden)]
#[macro_export]
macro_rules! json_value {
    ($out:ident, { $($key:tt : $value:tt),* $(,)? }) => {{
        $out.begin_object();
        $(
            $out.key(::std::convert::AsRef::<str>::as_ref(&$key));
            $crate::json_value!($out, $value);
        )*
        $out.end_object();
    }};
    ($out:ident, [ $($value:tt),* $(,)? ]) => {{
        $out.begin_array();
        $($crate::json_value!($out, $value);)*
        $out.end_array();
    }};
    ($out:ident, null) => {{
        $out.null();
    }};
    ($out:ident, $value:expr) => {{
        $crate::ToJson::write(&$value, &mut $out);
    }};
}

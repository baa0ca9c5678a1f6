//! Errors, keys, resources.
use crate::abi::*;
use std::time::Duration;

pub(crate) fn to_c(text: &str) -> davit_str {
    davit_str { data: text.as_ptr(), size: text.len() }
}

/// The host gives out UTF-8 that lives at least as long as the call in progress.
pub(crate) unsafe fn from_c<'a>(text: davit_str) -> &'a str {
    if text.size == 0 {
        return "";
    }
    std::str::from_utf8(std::slice::from_raw_parts(text.data, text.size)).unwrap_or("")
}

/// What went wrong: one of `abi::DAVIT_*` but `DAVIT_OK`, and words for people.
#[derive(Debug, Clone, Default)]
pub struct Error {
    pub code: i32,
    pub message: String,
    /// Of the server: "AlreadyExists"; may be empty.
    pub reason: String,
    /// The reasons in details.causes of the server: "NamespaceTerminating".
    pub causes: Vec<String>,
    /// What the server asked for; zero: nothing.
    pub retry_after: Duration,
}

impl Error {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), ..Error::default() }
    }
    /// No such object: for a write, somebody has deleted it meanwhile.
    pub fn is_not_found(&self) -> bool {
        self.code == DAVIT_NOT_FOUND
    }
}

pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn checked(code: i32, what: &str) -> Result<()> {
    if code == DAVIT_OK {
        return Ok(());
    }
    Err(Error::new(code, what))
}

/// What a sync wants next for its key.
pub enum Again {
    WhenChanged,
    After(Duration),
    /// The same, but the failures of the key so far stay counted.
    AfterKeepingBackoff(Duration),
}

/// How the API server calls a kind of object; `group` is empty for the core group.
#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    pub group: &'static str,
    pub version: &'static str,
    pub resource: &'static str,
    pub kind: &'static str,
}

/// The name of an object: "namespace/name", or "name" for those of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub ns: String,
    pub name: String,
}

impl Key {
    pub fn parse(text: &str) -> Key {
        let (ns, name) = text.split_once('/').unwrap_or(("", text));
        Key { ns: ns.to_string(), name: name.to_string() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.ns.is_empty() {
            return out.write_str(&self.name);
        }
        write!(out, "{}/{}", self.ns, self.name)
    }
}

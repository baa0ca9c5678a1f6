//! Texts on their way to the host and back; keys, resources.
use crate::abi::*;

pub(crate) fn to_c(text: &str) -> davit_str {
    davit_str { data: text.as_ptr(), size: text.len() }
}

/// # Safety
/// The host gives out bytes that live at least as long as the call in progress, and `'a` ends with it.
pub(crate) unsafe fn bytes_from_c<'a>(text: davit_str) -> &'a [u8] {
    if text.size == 0 || text.data.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(text.data, text.size)
}

/// # Safety
/// As `bytes_from_c`. The host's texts are UTF-8; others read as empty.
pub(crate) unsafe fn from_c<'a>(text: davit_str) -> &'a str {
    std::str::from_utf8(bytes_from_c(text)).unwrap_or("")
}

/// A kind of objects, as URLs and references name it; `group` is empty for the core group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    pub group: &'static str,
    pub version: &'static str,
    /// The plural: "deployments".
    pub resource: &'static str,
    pub kind: &'static str,
}

impl Resource {
    /// "apps/v1", or "v1".
    pub fn api_version(&self) -> String {
        api_version_of(self)
    }
}

/// What requests and informers need to know of a kind: [`Resource`] where it is known at compile time, else
/// [`ServedResource`](crate::ServedResource) or [`OwnedResource`].
pub trait ApiResource {
    /// Empty for the core group.
    fn group(&self) -> &str;
    fn version(&self) -> &str;
    /// The plural: "deployments".
    fn resource(&self) -> &str;
    fn kind(&self) -> &str;
}

/// "apps/v1", or "v1".
pub(crate) fn api_version_of(resource: &dyn ApiResource) -> String {
    if resource.group().is_empty() {
        return resource.version().to_string();
    }
    format!("{}/{}", resource.group(), resource.version())
}

impl ApiResource for Resource {
    fn group(&self) -> &str {
        self.group
    }
    fn version(&self) -> &str {
        self.version
    }
    fn resource(&self) -> &str {
        self.resource
    }
    fn kind(&self) -> &str {
        self.kind
    }
}

/// A kind that is known at run time only.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnedResource {
    pub group: String,
    pub version: String,
    pub resource: String,
    pub kind: String,
}

impl OwnedResource {
    pub fn of(resource: &dyn ApiResource) -> Self {
        OwnedResource {
            group: resource.group().to_string(),
            version: resource.version().to_string(),
            resource: resource.resource().to_string(),
            kind: resource.kind().to_string(),
        }
    }
}

impl ApiResource for OwnedResource {
    fn group(&self) -> &str {
        &self.group
    }
    fn version(&self) -> &str {
        &self.version
    }
    fn resource(&self) -> &str {
        &self.resource
    }
    fn kind(&self) -> &str {
        &self.kind
    }
}

/// The name of an object: "namespace/name", or "name" for those of the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub ns: String,
    pub name: String,
}

impl Key {
    pub fn new(ns: impl Into<String>, name: impl Into<String>) -> Key {
        Key { ns: ns.into(), name: name.into() }
    }
    pub fn parse(text: &str) -> Key {
        let (ns, name) = text.split_once('/').unwrap_or(("", text));
        Key::new(ns, name)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.ns.is_empty() {
            return out.write_str(&self.name);
        }
        write!(out, "{}/{}", self.ns, self.name)
    }
}

/// For a query: everything but letters, digits and "-_.~" becomes %XX.
pub fn percent_escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{:02X}", byte));
        }
    }
    out
}

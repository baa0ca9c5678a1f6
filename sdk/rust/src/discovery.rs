//! What the server offers: "davit.discovery/1".
use crate::abi::*;
use crate::cache::Queue;
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::sized::read_element;
use crate::text::{from_c, to_c, ApiResource, Key};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Namespaced,
    Cluster,
    Unknown,
}

/// A resource that the server offers in one version. Its texts live as long as the call; [`OwnedResource`](crate::OwnedResource)
/// keeps what requests need longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedResource<'call> {
    pub group: &'call str,
    pub version: &'call str,
    /// The plural: "deployments".
    pub resource: &'call str,
    pub kind: &'call str,
    /// May be empty.
    pub singular: &'call str,
    pub scope: Scope,
    /// "list", "watch", …
    pub verbs: Vec<&'call str>,
    /// "status", "scale", …
    pub subresources: Vec<&'call str>,
    /// Whether `version` is the preferred one of its group.
    pub is_preferred: bool,
}

impl ApiResource for ServedResource<'_> {
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

/// A version of a group of which the server could not say what it has. Its resources may exist: keep what was known of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownVersion<'call> {
    pub group: &'call str,
    pub version: &'call str,
    pub why: &'call str,
}

/// All that the server offers.
#[derive(Debug, Clone)]
pub struct Catalog<'call> {
    /// Every version of every group, the core group first, the preferred version of a group before its others.
    pub resources: Vec<ServedResource<'call>>,
    pub unknown: Vec<UnknownVersion<'call>>,
    /// On [`Ctx::monotonic`]: what the server had changed by then is in it.
    pub fetched: Duration,
}

impl Catalog<'_> {
    /// Whether nothing can be said about the resources of this group and version.
    pub fn is_unknown(&self, group: &str, version: &str) -> bool {
        self.unknown.iter().any(|each| each.group == group && each.version == version)
    }
}

/// From [`Ctx::discovery`]. Lookups are for `new`, syncs and timers, and may wait for the server when the host's catalog is old;
/// the rest returns at once and may come from handlers, too. Discovery needs no rule of the note.
#[derive(Clone, Copy)]
pub struct Discovery<'call> {
    ctx: Ctx<'call>,
    table: &'call davit_discovery_v1,
}

type Find = unsafe extern "C" fn(*const davit_call, davit_str, davit_str, davit_str, *mut davit_served_resource) -> davit_code;
type Fill = unsafe extern "C" fn(*const davit_call, *mut davit_catalog) -> davit_code;

impl<'call> Discovery<'call> {
    /// The resource of this plural name; with an empty version the preferred one that has it. `Ok(None)`: the server does not have
    /// it. `DAVIT_UNAVAILABLE`: it may have it, but could not say.
    pub fn find(&self, group: &str, version: &str, resource: &str) -> Result<Option<ServedResource<'call>>> {
        self.found(self.table.find, group, version, resource)
    }
    /// The resource that keeps objects of this kind: the way from an owner reference to its owner. `api_version` is "apps/v1" or
    /// "v1".
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Result<Option<ServedResource<'call>>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.found(self.table.find_kind, group, version, kind)
    }
    /// Everything. A partial failure is a catalog with unknown versions.
    pub fn catalog(&self) -> Result<Catalog<'call>> {
        self.filled(self.table.catalog)
    }
    /// As `catalog`, but always asks the server: for a controller that does harm with an answer of half a minute ago.
    pub fn fetch(&self) -> Result<Catalog<'call>> {
        self.filled(self.table.fetch)
    }
    /// Adds `key` to `queue` now and whenever what the server offers has changed, until the controller ends. Repeating it changes
    /// nothing; more than 64 of them are `DAVIT_UNSUPPORTED`.
    pub fn wake(&self, queue: &Queue, key: &Key) -> Result<()> {
        let code = unsafe { (self.table.wake)(self.ctx.raw(), queue.handle, to_c(&key.to_string())) };
        self.ctx.checked(code, "the key will not be added")
    }
    /// Has the server asked again soon, for one that has just seen a CustomResourceDefinition change.
    pub fn refresh(&self) -> Result<()> {
        let code = unsafe { (self.table.refresh)(self.ctx.raw()) };
        self.ctx.checked(code, "the server is not asked")
    }

    fn found(&self, find: Find, group: &str, version: &str, name: &str) -> Result<Option<ServedResource<'call>>> {
        let mut raw = davit_served_resource::new();
        let code = unsafe { find(self.ctx.raw(), to_c(group), to_c(version), to_c(name), &mut raw) };
        if code == DAVIT_NOT_FOUND {
            return Ok(None);
        }
        self.ctx.checked(code, "discovery failed")?;
        Ok(Some(unsafe { served(&raw) }))
    }
    fn filled(&self, fill: Fill) -> Result<Catalog<'call>> {
        let mut raw = davit_catalog::new();
        let code = unsafe { fill(self.ctx.raw(), &mut raw) };
        self.ctx.checked(code, "discovery failed")?;
        let short = || Error::new(DAVIT_INTERNAL, "the host's catalog is not one of ABI 1.0");
        let mut resources = Vec::with_capacity(raw.resource_count);
        for index in 0..raw.resource_count {
            let each = unsafe { read_element(raw.resources, raw.resource_size, index) }.ok_or_else(short)?;
            resources.push(unsafe { served(&each) });
        }
        let mut unknown = Vec::with_capacity(raw.unknown_count);
        for index in 0..raw.unknown_count {
            let each = unsafe { read_element(raw.unknown, raw.unknown_size, index) }.ok_or_else(short)?;
            unknown.push(unsafe {
                UnknownVersion { group: from_c(each.group), version: from_c(each.version), why: from_c(each.message) }
            });
        }
        Ok(Catalog { resources, unknown, fetched: Duration::from_nanos(raw.fetched_ns.max(0) as u64) })
    }
}

/// # Safety
/// The host gives out texts and arrays that live at least as long as the call in progress, and `'a` ends with it.
unsafe fn served<'a>(raw: &davit_served_resource) -> ServedResource<'a> {
    unsafe fn texts<'a>(raw: *const davit_str, count: usize) -> Vec<&'a str> {
        (0..count).map(|index| from_c(*raw.add(index))).collect()
    }
    ServedResource {
        group: from_c(raw.group),
        version: from_c(raw.version),
        resource: from_c(raw.resource),
        kind: from_c(raw.kind),
        singular: from_c(raw.singular),
        scope: match raw.scope {
            DAVIT_SCOPE_NAMESPACED => Scope::Namespaced,
            DAVIT_SCOPE_CLUSTER => Scope::Cluster,
            _ => Scope::Unknown,
        },
        verbs: texts(raw.verbs, raw.verb_count),
        subresources: texts(raw.subresources, raw.subresource_count),
        is_preferred: raw.is_preferred != 0,
    }
}

impl<'call> Ctx<'call> {
    /// Needs "davit.discovery/1".
    pub fn discovery(&self) -> Result<Discovery<'call>> {
        Ok(Discovery { ctx: *self, table: self.host().discovery()? })
    }
}

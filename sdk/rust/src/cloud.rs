//! Providers of a cloud: the optional side of a controller that makes load balancers, knows machines or sets routes
//! (`<davit/cloud.h>`, which has the rules of each function). davit's own loops decide what is to be done, and call it.
//!
//! ```ignore
//! impl Controller for MyCloud {
//!     fn cloud(&self) -> Option<&dyn CloudProvider> { Some(self) }
//! }
//! impl CloudProvider for MyCloud {
//!     fn load_balancers(&self) -> Option<&dyn LoadBalancers> { Some(self) }
//! }
//! ```
//!
//! The note requires "davit.cloud-host/1", and its controller is off by default. The functions read of Services and Nodes what
//! the note's watches declare, and the controller opens these informers.
//!
//! An [`Error`] is a failure, after which the loop tries again: after its `retry_after`, or with back-off. It never means that
//! something does not exist, whatever its code, so that `?` behind a request is safe: what is not there is said with
//! `None` or `Ours(false)`.
use crate::abi::*;
use crate::cloud_abi::*;
use crate::controller::Controller;
use crate::ctx::Ctx;
use crate::entry::{self, Frame};
use crate::error::{Error, Result};
use crate::json::JsonWriter;
use crate::text::{from_c, to_c, Key};
use crate::value::Value;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

/// What a function of a provider says, or that it is somebody else's thing and nothing is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim<T> {
    Ours(T),
    Elsewhere,
}

/// The Service of a call.
#[derive(Clone, Copy)]
pub struct CloudService<'a> {
    /// The name of the cluster.
    pub cluster: &'a str,
    pub service: Value<'a>,
}

/// Load balancers for Services. All functions may run at once, never two for one Service; they may wait, and should end soon
/// when [`Ctx::is_cancelled`].
pub trait LoadBalancers {
    /// The status of the Service's load balancer, a core/v1 LoadBalancerStatus; `None`, if there certainly is none: then the
    /// Service loses its finalizer, and what does exist is leaked.
    fn get(&self, ctx: &Ctx<'_>, at: &CloudService<'_>) -> Result<Option<String>>;
    /// Makes it, or brings it to what the Service asks for. Idempotent; returns its status.
    fn ensure(&self, ctx: &Ctx<'_>, at: &CloudService<'_>, nodes: &[Value<'_>]) -> Result<Claim<String>>;
    /// The Nodes alone have changed.
    fn update(&self, ctx: &Ctx<'_>, at: &CloudService<'_>, nodes: &[Value<'_>]) -> Result<Claim<()>>;
    /// Ok if there is none.
    fn remove(&self, ctx: &Ctx<'_>, at: &CloudService<'_>) -> Result<Claim<()>>;
}

/// The machines of Nodes. The rules are those of [`LoadBalancers`]; never two calls for one Node.
pub trait Instances {
    /// Whether the machine exists, running or not. A Node that is not Ready is DELETED after `Ours(false)`; if that is not
    /// certain, return an error.
    fn exists(&self, ctx: &Ctx<'_>, node: Value<'_>) -> Result<Claim<bool>>;
    /// Whether it is switched off.
    fn shutdown(&self, ctx: &Ctx<'_>, node: Value<'_>) -> Result<Claim<bool>>;
    /// Its facts; `None`: they are not known yet.
    fn metadata(&self, ctx: &Ctx<'_>, node: Value<'_>) -> Result<Claim<Option<CloudMetadata>>>;
}

/// Routes to the pods of Nodes. The rules are those of [`LoadBalancers`]; many calls run at once.
pub trait Routes {
    /// All routes, also those of others. The destination is the text that `create` was given.
    fn list(&self, ctx: &Ctx<'_>, cluster: &str) -> Result<Vec<CloudRoute>>;
    /// `name_hint` is unique to the Node.
    fn create(&self, ctx: &Ctx<'_>, cluster: &str, name_hint: &str, route: &CloudRoute) -> Result<()>;
    /// Removes a route that `list` has returned. Ok if there is none.
    fn remove(&self, ctx: &Ctx<'_>, cluster: &str, route: &CloudRoute) -> Result<()>;
}

/// The parts of a cloud that a controller provides. Each is asked for once after [`Controller::new`], and again in each call, with
/// the same outcome; `None`: it is not offered.
pub trait CloudProvider {
    fn load_balancers(&self) -> Option<&dyn LoadBalancers> {
        None
    }
    fn instances(&self) -> Option<&dyn Instances> {
        None
    }
    fn routes(&self) -> Option<&dyn Routes> {
        None
    }
    /// The Services for which the load balancers are. Asked for once, after the parts.
    fn classes(&self) -> LoadBalancerClasses {
        LoadBalancerClasses::default()
    }
}

/// The Services for which a provider has load balancers, by their `spec.loadBalancerClass`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadBalancerClasses {
    pub names: Vec<String>,
    /// Also Services without a class.
    pub takes_unclassed: bool,
}

impl Default for LoadBalancerClasses {
    fn default() -> Self {
        LoadBalancerClasses { names: Vec::new(), takes_unclassed: true }
    }
}

/// One of the addresses of a Node.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CloudAddress {
    /// "InternalIP"
    pub kind: String,
    pub address: String,
}

/// The facts of a machine, each empty if it has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CloudMetadata {
    pub provider_id: String,
    pub instance_type: String,
    pub zone: String,
    pub region: String,
    pub addresses: Vec<CloudAddress>,
    /// Further labels of its Node.
    pub labels: BTreeMap<String, String>,
}

/// A route to the pods of a Node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CloudRoute {
    /// The cloud's own.
    pub name: String,
    /// Its target; empty: none, or not one of the cluster.
    pub node: String,
    /// The CIDR, as it was given to [`Routes::create`].
    pub destination: String,
    /// Those of the Node.
    pub addresses: Vec<CloudAddress>,
    /// It is made again when they change.
    pub follows_addresses: bool,
    /// Its target is gone.
    pub is_blackhole: bool,
}

/// The loops that [`Ctx::cloud_again`] wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudPart {
    LoadBalancers = DAVIT_CLOUD_LOAD_BALANCERS as isize,
    Instances = DAVIT_CLOUD_INSTANCES as isize,
    Routes = DAVIT_CLOUD_ROUTES as isize,
}

impl<'call> Ctx<'call> {
    /// The loops of a part look again, because something has changed in the cloud: at a Service ("namespace/name"), at a Node, or,
    /// with an empty key, at everything. Threads of the plugin's own wake a queue, whose sync calls this. Needs
    /// "davit.cloud-host/1".
    pub fn cloud_again(&self, part: CloudPart, key: &Key) -> Result<()> {
        let table = self.host().cloud()?;
        let code = unsafe { (table.again)(self.raw(), part as u32, to_c(&key.to_string())) };
        self.checked(code, "the loops of the cloud do not look again")
    }
}

// ---- Values as JSON

fn write_text(out: &mut JsonWriter, name: &str, text: &str) {
    if !text.is_empty() {
        out.key(name).string(text);
    }
}

fn write_addresses(out: &mut JsonWriter, name: &str, addresses: &[CloudAddress]) {
    if addresses.is_empty() {
        return;
    }
    out.key(name).begin_array();
    for each in addresses {
        out.begin_object().key("type").string(&each.kind).key("address").string(&each.address).end_object();
    }
    out.end_array();
}

fn text_of(object: Value<'_>, name: &str) -> String {
    object.get(name).text().unwrap_or("").to_string()
}

/// The addresses of a list; the status of a Node has one, too.
pub fn read_addresses(list: Value<'_>) -> Vec<CloudAddress> {
    let read = |each: Value<'_>| CloudAddress { kind: text_of(each, "type"), address: text_of(each, "address") };
    list.elements().into_iter().map(read).collect()
}

impl CloudMetadata {
    pub fn json(&self) -> String {
        let mut out = JsonWriter::default();
        out.begin_object();
        write_text(&mut out, "providerID", &self.provider_id);
        write_text(&mut out, "instanceType", &self.instance_type);
        write_text(&mut out, "zone", &self.zone);
        write_text(&mut out, "region", &self.region);
        write_addresses(&mut out, "nodeAddresses", &self.addresses);
        if !self.labels.is_empty() {
            out.key("additionalLabels").begin_object();
            for (name, value) in &self.labels {
                out.key(name).string(value);
            }
            out.end_object();
        }
        out.end_object();
        out.into_text()
    }
}

impl CloudRoute {
    pub fn read(json: Value<'_>) -> CloudRoute {
        CloudRoute {
            name: text_of(json, "name"),
            node: text_of(json, "targetNode"),
            destination: text_of(json, "destinationCIDR"),
            addresses: read_addresses(json.get("targetNodeAddresses")),
            follows_addresses: json.get("enableNodeAddresses").boolean() == Some(true),
            is_blackhole: json.get("blackhole").boolean() == Some(true),
        }
    }
    fn write(&self, out: &mut JsonWriter) {
        out.begin_object();
        write_text(out, "name", &self.name);
        write_text(out, "targetNode", &self.node);
        write_addresses(out, "targetNodeAddresses", &self.addresses);
        out.key("enableNodeAddresses").boolean(self.follows_addresses);
        out.key("destinationCIDR").string(&self.destination);
        out.key("blackhole").boolean(self.is_blackhole);
        out.end_object();
    }
}

// ---- The tables

/// The tables of the parts that a controller offers, which point into this: it stays where it is.
pub(crate) struct Offered {
    load_balancers: davit_load_balancers,
    instances: davit_instances,
    routes: davit_routes,
    classes: String,
    pub(crate) side: davit_cloud_provider_v1,
}

pub(crate) fn offered<C: Controller>(provider: &dyn CloudProvider) -> Box<Offered> {
    let classes = provider.classes();
    let mut out = Box::new(Offered {
        load_balancers: davit_load_balancers {
            get: Some(get::<C>),
            ensure: Some(ensure::<C>),
            update: Some(update::<C>),
            remove: Some(remove::<C>),
            ..davit_load_balancers::new()
        },
        instances: davit_instances {
            exists: Some(exists::<C>),
            shutdown: Some(shutdown::<C>),
            metadata: Some(metadata::<C>),
            ..davit_instances::new()
        },
        routes: davit_routes {
            list: Some(list::<C>),
            create: Some(create_route::<C>),
            remove: Some(remove_route::<C>),
            ..davit_routes::new()
        },
        classes: classes.names.join(","),
        side: davit_cloud_provider_v1::new(),
    });
    if provider.load_balancers().is_some() {
        out.side.load_balancers = &out.load_balancers;
    }
    if provider.instances().is_some() {
        out.side.instances = &out.instances;
    }
    if provider.routes().is_some() {
        out.side.routes = &out.routes;
    }
    out.side.classes = to_c(&out.classes);
    out.side.only_classes = i32::from(!classes.takes_unclassed);
    out
}

/// An answer as the host takes it.
#[derive(Default)]
struct Said {
    exists: bool,
    elsewhere: bool,
    text: Option<String>,
}

impl Said {
    fn nothing() -> Said {
        Said::default()
    }
    fn of<T>(claim: Claim<T>, ours: impl FnOnce(T) -> Said) -> Said {
        match claim {
            Claim::Ours(value) => ours(value),
            Claim::Elsewhere => Said { elsewhere: true, ..Said::default() },
        }
    }
}

/// Runs `body`, a function of the provider, and passes on what it says.
unsafe fn provide<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    answer: *mut davit_cloud_answer,
    text: Option<*const davit_sink>,
    body: impl FnOnce(&Ctx<'_>, &dyn CloudProvider) -> Result<Said>,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let host: &Arc<_> = &frame.host;
    let run = |ctx: &Ctx<'_>| {
        let provider = frame.controller.as_ref().and_then(|controller| controller.cloud());
        body(ctx, provider.ok_or_else(|| not_offered("a cloud"))?)
    };
    entry::in_call(host, call, run, |ctx, outcome| {
        let said = match outcome {
            Ok(said) => said,
            Err(mut error) => {
                // The absence of something else that the provider has asked for.
                if error.code == DAVIT_NOT_FOUND {
                    error.code = DAVIT_UNAVAILABLE;
                }
                (*answer).retry_after_ms = error.retry_after.as_millis() as u64;
                return entry::answer::<()>(ctx, Err(error));
            }
        };
        (*answer).exists = i32::from(said.exists);
        (*answer).elsewhere = i32::from(said.elsewhere);
        match (said.text, text) {
            (Some(json), Some(sink)) => entry::write(sink, json.as_bytes()),
            _ => DAVIT_OK,
        }
    })
}

fn not_offered(what: &str) -> Error {
    Error::new(DAVIT_UNSUPPORTED, format!("the controller does not offer {} any more", what))
}

fn balancers(provider: &dyn CloudProvider) -> Result<&dyn LoadBalancers> {
    provider.load_balancers().ok_or_else(|| not_offered("load balancers"))
}
fn machines(provider: &dyn CloudProvider) -> Result<&dyn Instances> {
    provider.instances().ok_or_else(|| not_offered("instances"))
}
fn routing(provider: &dyn CloudProvider) -> Result<&dyn Routes> {
    provider.routes().ok_or_else(|| not_offered("routes"))
}

/// # Safety
/// As `from_c`: the host lends the arguments until the call returns.
unsafe fn service_at<'a>(ctx: &Ctx<'a>, cluster: davit_str, service: davit_value) -> CloudService<'a> {
    CloudService { cluster: from_c(cluster), service: ctx.wrap(service) }
}
unsafe fn nodes_of<'a>(ctx: &Ctx<'a>, list: *const davit_list) -> Vec<Value<'a>> {
    if list.is_null() || (*list).count == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts((*list).items, (*list).count).iter().map(|each| ctx.wrap(*each)).collect()
}

unsafe extern "C" fn get<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    service: davit_value,
    answer: *mut davit_cloud_answer,
    status: *const davit_sink,
) -> davit_code {
    provide::<C>(this, call, answer, Some(status), |ctx, provider| {
        let found = balancers(provider)?.get(ctx, &service_at(ctx, cluster, service))?;
        Ok(Said { exists: found.is_some(), text: found, ..Said::default() })
    })
}

unsafe extern "C" fn ensure<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    service: davit_value,
    nodes: *const davit_list,
    answer: *mut davit_cloud_answer,
    status: *const davit_sink,
) -> davit_code {
    provide::<C>(this, call, answer, Some(status), |ctx, provider| {
        let at = service_at(ctx, cluster, service);
        let made = balancers(provider)?.ensure(ctx, &at, &nodes_of(ctx, nodes))?;
        Ok(Said::of(made, |text| Said { exists: true, text: Some(text), ..Said::default() }))
    })
}

unsafe extern "C" fn update<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    service: davit_value,
    nodes: *const davit_list,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let at = service_at(ctx, cluster, service);
        let made = balancers(provider)?.update(ctx, &at, &nodes_of(ctx, nodes))?;
        Ok(Said::of(made, |()| Said::nothing()))
    })
}

unsafe extern "C" fn remove<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    service: davit_value,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let removed = balancers(provider)?.remove(ctx, &service_at(ctx, cluster, service))?;
        Ok(Said::of(removed, |()| Said::nothing()))
    })
}

unsafe extern "C" fn exists<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    node: davit_value,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let found = machines(provider)?.exists(ctx, ctx.wrap(node))?;
        Ok(Said::of(found, |exists| Said { exists, ..Said::default() }))
    })
}

unsafe extern "C" fn shutdown<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    node: davit_value,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let off = machines(provider)?.shutdown(ctx, ctx.wrap(node))?;
        Ok(Said::of(off, |exists| Said { exists, ..Said::default() }))
    })
}

unsafe extern "C" fn metadata<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    node: davit_value,
    answer: *mut davit_cloud_answer,
    out: *const davit_sink,
) -> davit_code {
    provide::<C>(this, call, answer, Some(out), |ctx, provider| {
        let facts = machines(provider)?.metadata(ctx, ctx.wrap(node))?;
        Ok(Said::of(facts, |facts| Said { text: facts.map(|known| known.json()), ..Said::default() }))
    })
}

unsafe extern "C" fn list<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    answer: *mut davit_cloud_answer,
    out: *const davit_sink,
) -> davit_code {
    provide::<C>(this, call, answer, Some(out), |ctx, provider| {
        let mut json = JsonWriter::default();
        json.begin_array();
        for each in routing(provider)?.list(ctx, from_c(cluster))? {
            each.write(&mut json);
        }
        json.end_array();
        Ok(Said { text: Some(json.into_text()), ..Said::default() })
    })
}

unsafe extern "C" fn create_route<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    name_hint: davit_str,
    route: davit_str,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let route = CloudRoute::read(ctx.parse(from_c(route))?);
        routing(provider)?.create(ctx, from_c(cluster), from_c(name_hint), &route)?;
        Ok(Said::nothing())
    })
}

unsafe extern "C" fn remove_route<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    cluster: davit_str,
    route: davit_str,
    answer: *mut davit_cloud_answer,
) -> davit_code {
    provide::<C>(this, call, answer, None, |ctx, provider| {
        let route = CloudRoute::read(ctx.parse(from_c(route))?);
        routing(provider)?.remove(ctx, from_c(cluster), &route)?;
        Ok(Said::nothing())
    })
}

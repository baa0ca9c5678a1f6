//! Requests to the API server.
use crate::abi::*;
use crate::ctx::Ctx;
use crate::error::{of_response, Error, Result};
use crate::json::ToJson;
use crate::text::{api_version_of, to_c, ApiResource, Key};
use crate::value::Value;
use std::borrow::Cow;
use std::time::Duration;

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Get = 1,
    List = 2,
    Create = 3,
    Update = 4,
    Patch = 5,
    Delete = 6,
    DeleteCollection = 7,
}

/// How the body of a patch is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchType {
    Json = 1,
    Merge = 2,
    Strategic = 3,
    Apply = 4,
}

/// What happens to the dependents of an object that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propagation {
    Default = 0,
    Orphan = 1,
    Background = 2,
    Foreground = 3,
}

/// The order of a controller's requests that wait for its rate limiter. Every request is sent eventually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    Normal = 0,
    High = 1,
    Low = 2,
}

/// One request to the API server, which the rules of the note must allow. It borrows its texts or owns them.
#[derive(Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request<'a> {
    verb: Verb,
    group: Cow<'a, str>,
    version: Cow<'a, str>,
    resource: Cow<'a, str>,
    subresource: Cow<'a, str>,
    ns: Cow<'a, str>,
    name: Cow<'a, str>,
    body: Cow<'a, str>,
    query: Cow<'a, str>,
    field_manager: Cow<'a, str>,
    pub(crate) continue_token: Cow<'a, str>,
    pub(crate) limit: u64,
    patch_type: i32,
    answer: i32,
    priority: Priority,
    is_forced: bool,
    propagation: Propagation,
    grace_seconds: Option<i64>,
    uid: Cow<'a, str>,
    resource_version: Cow<'a, str>,
    timeout: Duration,
}

impl<'a> Request<'a> {
    fn new(verb: Verb, resource: &'a dyn ApiResource, ns: Cow<'a, str>, name: &'a str) -> Self {
        let none = Cow::Borrowed("");
        Request {
            verb,
            group: resource.group().into(),
            version: resource.version().into(),
            resource: resource.resource().into(),
            subresource: none.clone(),
            ns,
            name: name.into(),
            body: none.clone(),
            query: none.clone(),
            field_manager: none.clone(),
            continue_token: none.clone(),
            limit: 0,
            patch_type: 0,
            answer: DAVIT_ANSWER_OBJECT,
            priority: Priority::Normal,
            is_forced: false,
            propagation: Propagation::Default,
            grace_seconds: None,
            uid: none.clone(),
            resource_version: none,
            timeout: Duration::ZERO,
        }
    }
    fn of(verb: Verb, resource: &'a dyn ApiResource, key: &'a Key) -> Self {
        Self::new(verb, resource, key.ns.as_str().into(), &key.name)
    }
    /// From the server, not from the cache.
    pub fn get(resource: &'a dyn ApiResource, key: &'a Key) -> Self {
        Self::of(Verb::Get, resource, key)
    }
    /// An empty `ns` lists all namespaces.
    pub fn list(resource: &'a dyn ApiResource, ns: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Verb::List, resource, ns.into(), "")
    }
    /// `body` is the whole object as JSON, with its name.
    pub fn create(resource: &'a dyn ApiResource, ns: impl Into<Cow<'a, str>>, body: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Verb::Create, resource, ns.into(), "").body(body)
    }
    /// For a subresource that is created, such as an eviction.
    pub fn create_of(
        resource: &'a dyn ApiResource,
        key: &'a Key,
        subresource: impl Into<Cow<'a, str>>,
        body: impl Into<Cow<'a, str>>,
    ) -> Self {
        Self::of(Verb::Create, resource, key).body(body).subresource(subresource)
    }
    /// The whole object, from an uncached read. The host refuses it for resources that are read through a projection.
    pub fn update(resource: &'a dyn ApiResource, key: &'a Key, body: impl Into<Cow<'a, str>>) -> Self {
        Self::of(Verb::Update, resource, key).body(body)
    }
    pub fn patch(resource: &'a dyn ApiResource, key: &'a Key, kind: PatchType, body: impl Into<Cow<'a, str>>) -> Self {
        let mut out = Self::of(Verb::Patch, resource, key).body(body);
        out.patch_type = kind as i32;
        out
    }
    pub fn delete(resource: &'a dyn ApiResource, key: &'a Key) -> Self {
        Self::of(Verb::Delete, resource, key)
    }
    /// Every object in `ns` that the query selects.
    pub fn delete_collection(resource: &'a dyn ApiResource, ns: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Verb::DeleteCollection, resource, ns.into(), "")
    }

    fn body(mut self, json: impl Into<Cow<'a, str>>) -> Self {
        self.body = json.into();
        self
    }
    /// "status", "scale", …
    pub fn subresource(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.subresource = name.into();
        self
    }
    /// Form-encoded: "labelSelector=app%3Dweb". See [`crate::percent_escaped`].
    pub fn query(mut self, query: impl Into<Cow<'a, str>>) -> Self {
        self.query = query.into();
        self
    }
    /// Who owns the fields that are written; an apply without one has the controller's client name.
    pub fn field_manager(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.field_manager = name.into();
        self
    }
    /// An apply takes fields over from other field managers.
    pub fn force(mut self) -> Self {
        self.is_forced = true;
        self
    }
    /// At most so many items of a list, from the place that `metadata.continue` of the page before names.
    pub fn page(mut self, limit: u64, continue_token: impl Into<Cow<'a, str>>) -> Self {
        self.limit = limit;
        self.continue_token = continue_token.into();
        self
    }
    /// Before or after other requests of this controller that wait for its rate limiter.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }
    /// The response has metadata only.
    pub fn metadata_only(mut self) -> Self {
        self.answer = DAVIT_ANSWER_METADATA;
        self
    }
    /// Deletes only the object with this UID; another one is a conflict.
    pub fn uid(mut self, uid: impl Into<Cow<'a, str>>) -> Self {
        self.uid = uid.into();
        self
    }
    /// Deletes only the object of this version; another one is a conflict.
    pub fn resource_version(mut self, version: impl Into<Cow<'a, str>>) -> Self {
        self.resource_version = version.into();
        self
    }
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }
    pub fn grace_seconds(mut self, seconds: i64) -> Self {
        self.grace_seconds = Some(seconds);
        self
    }
    /// At most; zero: the host's default of 40 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A copy that borrows nothing, for a request that outlives what it was made of.
    pub fn into_owned(self) -> Request<'static> {
        fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        Request {
            verb: self.verb,
            group: owned(self.group),
            version: owned(self.version),
            resource: owned(self.resource),
            subresource: owned(self.subresource),
            ns: owned(self.ns),
            name: owned(self.name),
            body: owned(self.body),
            query: owned(self.query),
            field_manager: owned(self.field_manager),
            continue_token: owned(self.continue_token),
            uid: owned(self.uid),
            resource_version: owned(self.resource_version),
            ..self
        }
    }

    /// Borrows from this.
    pub(crate) fn raw(&self) -> davit_request {
        davit_request {
            verb: self.verb as i32,
            group: to_c(&self.group),
            version: to_c(&self.version),
            resource: to_c(&self.resource),
            subresource: to_c(&self.subresource),
            ns: to_c(&self.ns),
            name: to_c(&self.name),
            body: to_c(&self.body),
            patch_type: self.patch_type,
            answer: self.answer,
            query: to_c(&self.query),
            priority: self.priority as i32,
            force: i32::from(self.is_forced),
            field_manager: to_c(&self.field_manager),
            limit: self.limit,
            continue_token: to_c(&self.continue_token),
            propagation: self.propagation as i32,
            has_grace_seconds: i32::from(self.grace_seconds.is_some()),
            grace_seconds: self.grace_seconds.unwrap_or(0),
            precondition_uid: to_c(&self.uid),
            precondition_resource_version: to_c(&self.resource_version),
            timeout_ms: self.timeout.as_millis() as u64,
            ..davit_request::new()
        }
    }
}

/// The code of a response that the host has not written.
pub(crate) const NOT_REACHED: davit_code = -1;

/// Sends all through `send`, which is a function of the host; its code, and the responses in the order of the requests.
pub(crate) fn send_batch<Q, R: Clone>(
    requests: &[Q],
    empty: R,
    send: impl FnOnce(*const Q, usize, *mut R, usize, usize) -> davit_code,
) -> (davit_code, Vec<R>) {
    let mut responses = vec![empty; requests.len()];
    let (request_size, response_size) = (std::mem::size_of::<Q>(), std::mem::size_of::<R>());
    let code = send(requests.as_ptr(), request_size, responses.as_mut_ptr(), response_size, requests.len());
    (code, responses)
}

/// The code of one response: that of the whole if the host has refused the whole.
pub(crate) fn code_in_batch(each: davit_code, whole: davit_code) -> davit_code {
    match (each, whole) {
        (NOT_REACHED, DAVIT_OK) => DAVIT_INTERNAL,
        (NOT_REACHED, _) => whole,
        _ => each,
    }
}

impl<'call> Ctx<'call> {
    /// Sends a request and waits for the response: in a sync or timer only. The object of the response, absent if it has none.
    pub fn send(&self, request: &Request<'_>) -> Result<Value<'call>> {
        let mut response = davit_response::new();
        let code = unsafe { (self.host().client.call)(self.raw(), &request.raw(), &mut response) };
        self.outcome(code, &response)
    }

    /// Sends all of them at once; the results are in their order.
    pub fn batch(&self, requests: &[Request<'_>]) -> Vec<Result<Value<'call>>> {
        let raw: Vec<davit_request> = requests.iter().map(Request::raw).collect();
        let empty = davit_response { code: NOT_REACHED, ..davit_response::new() };
        let send = self.host().client.batch;
        let (code, responses) =
            send_batch(&raw, empty, |requests, request_size, responses, response_size, count| unsafe {
                send(self.raw(), requests, request_size, responses, response_size, count)
            });
        responses.iter().map(|each| self.outcome(code_in_batch(each.code, code), each)).collect()
    }

    pub(crate) fn outcome(&self, code: davit_code, response: &davit_response) -> Result<Value<'call>> {
        if code == DAVIT_OK {
            return Ok(self.wrap(response.object));
        }
        let error = unsafe { of_response(code, response) };
        if error.message.is_empty() {
            return Err(self.last_error().filter(|last| last.code == code).unwrap_or(error));
        }
        Err(error)
    }

    /// `body` is the whole object as JSON, with its name.
    pub fn create(&self, resource: &dyn ApiResource, ns: &str, body: &str) -> Result<Value<'call>> {
        self.send(&Request::create(resource, ns, body))
    }
    pub fn patch(&self, resource: &dyn ApiResource, key: &Key, kind: PatchType, body: &str) -> Result<Value<'call>> {
        self.send(&Request::patch(resource, key, kind, body))
    }
    /// A merge patch of the status: `status` is its JSON.
    pub fn patch_status(&self, resource: &dyn ApiResource, key: &Key, status: &str) -> Result<Value<'call>> {
        let mut body = crate::JsonWriter::default();
        body.begin_object().key("status").raw(status).end_object();
        self.send(&Request::patch(resource, key, PatchType::Merge, body.text()).subresource("status"))
    }
    /// Server-side apply with the controller's client name as field manager; takes fields over from other managers. What this
    /// manager set before and `body` no longer has is removed.
    pub fn apply(&self, resource: &dyn ApiResource, key: &Key, body: &str) -> Result<Value<'call>> {
        self.send(&Request::patch(resource, key, PatchType::Apply, body).force())
    }
    /// Deletes this very object, its dependents in the background. One that is gone, or was made again, is fine.
    pub fn delete(&self, resource: &dyn ApiResource, object: Value<'_>) -> Result<()> {
        let key = object.key();
        let request = Request::delete(resource, &key).uid(object.uid()).propagation(Propagation::Background);
        match self.send(&request.metadata_only()) {
            Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }
    /// Adds a finalizer, and no request if the object has it. A conflict means that the cache lags: return it.
    pub fn add_finalizer(&self, resource: &dyn ApiResource, object: Value<'_>, name: &str) -> Result<()> {
        if object.has_finalizer(name) {
            return Ok(());
        }
        self.write_finalizers(resource, object, None, Some(name))
    }
    /// Removes a finalizer, and no request if the object lacks it. One that is gone is fine.
    pub fn remove_finalizer(&self, resource: &dyn ApiResource, object: Value<'_>, name: &str) -> Result<()> {
        if !object.has_finalizer(name) {
            return Ok(());
        }
        match self.write_finalizers(resource, object, Some(name), None) {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }
    fn write_finalizers(&self, resource: &dyn ApiResource, object: Value<'_>, removed: Option<&str>, added: Option<&str>) -> Result<()> {
        let present = object.metadata().get("finalizers").elements();
        let mut names: Vec<&str> = present.iter().filter_map(|each| each.text()).filter(|each| Some(*each) != removed).collect();
        names.extend(added);
        // The version makes sure that no finalizer that others added since is lost.
        let version = object.resource_version();
        let body = crate::json!({"metadata": {"resourceVersion": version, "finalizers": names}});
        self.patch(resource, &object.key(), PatchType::Merge, &body).map(|_| ())
    }

    /// Whether the server offers the resource. May ask the server: in `new` and syncs only.
    pub fn resource_exists(&self, resource: &dyn ApiResource) -> Result<bool> {
        let code = unsafe {
            (self.host().client.resource_exists)(
                self.raw(),
                to_c(resource.group()),
                to_c(resource.version()),
                to_c(resource.resource()),
            )
        };
        match code {
            DAVIT_OK => Ok(true),
            DAVIT_NOT_FOUND => Ok(false),
            _ => Err(self.last_error().unwrap_or_else(|| Error::new(code, "discovery failed"))),
        }
    }
}

/// The JSON of an entry of metadata.ownerReferences that makes `owner` the controller.
pub fn controller_reference(resource: &dyn ApiResource, owner: Value<'_>) -> impl ToJson {
    OwnerReference {
        api_version: api_version_of(resource),
        kind: resource.kind().into(),
        name: owner.name().into(),
        uid: owner.uid().into(),
    }
}

struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
}

impl ToJson for OwnerReference {
    fn write(&self, out: &mut crate::JsonWriter) {
        out.begin_object().member("apiVersion", &self.api_version).member("kind", &self.kind);
        out.member("name", &self.name).member("uid", &self.uid);
        out.member("controller", &true).member("blockOwnerDeletion", &true).end_object();
    }
}

//! Requests to the API server.
use crate::abi::*;
use crate::basics::{checked, from_c, to_c, Key, Resource, Result};
use crate::value::{Value, ABSENT};

/// The host as one controller sees it. May be used from handlers, syncs and timers of that controller, on their threads.
#[derive(Clone, Copy)]
pub struct Host {
    context: *const davit_context,
    pub(crate) host: *mut davit_host,
    pub(crate) object: *const davit_object_v1,
    pub(crate) informer: *const davit_informer_v1,
    pub(crate) queue: *const davit_queue_v1,
    client: *const davit_client_v1,
}
// The tables live as long as the process, and their functions are thread-safe.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

impl Host {
    pub(crate) unsafe fn new(context: *const davit_context) -> Option<Host> {
        let host = (*context).host;
        let table = |id: &str| ((*context).capability)(host, to_c(id));
        let made = Host {
            context,
            host,
            object: table("davit.object/1").cast(),
            informer: table("davit.informer/1").cast(),
            queue: table("davit.queue/1").cast(),
            client: table("davit.client/1").cast(),
        };
        let complete =
            !made.object.is_null() && !made.informer.is_null() && !made.queue.is_null() && !made.client.is_null();
        if complete {
            Some(made)
        } else {
            None
        }
    }

    pub(crate) fn explain(&self, text: &str) {
        unsafe { ((*self.context).error_text)(self.host, to_c(text)) }
    }

    pub(crate) fn wrap(&self, raw: davit_value) -> Value<'_> {
        Value { host: self, raw }
    }

    /// Changes an object through a patch.
    pub fn patch(&self, resource: &Resource, key: &Key, kind: PatchType, body: &str) -> Result<()> {
        let mut request = self.request(DAVIT_PATCH, resource, &key.ns, &key.name);
        request.patch_type = kind as i32;
        request.body = to_c(body);
        self.send(&request).map(|_| ())
    }

    /// Makes an object from JSON text.
    pub fn create(&self, resource: &Resource, ns: &str, body: &str) -> Result<()> {
        let mut request = self.request(DAVIT_CREATE, resource, ns, "");
        request.body = to_c(body);
        self.send(&request).map(|_| ())
    }

    /// Deletes an object; with a UID only that one.
    pub fn delete(&self, resource: &Resource, key: &Key, uid: &str) -> Result<()> {
        let mut request = self.request(DAVIT_DELETE, resource, &key.ns, &key.name);
        request.precondition_uid = to_c(uid);
        self.send(&request).map(|_| ())
    }

    /// Reads an object from the server, past the cache.
    pub fn get(&self, resource: &Resource, key: &Key) -> Result<Value<'_>> {
        let mut request = self.request(DAVIT_GET, resource, &key.ns, &key.name);
        request.answer = 1; // The whole object.
        self.send(&request)
    }

    fn request(&self, verb: i32, resource: &Resource, ns: &str, name: &str) -> davit_request {
        let none = to_c("");
        davit_request {
            size: std::mem::size_of::<davit_request>() as u32,
            verb,
            group: to_c(resource.group),
            version: to_c(resource.version),
            resource: to_c(resource.resource),
            subresource: none,
            ns: to_c(ns),
            name: to_c(name),
            body: none,
            patch_type: 0,
            answer: 0,
            query: none,
            propagation: 0,
            has_grace_seconds: 0,
            grace_seconds: 0,
            precondition_uid: none,
            precondition_resource_version: none,
            timeout_ms: 0,
        }
    }

    fn send(&self, request: &davit_request) -> Result<Value<'_>> {
        let none = to_c("");
        let mut response = davit_response {
            size: std::mem::size_of::<davit_response>() as u32,
            code: 0,
            http_status: 0,
            retry_after_ms: 0,
            reason: none,
            message: none,
            causes: none,
            object: ABSENT,
        };
        let code = unsafe { ((*self.client).call)(self.host, request, &mut response) };
        checked(code, unsafe { from_c(response.message) })?;
        Ok(self.wrap(response.object))
    }
}

/// How the body of a patch is meant.
#[derive(Clone, Copy)]
pub enum PatchType {
    Json = 1,
    Merge = 2,
    Strategic = 3,
    Apply = 4,
}

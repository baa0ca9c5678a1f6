//! The call that the plugin's code is in: the only way to the host.
use crate::abi::*;
use crate::basics::{checked, from_c, to_c, Error, Key, Resource, Result};
use crate::cache::{Queue, Waker};
use crate::value::{Value, ABSENT};
use std::time::Duration;

/// The host's function tables, which live as long as the process.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    context: *const davit_context,
    pub(crate) object: *const davit_object_v1,
    pub(crate) informer: *const davit_informer_v1,
    pub(crate) queue: *const davit_queue_v1,
    client: *const davit_client_v1,
    waker: *const davit_waker_v1, // Null on a host without it.
}

impl Tables {
    /// None when the host lacks one.
    pub(crate) unsafe fn new(call: *const davit_call, context: *const davit_context) -> Option<Tables> {
        let table = |id: &str| ((*context).capability)(call, to_c(id));
        let made = Tables {
            context,
            object: table("davit.object/1").cast(),
            informer: table("davit.informer/1").cast(),
            queue: table("davit.queue/1").cast(),
            client: table("davit.client/1").cast(),
            waker: table("davit.waker/1").cast(),
        };
        let complete =
            !made.object.is_null() && !made.informer.is_null() && !made.queue.is_null() && !made.client.is_null();
        if complete {
            Some(made)
        } else {
            None
        }
    }
}

/// One call of the host into the plugin. It ends when the plugin's function returns and belongs to one thread: neither it nor
/// what it lends can be kept or sent.
#[derive(Clone, Copy)]
pub struct Ctx<'call> {
    pub(crate) tables: &'call Tables,
    pub(crate) call: *const davit_call, // Lives for 'call. Being a raw pointer, it keeps this on its thread.
}

impl<'call> Ctx<'call> {
    pub(crate) fn explain(&self, text: &str) {
        unsafe { ((*self.tables.context).error_text)(self.call, to_c(text)) }
    }

    pub(crate) fn wrap(&self, raw: davit_value) -> Value<'call> {
        Value { ctx: *self, raw }
    }

    /// Nobody waits for the result any more, because the host stops or swaps: end soon.
    pub fn is_cancelled(&self) -> bool {
        unsafe { ((*self.call).cancelled)(self.call) != 0 }
    }
    /// How often in a row this key has failed before.
    pub fn attempt(&self) -> u32 {
        unsafe { (*self.call).attempt }
    }
    /// The W3C trace id of the work; empty without tracing.
    pub fn trace_id(&self) -> &'call str {
        unsafe { from_c((*self.call).trace_id) }
    }
    /// Why the last function of the host failed in this call, with the server's details.
    pub fn last_error(&self) -> Option<Error> {
        let mut raw: davit_error = unsafe { std::mem::zeroed() };
        raw.size = std::mem::size_of::<davit_error>() as u32;
        let code = unsafe { ((*self.tables.context).last_error)(self.call, &mut raw) };
        if code != DAVIT_OK || raw.code == DAVIT_OK {
            return None;
        }
        let text = |text| unsafe { from_c(text) }.to_string();
        Some(Error {
            code: raw.code,
            message: text(raw.message),
            reason: text(raw.reason),
            causes: text(raw.causes).split(',').filter(|each| !each.is_empty()).map(str::to_string).collect(),
            retry_after: Duration::from_millis(raw.retry_after_ms.into()),
        })
    }

    /// For threads of the plugin's own, which have no `Ctx`.
    pub fn waker(&self, queue: &Queue) -> Result<Waker> {
        if self.tables.waker.is_null() {
            return Err(Error::new(DAVIT_UNSUPPORTED, "the host lacks the capability davit.waker/1"));
        }
        let mut raw = std::ptr::null_mut();
        let code = unsafe { ((*self.tables.waker).open)(self.call, queue.handle, &mut raw) };
        checked(code, "the host gives no waker of the queue")?;
        Ok(Waker { table: self.tables.waker, raw })
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
    pub fn get(&self, resource: &Resource, key: &Key) -> Result<Value<'call>> {
        let mut request = self.request(DAVIT_GET, resource, &key.ns, &key.name);
        request.answer = DAVIT_ANSWER_OBJECT;
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
            answer: DAVIT_ANSWER_METADATA,
            query: none,
            propagation: 0,
            has_grace_seconds: 0,
            grace_seconds: 0,
            precondition_uid: none,
            precondition_resource_version: none,
            timeout_ms: 0,
        }
    }

    fn send(&self, request: &davit_request) -> Result<Value<'call>> {
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
        let code = unsafe { ((*self.tables.client).call)(self.call, request, &mut response) };
        if let Some(error) = self.last_error().filter(|_| code != DAVIT_OK) {
            return Err(error);
        }
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

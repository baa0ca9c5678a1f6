//! Requests to servers outside the cluster, over the host's connections. The note needs "davit.http/1" and the hosts.
use crate::abi::*;
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::request::{code_in_batch, send_batch, NOT_REACHED};
use crate::text::{bytes_from_c, from_c, to_c};
use std::time::Duration;

/// Whether a request changes something at the server. Changes are sent only while the controller may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// GET, HEAD and OPTIONS change nothing, all others do.
    ByMethod = 0,
    Reads = 1,
    Changes = 2,
}

/// The repetitions of the host, at most three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// After 429 and without a connection: every method. After 502 to 504 and a broken connection: those that do no harm.
    ByMethod = 0,
    Never = 1,
    /// Every method in all of these cases: for a request with an idempotency key, for example.
    Always = 2,
}

/// One request. It owns its texts.
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    effect: Effect,
    retry: Retry,
    redirects_max: u32,
    timeout: Duration,
    body_bytes_max: u64,
}

impl Request {
    /// `url` is absolute and percent-encoded, without user and password.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Request {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            effect: Effect::ByMethod,
            retry: Retry::ByMethod,
            redirects_max: 0,
            timeout: Duration::ZERO,
            body_bytes_max: 0,
        }
    }
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
    /// A body of JSON text, with its Content-Type.
    pub fn json(self, json: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", "application/json").body(json)
    }
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }
    /// GET and HEAD follow so many redirects, at most 10.
    pub fn redirects_max(mut self, count: u32) -> Self {
        self.redirects_max = count;
        self
    }
    /// For the whole request, retries included; 30 s by default, at most 10 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
    /// A larger response is an error; without it 8 MiB, at most 64 MiB.
    pub fn body_bytes_max(mut self, bytes: u64) -> Self {
        self.body_bytes_max = bytes;
        self
    }

    fn raw(&self, headers: &[davit_http_header]) -> davit_http_request {
        davit_http_request {
            effect: self.effect as i32,
            method: to_c(&self.method),
            url: to_c(&self.url),
            headers: headers.as_ptr(),
            header_count: headers.len(),
            body: davit_str { data: self.body.as_ptr(), size: self.body.len() },
            retry: self.retry as i32,
            redirects_max: self.redirects_max,
            timeout_ms: self.timeout.as_millis() as u64,
            body_bytes_max: self.body_bytes_max,
            ..davit_http_request::new()
        }
    }
    fn raw_headers(&self) -> Vec<davit_http_header> {
        let raw = |(name, value): &(String, String)| davit_http_header { name: to_c(name), value: to_c(value) };
        self.headers.iter().map(raw).collect()
    }
}

/// A response of the server with any status. It lives as long as the call.
#[derive(Debug, Clone)]
pub struct Response<'call> {
    pub status: i32,
    /// A dry run or a shadow: the change was not sent, and the status is 204.
    pub is_simulated: bool,
    /// Another one than the request's after redirects.
    pub url: &'call str,
    /// Names in lower case; a name may be there several times.
    pub headers: Vec<(&'call str, &'call str)>,
    pub body: &'call [u8],
    pub retry_after: Duration,
}

impl Response<'_> {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
    /// The value of the first header with this name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| *found == name).map(|(_, value)| *value)
    }
    /// An error for a status outside 200 to 299: with the status, and without the body, which may be anything.
    pub fn checked(self) -> Result<Self> {
        if self.is_success() {
            return Ok(self);
        }
        let code = match self.status {
            404 | 410 => DAVIT_NOT_FOUND,
            401 | 403 => DAVIT_FORBIDDEN,
            409 | 412 => DAVIT_CONFLICT,
            429 => DAVIT_THROTTLED,
            400..=499 => DAVIT_INVALID,
            _ => DAVIT_UNAVAILABLE,
        };
        let message = format!("{} responds with status {}", self.url.split('?').next().unwrap_or(""), self.status);
        Err(Error { http_status: self.status, retry_after: self.retry_after, ..Error::new(code, message) })
    }
}

impl<'call> Ctx<'call> {
    /// Sends one request and waits: in a sync or timer only. An error if no response arrived.
    pub fn http(&self, request: &Request) -> Result<Response<'call>> {
        let table = self.host().http()?;
        let headers = request.raw_headers();
        let mut response = davit_http_response::new();
        let code = unsafe { (table.call)(self.raw(), &request.raw(&headers), &mut response) };
        self.http_outcome(code, &response)
    }

    /// Sends all of them at once; the results are in their order.
    pub fn http_batch(&self, requests: &[Request]) -> Result<Vec<Result<Response<'call>>>> {
        let table = self.host().http()?;
        let headers: Vec<_> = requests.iter().map(Request::raw_headers).collect();
        let raw: Vec<_> = requests.iter().zip(&headers).map(|(each, headers)| each.raw(headers)).collect();
        let empty = davit_http_response { code: NOT_REACHED, ..davit_http_response::new() };
        let (code, responses) =
            send_batch(&raw, empty, |requests, request_size, responses, response_size, count| unsafe {
                (table.batch)(self.raw(), requests, request_size, responses, response_size, count)
            });
        Ok(responses.iter().map(|each| self.http_outcome(code_in_batch(each.code, code), each)).collect())
    }

    fn http_outcome(&self, code: davit_code, raw: &davit_http_response) -> Result<Response<'call>> {
        let retry_after = Duration::from_millis(raw.retry_after_ms.into());
        if code != DAVIT_OK {
            let message = unsafe { from_c(raw.message) };
            if message.is_empty() {
                self.checked(code, "no response")?;
            }
            return Err(Error { retry_after, ..Error::new(code, message) });
        }
        let headers: &[davit_http_header] = match raw.header_count {
            0 => &[],
            count => unsafe { std::slice::from_raw_parts(raw.headers, count) },
        };
        Ok(Response {
            status: raw.http_status,
            is_simulated: raw.simulated != 0,
            url: unsafe { from_c(raw.url) },
            headers: headers.iter().map(|each| unsafe { (from_c(each.name), from_c(each.value)) }).collect(),
            body: unsafe { bytes_from_c(raw.body) },
            retry_after,
        })
    }
}

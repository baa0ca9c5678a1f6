//! Errors.
use crate::abi::*;
use crate::text::from_c;
use std::time::Duration;

/// The reason why something failed. A sync that returns one is tried again with back-off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Error {
    /// One of `abi::DAVIT_*` but `DAVIT_OK`. The set is open.
    pub code: i32,
    /// Words for people.
    pub message: String,
    /// The server's HTTP status; 0: it was no response of the server.
    pub http_status: i32,
    /// The server's reason: "AlreadyExists"; may be empty.
    pub reason: String,
    /// The reasons in details.causes of the server: "NamespaceTerminating".
    pub causes: Vec<String>,
    /// The pause that the server asked for; zero: none.
    pub retry_after: Duration,
    /// The first mistake in a text that was parsed, in bytes from 1; 0: none.
    pub position: u64,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), ..Error::default() }
    }
    /// An error of another library, or of the plugin's own.
    pub fn other(message: impl std::fmt::Display) -> Self {
        Error::new(DAVIT_INTERNAL, message.to_string())
    }
    /// Whether there is no such object; for a write: it was deleted before.
    pub fn is_not_found(&self) -> bool {
        self.code == DAVIT_NOT_FOUND
    }
    /// Another writer was faster: read and decide again.
    pub fn is_conflict(&self) -> bool {
        self.code == DAVIT_CONFLICT
    }
    pub fn is_already_exists(&self) -> bool {
        self.code == DAVIT_ALREADY_EXISTS
    }
    /// What the host gets: never DAVIT_OK.
    pub(crate) fn code_for_host(&self) -> davit_code {
        if self.code == DAVIT_OK {
            return DAVIT_INTERNAL;
        }
        self.code
    }
    /// The controller or the call has ended.
    pub fn is_stale(&self) -> bool {
        self.code == DAVIT_STALE
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.message.is_empty() {
            return write!(out, "error {}", self.code);
        }
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Success where one error is as good: `ctx.delete(…).unless(DAVIT_NOT_FOUND)`.
pub trait Unless<T> {
    /// `Ok(None)` for an error with this code.
    fn unless(self, code: i32) -> Result<Option<T>>;
}

impl<T> Unless<T> for Result<T> {
    fn unless(self, code: i32) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code == code => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// `found` of a response with this code, as far as the host filled it in.
pub(crate) unsafe fn of_response(code: i32, response: &davit_response) -> Error {
    Error {
        code,
        message: from_c(response.message).to_string(),
        http_status: response.http_status,
        reason: from_c(response.reason).to_string(),
        causes: listed(from_c(response.causes)),
        retry_after: Duration::from_millis(response.retry_after_ms.into()),
        position: 0,
    }
}

/// The parts between commas.
pub(crate) fn listed(text: &str) -> Vec<String> {
    text.split(',').filter(|each| !each.is_empty()).map(str::to_string).collect()
}

//! Closures that the host calls while it carries out one of its functions.
use crate::abi::*;
use crate::error::{Error, Result};
use crate::text::bytes_from_c;
use std::any::Any;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// What a closure has left behind: neither an error nor a panic passes through the host.
#[derive(Default)]
pub(crate) struct Outcome {
    panic: Option<Box<dyn Any + Send>>,
    error: Option<Error>,
}

impl Outcome {
    /// The code for the host. The first error or panic is kept, and the host ends what it does.
    pub(crate) fn keep(&mut self, body: impl FnOnce() -> Result<davit_code>) -> davit_code {
        match catch_unwind(AssertUnwindSafe(body)) {
            Ok(Ok(code)) => code,
            Ok(Err(error)) => {
                let code = error.code_for_host();
                self.error.get_or_insert(error);
                code
            }
            Err(panic) => {
                self.panic = Some(panic);
                DAVIT_INTERNAL
            }
        }
    }
    /// When the host's function has returned: goes on with the panic, or gives the error.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
        self.error.map_or(Ok(()), Err)
    }
}

/// Receives bytes from the host.
pub(crate) struct Sink<F> {
    each: F,
    outcome: Outcome,
}

impl<F: FnMut(&[u8]) -> Result<()>> Sink<F> {
    pub(crate) fn new(each: F) -> Self {
        Sink { each, outcome: Outcome::default() }
    }
    /// For a function of the host that returns before this ends or moves.
    pub(crate) fn raw(&mut self) -> davit_sink {
        davit_sink {
            size: std::mem::size_of::<davit_sink>() as u32,
            reserved: 0,
            this: (self as *mut Self).cast(),
            write: Self::write,
        }
    }
    pub(crate) fn finish(self) -> Result<()> {
        self.outcome.finish()
    }
    unsafe extern "C" fn write(this: *mut c_void, chunk: davit_str) -> davit_code {
        let this = &mut *this.cast::<Self>();
        let each = &mut this.each;
        this.outcome.keep(|| each(bytes_from_c(chunk)).map(|()| DAVIT_OK))
    }
}

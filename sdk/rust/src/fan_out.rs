//! Requests whose responses come one by one: fan-out, pages, streams.
use crate::abi::*;
use crate::callback::{Outcome, Sink};
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::request::Request;
use crate::sized::read_sized;
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;

/// One page of a list.
#[derive(Debug, Clone, Copy)]
pub struct ListPage<'a> {
    /// The whole response.
    pub list: Value<'a>,
    /// The server has forgotten the version of the pages before, which do not count any more: this is the whole list.
    pub is_restarted: bool,
}

impl<'a> ListPage<'a> {
    pub fn items(&self) -> Vec<Value<'a>> {
        self.list.get("items").elements()
    }
}

struct FanOut<'call, 'r, N, D> {
    ctx: Ctx<'call>,
    next: N,
    done: D,
    outcome: Outcome,
    request: Option<Request<'r>>, // The host copies its texts when next() has returned.
}

impl<'call, 'r, N, D> FanOut<'call, 'r, N, D>
where
    N: FnMut(u64) -> Option<Request<'r>>,
    D: FnMut(u64, Result<Value<'_>>) -> Result<()>,
{
    unsafe extern "C" fn next(this: *mut c_void, _: *const davit_call, index: u64, out: *mut davit_request) -> davit_code {
        let this = &mut *this.cast::<Self>();
        let (next, request) = (&mut this.next, &mut this.request);
        this.outcome.keep(|| {
            *request = next(index);
            match request {
                Some(request) => {
                    out.write(request.raw()); // There is room for a request of every minor: DAVIT_REQUEST_ROOM.
                    Ok(DAVIT_OK)
                }
                None => Ok(DAVIT_NOT_FOUND),
            }
        })
    }
    unsafe extern "C" fn done(
        this: *mut c_void,
        _: *const davit_call,
        index: u64,
        response: *const davit_response,
    ) -> davit_code {
        let this = &mut *this.cast::<Self>();
        let (done, ctx) = (&mut this.done, &this.ctx);
        this.outcome.keep(|| {
            let short = || Error::new(DAVIT_INTERNAL, "the host's response is not one of ABI 1.0");
            let response = read_sized(response).ok_or_else(short)?;
            done(index, ctx.outcome(response.code, &response)).map(|()| DAVIT_OK)
        })
    }
}

impl<'call> Ctx<'call> {
    /// Sends the requests that `next` makes, at most `at_once_max` at once (0: 50), and passes each response to `done` in the
    /// order of their arrival. Both run on this thread, never beside each other, and may use this `Ctx`.
    ///
    /// `next` gets the number of requests so far. `None`: there is none now; it is called again after the next `done`,
    /// and the fan-out ends if none is in progress. Return a request that borrows from `next` as [`Request::into_owned`].
    ///
    /// `done` gets that number and the response, which ends with it, so that 10,000 of them need the memory of a few. Its error
    /// ends the fan-out and is the result; an error that it gets does not. `DAVIT_CANCELLED`: the host stops or swaps.
    pub fn fan_out<'r>(
        &self,
        at_once_max: u32,
        next: impl FnMut(u64) -> Option<Request<'r>>,
        done: impl FnMut(u64, Result<Value<'_>>) -> Result<()>,
    ) -> Result<()> {
        fn functions<'call, 'r, N, D>(run: &mut FanOut<'call, 'r, N, D>, at_once_max: u32) -> davit_fan_out
        where
            N: FnMut(u64) -> Option<Request<'r>>,
            D: FnMut(u64, Result<Value<'_>>) -> Result<()>,
        {
            davit_fan_out {
                at_once_max,
                this: (run as *mut FanOut<'call, 'r, N, D>).cast(),
                next: Some(FanOut::<'call, 'r, N, D>::next),
                done: Some(FanOut::<'call, 'r, N, D>::done),
                ..davit_fan_out::new()
            }
        }
        let mut run = FanOut { ctx: *self, next, done, outcome: Outcome::default(), request: None };
        let raw = functions(&mut run, at_once_max);
        let code = unsafe { (self.host().client.fan_out)(self.raw(), &raw) };
        run.outcome.finish()?;
        self.checked(code, "the fan-out has ended early")
    }

    /// Lists in pages of [`Request::page`]'s limit (without: 500) and passes each to `each`, whose error ends it. If the server
    /// drops the list's version before the last page (410), everything is listed again at once: see [`ListPage::is_restarted`].
    pub fn list_pages(&self, list: Request<'_>, mut each: impl FnMut(ListPage<'_>) -> Result<()>) -> Result<()> {
        const ITEMS: u64 = 500; // As client-go.
        let mut list = list.into_owned();
        if list.limit == 0 {
            list.limit = ITEMS;
        }
        let list = RefCell::new(list);
        let has_more = Cell::new(true);
        let is_restarted = Cell::new(false);
        let done = |_, response: Result<Value<'_>>| -> Result<()> {
            let mut list = list.borrow_mut();
            match response {
                Ok(page) => {
                    each(ListPage { list: page, is_restarted: is_restarted.get() })?;
                    list.continue_token = page.metadata().get("continue").text().unwrap_or("").to_string().into();
                    has_more.set(!list.continue_token.is_empty());
                    Ok(())
                }
                Err(error) if error.code == DAVIT_EXPIRED && !list.continue_token.is_empty() => {
                    *list = list.clone().page(0, "");
                    has_more.set(true);
                    is_restarted.set(true);
                    Ok(())
                }
                Err(error) => Err(error),
            }
        };
        self.fan_out(1, |_| Some(list.borrow().clone()).filter(|_| has_more.replace(false)), done)
    }

    /// Passes the body of the response to a get or list to `each` as it arrives, in pieces cut anywhere, unparsed; an error of
    /// `each` ends the transfer and is the result. No more than 256 KiB wait for it. For the log of a pod, for example:
    /// `Request::get(&PODS, key).subresource("log").query("follow=true").timeout(…)`, whose time is that for all of it.
    ///
    /// `DAVIT_UNAVAILABLE`: the body was cut. `DAVIT_CANCELLED`: the host stops or swaps. Both come after any number of pieces.
    pub fn stream(&self, request: &Request<'_>, each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut sink = Sink::new(each);
        let to = sink.raw();
        let raw = davit_request { raw: &to, ..request.raw() };
        let mut response = davit_response::new();
        let code = unsafe { (self.host().client.call)(self.raw(), &raw, &mut response) };
        sink.finish()?;
        self.outcome(code, &response).map(|_| ())
    }

    /// The body of the response as it is. `DAVIT_INVALID`: it has more than `bytes_max`.
    pub fn bytes(&self, request: &Request<'_>, bytes_max: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.stream(request, |piece| {
            if out.len() + piece.len() > bytes_max {
                return Err(Error::new(DAVIT_INVALID, format!("the response has more than {} bytes", bytes_max)));
            }
            out.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(out)
    }
}

//! What a controller hands to its next build in a hot swap: "davit.state/1" of `<davit/abi.h>`.
use crate::abi::*;
use crate::controller::Controller;
use crate::ctx::Ctx;
use crate::entry::{self, Frame};
use crate::error::{Error, Result};
use crate::json::JsonWriter;
use crate::text::from_c;
use crate::value::{Kind, Value};
use std::ffi::c_void;

/// What a controller knows and neither the cluster nor its queues could tell its next build, as JSON. A hot swap calls `write`
/// of the old build and `read` of the new one while no sync or handler of either runs.
pub trait HandedState {
    /// Of the form that `write` writes, from 1. Raise it when a build before would misread it.
    fn version(&self) -> u32;
    /// The oldest form that `read` understands.
    fn oldest(&self) -> u32 {
        self.version()
    }
    /// Writes one JSON value; changes nothing.
    fn write(&self, out: &mut JsonWriter);
    /// Reads the state that another build wrote in the format `version`. An error ends the swap, and the old build keeps
    /// serving. Return an error for every defect: the text may be arbitrary.
    fn read(&self, version: u32, state: Value<'_>) -> Result<()>;
}

/// One object of a state, whose members must be there and of the right kind: a reader reads all of them before it takes
/// anything over.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    value: Value<'a>,
}

impl<'a> Fields<'a> {
    pub fn of(value: Value<'a>) -> Result<Self> {
        if value.kind() != Kind::Object {
            return Err(not_as_wanted("", "an object"));
        }
        Ok(Fields { value })
    }
    pub fn text(&self, name: &str) -> Result<&'a str> {
        self.value.get(name).text().ok_or_else(|| not_as_wanted(name, "a text"))
    }
    /// A number between the two, both included.
    pub fn integer(&self, name: &str, least: i64, most: i64) -> Result<i64> {
        let found = self.value.get(name).integer();
        found
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| not_as_wanted(name, "a number within its range"))
    }
    /// The elements of a list, each of which is an object.
    pub fn objects(&self, name: &str) -> Result<Vec<Fields<'a>>> {
        let list = self.value.get(name);
        if list.kind() != Kind::Array {
            return Err(not_as_wanted(name, "a list"));
        }
        list.elements().into_iter().map(Fields::of).collect()
    }
}

fn not_as_wanted(name: &str, wanted: &str) -> Error {
    let what = if name.is_empty() { "a part".to_string() } else { format!("\"{}\"", name) };
    Error::new(DAVIT_INVALID, format!("{} is not {}", what, wanted))
}

pub(crate) fn table<C: Controller>(state: &dyn HandedState) -> davit_state_v1 {
    davit_state_v1 {
        size: std::mem::size_of::<davit_state_v1>() as u32,
        version: state.version(),
        oldest: state.oldest(),
        reserved: 0,
        write: write::<C>,
        read: read::<C>,
    }
}

fn state_of<C: Controller>(frame: &Frame<C>) -> Result<&dyn HandedState> {
    let state = frame.controller.as_ref().and_then(|controller| controller.state());
    state.ok_or_else(|| Error::new(DAVIT_INTERNAL, "the controller has no state any more"))
}

unsafe extern "C" fn write<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    out: *const davit_sink,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let body = |_: &Ctx<'_>| {
        let mut json = JsonWriter::default();
        state_of(frame)?.write(&mut json);
        match entry::write(out, json.text().as_bytes()) {
            DAVIT_OK => Ok(()),
            code => Err(Error::new(code, "the host takes no more of the state")),
        }
    };
    entry::in_call(&frame.host, call, body, entry::answer)
}

unsafe extern "C" fn read<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    version: u32,
    text: davit_str,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let body = |ctx: &Ctx<'_>| state_of(frame)?.read(version, ctx.parse(from_c(text))?);
    entry::in_call(&frame.host, call, body, entry::answer)
}

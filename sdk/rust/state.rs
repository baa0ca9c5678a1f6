//! What a controller hands to its next build in a hot swap: "davit.state/1" of `<davit/abi.h>`.
use crate::abi::*;
use crate::basics::{checked, from_c, to_c, Error, Result};
use crate::controller::{guarded, Controller, Frame};
use crate::ctx::Ctx;
use crate::value::{Value, ABSENT};
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
    /// Takes over what a build wrote in the form `version`. An error ends the swap, and the old build serves on: right for
    /// whatever is not as it should be, since the text may be anything.
    fn read(&self, version: u32, state: Value<'_>) -> Result<()>;
}

/// Writes JSON text. What is begun is ended by whoever began it.
#[derive(Default)]
pub struct JsonWriter {
    text: String,
}

impl JsonWriter {
    pub fn begin_object(&mut self) -> &mut Self {
        self.value("{")
    }
    pub fn end_object(&mut self) -> &mut Self {
        self.text.push('}');
        self
    }
    pub fn begin_array(&mut self) -> &mut Self {
        self.value("[")
    }
    pub fn end_array(&mut self) -> &mut Self {
        self.text.push(']');
        self
    }
    /// The name of the member whose value comes next.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.text.push(':');
        self
    }
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.value("\"");
        for each in text.chars() {
            match each {
                '"' | '\\' => self.text.extend(['\\', each]),
                _ if each < ' ' => self.text.push_str(&format!("\\u{:04x}", each as u32)),
                _ => self.text.push(each),
            }
        }
        self.text.push('"');
        self
    }
    pub fn integer(&mut self, number: i64) -> &mut Self {
        self.value(&number.to_string())
    }
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.value(if value { "true" } else { "false" })
    }
    pub fn text(&self) -> &str {
        &self.text
    }

    fn value(&mut self, begin: &str) -> &mut Self {
        if !self.text.is_empty() && !self.text.ends_with(&['{', '[', ':'][..]) {
            self.text.push(',');
        }
        self.text.push_str(begin);
        self
    }
}

/// One object of a state, whose members must be there and of the right kind: a reader reads all of them before it takes
/// anything over.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    value: Value<'a>,
}

impl<'a> Fields<'a> {
    pub fn of(value: Value<'a>) -> Result<Self> {
        if value.kind() != DAVIT_KIND_OBJECT {
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
        if list.kind() != DAVIT_KIND_ARRAY {
            return Err(not_as_wanted(name, "a list"));
        }
        list.elements().into_iter().map(Fields::of).collect()
    }
}

fn not_as_wanted(name: &str, wanted: &str) -> Error {
    let what = if name.is_empty() { "a part".to_string() } else { format!("\"{}\"", name) };
    Error::new(DAVIT_INVALID, format!("{} is not {}", what, wanted))
}

pub(crate) fn state_table<C: Controller>(state: &dyn HandedState) -> davit_state_v1 {
    davit_state_v1 {
        size: std::mem::size_of::<davit_state_v1>() as u32,
        version: state.version(),
        oldest: state.oldest(),
        reserved: 0,
        write: write_state::<C>,
        read: read_state::<C>,
    }
}

pub(crate) unsafe extern "C" fn capability<C: Controller>(
    this: *mut c_void,
    _: *const davit_call,
    id: davit_str,
) -> *const c_void {
    let frame = &*this.cast::<Frame<C>>();
    match &frame.state {
        Some(table) if from_c(id) == "davit.state/1" => (table as *const davit_state_v1).cast(),
        _ => std::ptr::null(),
    }
}

fn state_of<C: Controller>(frame: &Frame<C>) -> Result<&dyn HandedState> {
    let state = frame.controller.as_ref().and_then(|controller| controller.state());
    state.ok_or_else(|| Error::new(DAVIT_INTERNAL, "the controller has no state any more"))
}

/// The code of `outcome`; the host is told its words.
fn answer(ctx: &Ctx<'_>, outcome: Result<()>) -> davit_code {
    match outcome {
        Ok(()) => DAVIT_OK,
        Err(error) => {
            ctx.explain(&error.message);
            error.code
        }
    }
}

unsafe extern "C" fn write_state<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    out: *const davit_sink,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let out = &*out;
    let outcome = guarded(|| {
        let mut json = JsonWriter::default();
        state_of(frame)?.write(&mut json);
        checked((out.write)(out.this, to_c(json.text())), "the host takes no more of the state")
    });
    answer(&frame.ctx(call), outcome)
}

unsafe extern "C" fn read_state<C: Controller>(
    this: *mut c_void,
    call: *const davit_call,
    version: u32,
    text: davit_str,
) -> davit_code {
    let frame = &*this.cast::<Frame<C>>();
    let ctx = frame.ctx(call);
    let outcome = guarded(|| {
        let mut parsed = ABSENT;
        let code = ((*ctx.tables.object).parse)(ctx.call, text, &mut parsed);
        if code != DAVIT_OK {
            return Err(Error::new(code, "the state is no JSON"));
        }
        state_of(frame)?.read(version, ctx.wrap(parsed))
    });
    answer(&ctx, outcome)
}

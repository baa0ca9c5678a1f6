//! Objects that a controller keeps beyond a call.
use crate::abi::*;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::host::{Dropped, Host};
use crate::value::Value;
use std::sync::Weak;

/// An object that [`Ctx::retain`] keeps as it was. Dropping it on any thread releases the object, at the end of the controller's
/// next call. After the end of the controller it is harmless: reads are refused.
#[derive(Debug)]
#[must_use = "an object is kept only as long as this lives"]
pub struct Retained {
    host: Weak<Host>,
    handle: davit_handle,
}

impl Retained {
    /// The object, as long as both the call and this live.
    pub fn value<'a>(&'a self, ctx: &Ctx<'a>) -> Result<Value<'a>> {
        let mut out = davit_value::new();
        let code = unsafe { (ctx.host().object.retained)(ctx.raw(), self.handle, &mut out) };
        ctx.checked(code, "the object is not kept any more")?;
        Ok(ctx.wrap(out))
    }
}

impl Drop for Retained {
    fn drop(&mut self) {
        if let Some(host) = self.host.upgrade() {
            host.give_back_later(Dropped::Retained(self.handle));
        }
    }
}

impl<'call> Ctx<'call> {
    /// Keeps the object of `value` beyond this call. For what a controller compares with later: the cache has what is current.
    pub fn retain(&self, value: Value<'_>) -> Result<Retained> {
        let mut handle = 0;
        let code = unsafe { (self.host().object.retain)(self.raw(), value.raw, &mut handle) };
        self.checked(code, "the object cannot be kept")?;
        Ok(Retained { host: self.weak_host(), handle })
    }
}

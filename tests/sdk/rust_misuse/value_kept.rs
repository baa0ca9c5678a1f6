// refused: E0521
use davit::{Ctx, Informer, Key, Value};
thread_local!(static KEPT: std::cell::RefCell<Option<Value<'static>>> = Default::default());
fn keep(ctx: &Ctx<'_>, informer: &Informer, key: &Key) {
    KEPT.with(|kept| *kept.borrow_mut() = informer.get(ctx, key).unwrap());
}

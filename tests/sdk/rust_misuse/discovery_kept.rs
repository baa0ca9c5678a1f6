// refused: E0521
use davit::{Ctx, ServedResource};
thread_local!(static KEPT: std::cell::RefCell<Option<ServedResource<'static>>> = Default::default());
fn keep(ctx: &Ctx<'_>) {
    let found = ctx.discovery().unwrap().find("", "v1", "pods").unwrap();
    KEPT.with(|kept| *kept.borrow_mut() = found);
}

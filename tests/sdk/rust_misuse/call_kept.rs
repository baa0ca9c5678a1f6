// refused: E0521
use davit::Ctx;
thread_local!(static KEPT: std::cell::RefCell<Option<Ctx<'static>>> = Default::default());
fn keep(ctx: &Ctx<'_>) {
    KEPT.with(|kept| *kept.borrow_mut() = Some(*ctx));
}

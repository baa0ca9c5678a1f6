// refused: E0277
use davit::Ctx;
fn send(ctx: Ctx<'static>) {
    std::thread::spawn(move || ctx.controller());
}

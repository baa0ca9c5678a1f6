// refused: E0621
use davit::{Ctx, Retained, Value};
fn longer<'call>(ctx: &Ctx<'call>, retained: &Retained) -> Value<'call> {
    retained.value(ctx).unwrap() // The call may last longer than what is retained.
}

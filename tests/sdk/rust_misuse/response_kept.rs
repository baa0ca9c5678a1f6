// refused: E0521
use davit::{Ctx, Request, Result, Value};
fn keep<'call>(ctx: &Ctx<'call>, request: &Request<'_>) -> Result<Vec<Value<'call>>> {
    let mut kept = Vec::new();
    ctx.fan_out(
        0,
        |index| Some(request.clone()).filter(|_| index == 0),
        |_, response| {
            kept.push(response?); // Each response ends with its callback.
            Ok(())
        },
    )?;
    Ok(kept)
}

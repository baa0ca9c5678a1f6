// refused: E0505
use davit::{Ctx, Result, Retained};
fn read(ctx: &Ctx<'_>, retained: Retained) -> Result<bool> {
    let value = retained.value(ctx)?;
    drop(retained);
    Ok(value.is_absent()) // Of an object that is not kept any more.
}

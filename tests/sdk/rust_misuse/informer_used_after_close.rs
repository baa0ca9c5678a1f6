// refused: E0382
use davit::{Ctx, DynamicInformer, Result};
fn close(ctx: &Ctx<'_>, informer: DynamicInformer) -> Result<usize> {
    informer.close(ctx)?;
    Ok(informer.list(ctx)?.len())
}

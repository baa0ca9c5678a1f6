// refused: E0277
use davit::{Ctx, DynamicInformer, Resource, Result, Watch};
static PODS: Resource = Resource { group: "", version: "v1", resource: "pods", kind: "Pod" };
fn open(ctx: &Ctx<'_>) -> Result<DynamicInformer> {
    let outer = *ctx;
    ctx.open(Watch::new(&PODS).on_change(move |_, _| {
        outer.leads(); // The call that has opened the informer has ended.
        Ok(())
    }))
}

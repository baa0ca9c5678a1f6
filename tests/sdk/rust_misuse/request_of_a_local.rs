// refused: E0515
use davit::{Ctx, Key, Request, Resource, Result};
static PODS: Resource = Resource { group: "", version: "v1", resource: "pods", kind: "Pod" };
fn get(ctx: &Ctx<'_>) -> Result<()> {
    ctx.fan_out(
        0,
        |index| {
            let key = Key::new("default", format!("web-{}", index));
            Some(Request::get(&PODS, &key)) // Without into_owned() it refers to `key`.
        },
        |_, _| Ok(()),
    )
}

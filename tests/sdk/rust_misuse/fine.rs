// Compiles: what other threads may have, and what outlives a call.
use davit::{Ctx, DynamicInformer, Handle, Key, OwnedResource, Queue, Request, Resource, Result, Retained, Value};
fn send_handle(ctx: &Ctx<'_>, queue: &Queue) -> Result<()> {
    let handle: Handle = ctx.handle(queue)?;
    std::thread::spawn(move || handle.wake(&Key::new("default", "web")));
    Ok(())
}
fn send_queue(queue: Queue) {
    std::thread::spawn(move || drop(queue));
}
fn send_retained(ctx: &Ctx<'_>, value: Value<'_>) -> Result<()> {
    let retained: Retained = ctx.retain(value)?;
    std::thread::spawn(move || drop(retained));
    Ok(())
}
fn send_informer(informer: DynamicInformer) {
    std::thread::spawn(move || drop(informer));
}
fn keep_resource(ctx: &Ctx<'_>) -> Result<Option<OwnedResource>> {
    Ok(ctx.discovery()?.find("", "v1", "pods")?.map(|found| OwnedResource::of(&found)))
}
fn own_request(resource: &Resource, key: &Key) -> Request<'static> {
    Request::get(resource, key).into_owned()
}

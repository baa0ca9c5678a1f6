// refused: unused `Result` that must be used
#![deny(unused_must_use)]
use davit::{Ctx, Key, Queue};
fn add(ctx: &Ctx<'_>, queue: &Queue, key: &Key) {
    queue.add(ctx, key);
}

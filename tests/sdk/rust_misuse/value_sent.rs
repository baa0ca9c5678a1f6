// refused: E0277
use davit::Value;
fn send(value: Value<'static>) {
    std::thread::spawn(move || drop(value));
}

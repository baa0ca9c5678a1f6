// refused: E0277
use davit::{Again, Controller, Ctx, Event, Key, Result, Setup};
struct Unshared {
    count: std::cell::Cell<u32>,
}
impl Controller for Unshared {
    fn new(_: &mut Setup<'_, Self>) -> Result<Self> {
        Ok(Unshared { count: Default::default() })
    }
    fn changed(&self, _: &Ctx<'_>, _: &Event<'_>) -> Result<()> {
        Ok(())
    }
    fn sync(&self, _: &Ctx<'_>, _: &Key) -> Result<Again> {
        self.count.set(self.count.get() + 1); // Workers share the controller.
        Ok(Again::WhenChanged)
    }
}

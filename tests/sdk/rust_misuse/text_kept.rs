// refused: E0521
use davit::{Again, Change, Controller, Ctx, Event, Key, Result, Setup};
struct Kept {
    uid: std::sync::Mutex<Option<&'static str>>,
}
impl Controller for Kept {
    fn new(_: &mut Setup<'_, Self>) -> Result<Self> {
        Ok(Kept { uid: Default::default() })
    }
    fn changed(&self, _: &Ctx<'_>, event: &Event<'_>) -> Result<()> {
        assert!(event.change != Change::Deleted);
        *self.uid.lock().unwrap() = Some(event.object.uid()); // A text of the call in a place that outlives it.
        Ok(())
    }
    fn sync(&self, _: &Ctx<'_>, _: &Key) -> Result<Again> {
        Ok(Again::WhenChanged)
    }
}

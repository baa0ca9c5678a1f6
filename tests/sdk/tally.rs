//! Counts how often each ConfigMap was synced, and hands the counts to its next build.
use davit::{Again, Change, Controller, Ctx, Error, Event, Fields, HandedState, JsonWriter, Key, Queue, Resource, Result};
use davit::{abi, Level, Setup, Value};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

static CONFIG_MAPS: Resource = Resource { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };

type Counts = BTreeMap<String, i64>;

struct Tally {
    queue: Queue,
    counts: Mutex<Counts>,
}

impl Tally {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Controller for Tally {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        let queue = setup.queue("tally")?;
        setup.informer(&CONFIG_MAPS)?;
        Ok(Tally { queue, counts: Mutex::default() })
    }

    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>) -> Result<()> {
        if event.change == Change::Deleted {
            return Ok(());
        }
        self.queue.add(ctx, &event.object.key())
    }

    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        // Of the mock 1.1 of growth_test.cpp.
        #[cfg(grown)]
        assert_eq!(ctx.grown(), 0, "what the host lacks reads as zero");
        ctx.log(Level::Info, "Counts", &[("trace", ctx.trace_id())]);
        *self.counts().entry(key.to_string()).or_default() += 1;
        Ok(Again::WhenChanged)
    }

    fn state(&self) -> Option<&dyn HandedState> {
        Some(self)
    }

    /// Counts begin with what the configuration says.
    fn configure(&self, _: &Ctx, config: &Value) -> Result<()> {
        let begin = config.get("begin").integer();
        let begin = begin.ok_or_else(|| Error::new(abi::DAVIT_INVALID, "begin is missing"))?;
        self.counts().values_mut().for_each(|count| *count = begin);
        Ok(())
    }
}

impl HandedState for Tally {
    fn version(&self) -> u32 {
        2
    }
    fn oldest(&self) -> u32 {
        1
    }

    fn write(&self, out: &mut JsonWriter) {
        out.begin_object().key("counts").begin_array();
        for (key, count) in self.counts().iter() {
            out.begin_object().key("key").string(key).key("syncs").integer(*count).end_object();
        }
        out.end_array().end_object();
    }

    fn read(&self, version: u32, state: Value<'_>) -> Result<()> {
        if version > self.version() {
            return Err(Error::new(abi::DAVIT_INVALID, "a form of the future"));
        }
        let mut counts = Counts::new();
        for each in Fields::of(state)?.objects("counts")? {
            if each.text("key")? == "panic" {
                panic!("at the disco");
            }
            counts.insert(each.text("key")?.to_string(), each.integer("syncs", 0, i64::MAX / 2)?);
        }
        *self.counts() = counts;
        Ok(())
    }
}

davit::plugin!(
    r#"{"name":"tally","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1"],
  "controllers":[{"name":"tally-controller","workers":1,"rules":[],
    "watches":[{"group":"","version":"v1","resource":"configmaps","projection":["metadata.labels"]}]}]}"#,
    ["tally-controller" => Tally]
);

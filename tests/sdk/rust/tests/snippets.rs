//! What docs/COMING_FROM_KUBE_RS.md and docs/PLUGIN_REFERENCE.md show in Rust, on the test cluster.
use davit::testing::{Cluster, Records};
use davit::{json, Again, Controller, Ctx, DynamicInformer, Event, Informer, Key, PatchType, Queue, Request, Resource, Result};
use davit::{Setup, Watch};
use std::sync::Mutex;
use std::time::Duration;

const ASKS: &str = "example.com/greet";
const GREETED: &str = "example.com/greeted";
static CONFIG_MAPS: Resource = Resource { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
static PODS: Resource = Resource { group: "", version: "v1", resource: "pods", kind: "Pod" };
static WIDGETS: Resource = Resource { group: "example.com", version: "v1", resource: "widgets", kind: "Widget" };

struct Greeter {
    queue: Queue,
    objects: Informer,
}

impl Controller for Greeter {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        Ok(Greeter { queue: setup.queue("greeter")?, objects: setup.informer(&CONFIG_MAPS)? })
    }
    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>) -> Result<()> {
        self.queue.add(ctx, &event.object.key())
    }
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        let object = match self.objects.get(ctx, key)? {
            Some(object) => object,
            None => return Ok(Again::WhenChanged),
        };
        if object.annotation(ASKS).is_none() || object.label(GREETED).is_some() {
            return Ok(Again::WhenChanged);
        }
        let patch = json!({"metadata": {"labels": {GREETED: "yes"}}});
        ctx.patch(&CONFIG_MAPS, key, PatchType::Merge, &patch)?;
        Ok(Again::WhenChanged)
    }
}

/// Writes the number of running pods to each Widget, whose resource may come later.
struct Follower {
    queue: Queue,
    widgets: Mutex<Option<DynamicInformer>>,
}

impl Follower {
    fn follow_widgets(&self, ctx: &Ctx<'_>) -> Result<Again> {
        let mut widgets = self.widgets.lock().unwrap();
        if widgets.is_some() {
            return Ok(Again::WhenChanged);
        }
        if let Some(served) = ctx.discovery()?.find("example.com", "", "widgets")? {
            let queue = self.queue;
            let watch = Watch::new(&served).metadata_only();
            *widgets = Some(ctx.open(watch.on_change(move |ctx, found| queue.add(ctx, &found.object.key())))?);
        }
        Ok(Again::WhenChanged)
    }

    fn count_pods(&self, ctx: &Ctx<'_>, widget: &Key) -> Result<Again> {
        let mut running = 0;
        ctx.list_pages(Request::list(&PODS, widget.ns.as_str()), |page| {
            running += page.items().iter().filter(|pod| pod.at(&["status", "phase"]).text() == Some("Running")).count();
            Ok(())
        })?;
        ctx.patch_status(&WIDGETS, widget, &json!({"pods": running}))?;
        Ok(Again::WhenChanged)
    }
}

impl Controller for Follower {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        let queue = setup.queue("follower")?;
        setup.ctx().discovery()?.wake(&queue, &Key::new("", "catalog"))?;
        Ok(Follower { queue, widgets: Mutex::default() })
    }
    fn changed(&self, _: &Ctx<'_>, _: &Event<'_>) -> Result<()> {
        Ok(())
    }
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        if key.ns.is_empty() {
            return self.follow_widgets(ctx);
        }
        self.count_pods(ctx, key)
    }
}

davit::plugin!(
    r#"{"name":"snippets","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.discovery/1","davit.informer/2"],
  "controllers":[
    {"name":"greeter-controller","workers":1,"rules":[{"group":"","resource":"configmaps","verbs":["patch"]}],
      "watches":[{"group":"","version":"v1","resource":"configmaps","projection":["metadata.labels","metadata.annotations"]}]},
    {"name":"follower-controller","workers":1,"watches":[],
      "rules":[{"group":"","resource":"pods","verbs":["list"]},
        {"group":"example.com","resource":"widgets","verbs":["list","watch"]},
        {"group":"example.com","resource":"widgets","subresource":"status","verbs":["patch"]}]}]}"#,
    ["greeter-controller" => Greeter, "follower-controller" => Follower]
);

#[test]
fn a_config_map_that_asks_is_greeted() {
    let cluster = Cluster::new(DAVIT_NOTE_TEXT);
    cluster.add(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"default","annotations":{"example.com/greet":""}}}"#);
    cluster.start(davit_plugin_v1(), "greeter-controller").unwrap();
    cluster.run_until_idle();
    assert_eq!(cluster.get(&CONFIG_MAPS, &Key::new("default", "web")).unwrap().label("example.com/greeted"), Some("yes"));
    assert_eq!(cluster.records(Records::Violations), Vec::<String>::new());
}

#[test]
fn widgets_are_followed_once_the_server_has_them() {
    let cluster = Cluster::new(DAVIT_NOTE_TEXT);
    cluster.add(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"containers": [{"name": "main", "image": "nginx"}]}, "status": {"phase": "Running"}}));
    cluster.start(davit_plugin_v1(), "follower-controller").unwrap();
    cluster.run_until_idle();
    cluster.add(&json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default"}}));
    cluster.advance(Duration::from_secs(60));
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
    assert_eq!(cluster.records(Records::Violations), Vec::<String>::new());
    let widget = cluster.get(&WIDGETS, &Key::new("default", "a")).unwrap();
    assert_eq!(widget.at(&["status", "pods"]).integer(), Some(1));
}

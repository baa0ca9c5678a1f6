//! A controller whose syncs, handlers and timers are what a test sets, and the cluster that it runs on.
use davit::testing::{Cluster, Records};
use davit::typed::Raw;
use davit::{Again, Controller, Ctx, DebugPage, Error, Event, Index, Informer, Key, Metric, MetricKind, Queue, Resource, Result};
use davit::{json, Setup, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

pub static PODS: Resource = Resource { group: "", version: "v1", resource: "pods", kind: "Pod" };
pub static WIDGETS: Resource = Resource { group: "example.com", version: "v1", resource: "widgets", kind: "Widget" };
pub static CONFIG_MAPS: Resource = Resource { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };

pub const NAME: &str = "scripted-controller";

pub struct Scripted {
    pub queue: Queue,
    pub pods: Informer,
    pub by_node: Index,
    pub syncs: Metric,
}

type Hook<F> = Option<Rc<F>>;

/// What a test does in place of the controller.
#[derive(Default)]
pub struct Hooks {
    sync: Hook<dyn Fn(&Scripted, &Ctx<'_>, &Key) -> Result<Again>>,
    fire: Hook<dyn Fn(&Ctx<'_>, &str) -> Result<Again>>,
    init: Hook<dyn Fn(&mut Setup<'_, Scripted>) -> Result<()>>,
    changed: Hook<dyn Fn(&Ctx<'_>, &Event<'_>) -> Result<()>>,
    health: Hook<dyn Fn(&Ctx<'_>) -> Result<()>>,
    page: Hook<dyn Fn(&Ctx<'_>, &str, &str) -> Result<DebugPage>>,
    configure: Hook<dyn Fn(&Ctx<'_>, &Value<'_>) -> Result<()>>,
    drop: Hook<dyn Fn()>,
}

// A test and its cluster stay on one thread.
thread_local!(static HOOKS: RefCell<Hooks> = RefCell::default());

fn hook<F: ?Sized>(which: impl Fn(&Hooks) -> &Hook<F>) -> Hook<F> {
    HOOKS.with(|hooks| which(&hooks.borrow()).clone())
}
fn set(how: impl FnOnce(&mut Hooks)) {
    HOOKS.with(|hooks| how(&mut hooks.borrow_mut()));
}

pub fn on_sync(sync: impl Fn(&Scripted, &Ctx<'_>, &Key) -> Result<Again> + 'static) {
    set(|hooks| hooks.sync = Some(Rc::new(sync)));
}
pub fn on_fire(fire: impl Fn(&Ctx<'_>, &str) -> Result<Again> + 'static) {
    set(|hooks| hooks.fire = Some(Rc::new(fire)));
}
pub fn on_init(init: impl Fn(&mut Setup<'_, Scripted>) -> Result<()> + 'static) {
    set(|hooks| hooks.init = Some(Rc::new(init)));
}
pub fn on_changed(changed: impl Fn(&Ctx<'_>, &Event<'_>) -> Result<()> + 'static) {
    set(|hooks| hooks.changed = Some(Rc::new(changed)));
}
pub fn on_health(health: impl Fn(&Ctx<'_>) -> Result<()> + 'static) {
    set(|hooks| hooks.health = Some(Rc::new(health)));
}
pub fn on_page(page: impl Fn(&Ctx<'_>, &str, &str) -> Result<DebugPage> + 'static) {
    set(|hooks| hooks.page = Some(Rc::new(page)));
}
pub fn on_configure(configure: impl Fn(&Ctx<'_>, &Value<'_>) -> Result<()> + 'static) {
    set(|hooks| hooks.configure = Some(Rc::new(configure)));
}
pub fn on_drop(drop: impl Fn() + 'static) {
    set(|hooks| hooks.drop = Some(Rc::new(drop)));
}

impl Drop for Scripted {
    fn drop(&mut self) {
        if let Some(drop) = hook(|hooks| &hooks.drop) {
            drop();
        }
    }
}

impl Controller for Scripted {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        let queue = setup.queue("scripted")?;
        let pods = setup.informer(&PODS)?;
        let by_node = setup.index(&pods, "node", "spec.nodeName")?;
        let syncs = setup.metric(MetricKind::Counter, "scripted_syncs_total", "Syncs.", &["ns"])?;
        if hook(|hooks| &hooks.fire).is_some() {
            setup.timer("tick", Duration::from_secs(10), Duration::from_secs(60))?;
        }
        if let Some(init) = hook(|hooks| &hooks.init) {
            init(setup)?;
        }
        Ok(Scripted { queue, pods, by_node, syncs })
    }
    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>) -> Result<()> {
        if let Some(changed) = hook(|hooks| &hooks.changed) {
            changed(ctx, event)?;
        }
        self.queue.add(ctx, &event.object.key())
    }
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        hook(|hooks| &hooks.sync).map_or(Ok(Again::WhenChanged), |sync| sync(self, ctx, key))
    }
    fn fire(&self, ctx: &Ctx<'_>, timer: &'static str) -> Result<Again> {
        hook(|hooks| &hooks.fire).map_or(Ok(Again::WhenChanged), |fire| fire(ctx, timer))
    }
    fn health(&self, ctx: &Ctx<'_>) -> Result<()> {
        hook(|hooks| &hooks.health).map_or(Ok(()), |health| health(ctx))
    }
    fn debug_page(&self, ctx: &Ctx<'_>, path: &str, query: &str) -> Result<DebugPage> {
        let none = || Err(Error::new(davit::abi::DAVIT_NOT_FOUND, "no page"));
        hook(|hooks| &hooks.page).map_or_else(none, |page| page(ctx, path, query))
    }
    fn configure(&self, ctx: &Ctx<'_>, config: &Value<'_>) -> Result<()> {
        hook(|hooks| &hooks.configure).map_or(Ok(()), |configure| configure(ctx, config))
    }
}

// ---- The cluster ----

/// Without the hooks of the test before, which may have had this thread.
pub fn cluster() -> Cluster {
    set(|hooks| *hooks = Hooks::default());
    Cluster::new(DAVIT_NOTE_TEXT)
}
pub fn start(cluster: &Cluster) {
    cluster.start(davit_plugin_v1(), NAME).unwrap();
    cluster.run_until_idle();
}
pub fn pod(name: &str, labels: &str, node: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"default","labels":{}}},
            "spec":{{"nodeName":"{}","containers":[{{"name":"main","image":"nginx"}}]}},
            "status":{{"containerStatuses":[{{"name":"main","state":{{"running":{{}}}}}}]}}}}"#,
        name, labels, node
    )
}
pub fn widget(ns: &str, name: &str, owner: &str) -> String {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"namespace": ns, "name": name}, "spec": {"owner": owner}})
}
pub fn add_maps(cluster: &Cluster, count: u32) {
    for index in 0..count {
        let name = format!("map-{}", index);
        let labels = json!({"some": "label"});
        cluster.add(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": name,
            "labels": (Raw(labels))}}));
    }
}
pub fn web() -> Key {
    Key::new("default", "web")
}
/// Runs `sync` once for a pod; it must succeed.
pub fn in_sync(cluster: &Cluster, sync: impl Fn(&Scripted, &Ctx<'_>) -> Result<()> + 'static) {
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_sync(move |this, ctx, _| {
        counted.set(counted.get() + 1);
        if counted.get() == 1 {
            sync(this, ctx)?;
        }
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", r#"{"app":"web"}"#, "a"));
    start(cluster);
    assert!(runs.get() >= 1);
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
}

davit::plugin!(
    r#"{"name":"scripted","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.metric/1"],
  "optional":["davit.timer/1","davit.http/1","davit.clock/1","davit.event/1","davit.waker/1","davit.informer/2",
    "davit.discovery/1","davit.freshness/1"],
  "controllers":[{"name":"scripted-controller","workers":1,
    "http":{"hosts":["dns.example.com"]},
    "rules":[{"group":"","resource":"pods","verbs":["get","create","patch","delete"]},
      {"group":"","resource":"pods","subresource":"status","verbs":["patch"]},
      {"group":"","resource":"pods","subresource":"log","verbs":["get"]},
      {"group":"","resource":"configmaps","verbs":["get","list","watch","create","patch","delete"]},
      {"group":"example.com","resource":"widgets","verbs":["get","list","watch","patch"]}],
    "watches":[{"group":"","version":"v1","resource":"pods",
      "projection":["metadata.labels","metadata.finalizers","metadata.ownerReferences","spec.nodeName","status.conditions"]}]}]}"#,
    ["scripted-controller" => Scripted]
);

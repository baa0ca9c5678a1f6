//! A provider of a cloud in Rust, under davit's own loops.
use davit::abi::*;
use davit::cloud::*;
use davit::testing::{Cluster, PluginFile, Records};
use davit::{Again, Controller, Ctx, Error, Event, Informer, Key, Queue, Resource, Result, Setup, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

static SERVICES: Resource = Resource { group: "", version: "v1", resource: "services", kind: "Service" };
static NODES: Resource = Resource { group: "", version: "v1", resource: "nodes", kind: "Node" };

const STATUS: &str = r#"{"ingress":[{"ip":"192.0.2.1"}]}"#;

type Outcome = Box<dyn Fn() -> Result<()>>;

// A test and its cluster stay on one thread.
thread_local!(static CALLS: RefCell<Vec<String>> = RefCell::default());
thread_local!(static OUTCOMES: RefCell<BTreeMap<&'static str, Outcome>> = RefCell::default());
thread_local!(static ROUTES: RefCell<Vec<CloudRoute>> = RefCell::default());

fn calls() -> Vec<String> {
    CALLS.with(|calls| std::mem::take(&mut *calls.borrow_mut()))
}
fn on(function: &'static str, outcome: impl Fn() -> Result<()> + 'static) {
    OUTCOMES.with(|outcomes| outcomes.borrow_mut().insert(function, Box::new(outcome)));
}
fn said(function: &'static str, what: &str) -> Result<()> {
    CALLS.with(|calls| calls.borrow_mut().push(format!("{} {}", function, what)));
    OUTCOMES.with(|outcomes| outcomes.borrow().get(function).map_or(Ok(()), |outcome| outcome()))
}
fn names(nodes: &[Value<'_>]) -> String {
    nodes.iter().map(|each| each.name()).collect::<Vec<_>>().join(",")
}

struct Provider {
    again: Queue,
    _services: Informer,
    _nodes: Informer,
}

impl Controller for Provider {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        Ok(Provider {
            again: setup.queue("again")?,
            _services: setup.informer(&SERVICES)?,
            _nodes: setup.informer(&NODES)?,
        })
    }
    fn changed(&self, ctx: &Ctx<'_>, event: &Event<'_>) -> Result<()> {
        match event.object.annotation("again") {
            Some(key) => self.again.add(ctx, &Key::parse(key)),
            None => Ok(()),
        }
    }
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        ctx.cloud_again(CloudPart::LoadBalancers, key)?;
        Ok(Again::WhenChanged)
    }
    fn cloud(&self) -> Option<&dyn CloudProvider> {
        Some(self)
    }
}

impl CloudProvider for Provider {
    fn load_balancers(&self) -> Option<&dyn LoadBalancers> {
        Some(self)
    }
    fn instances(&self) -> Option<&dyn Instances> {
        Some(self)
    }
    fn routes(&self) -> Option<&dyn Routes> {
        Some(self)
    }
    fn classes(&self) -> LoadBalancerClasses {
        LoadBalancerClasses { names: vec!["x.io/a".to_string(), "x.io/b".to_string()], takes_unclassed: true }
    }
}

impl LoadBalancers for Provider {
    fn get(&self, _: &Ctx<'_>, at: &CloudService<'_>) -> Result<Option<String>> {
        said("get", at.service.name())?;
        Ok(Some(STATUS.to_string()))
    }
    fn ensure(&self, _: &Ctx<'_>, at: &CloudService<'_>, nodes: &[Value<'_>]) -> Result<Claim<String>> {
        assert_eq!(at.cluster, "kubernetes");
        said("ensure", &format!("{} {}", at.service.name(), names(nodes)))?;
        Ok(Claim::Ours(STATUS.to_string()))
    }
    fn update(&self, _: &Ctx<'_>, at: &CloudService<'_>, nodes: &[Value<'_>]) -> Result<Claim<()>> {
        said("update", &format!("{} {}", at.service.name(), names(nodes)))?;
        Ok(Claim::Ours(()))
    }
    fn remove(&self, _: &Ctx<'_>, at: &CloudService<'_>) -> Result<Claim<()>> {
        said("remove", at.service.name())?;
        Ok(Claim::Ours(()))
    }
}

impl Instances for Provider {
    fn exists(&self, _: &Ctx<'_>, node: Value<'_>) -> Result<Claim<bool>> {
        said("exists", node.name())?;
        Ok(if node.name() == "foreign" { Claim::Elsewhere } else { Claim::Ours(node.name() != "gone") })
    }
    fn shutdown(&self, _: &Ctx<'_>, node: Value<'_>) -> Result<Claim<bool>> {
        said("shutdown", node.name())?;
        Ok(Claim::Ours(node.name() == "off"))
    }
    fn metadata(&self, _: &Ctx<'_>, node: Value<'_>) -> Result<Claim<Option<CloudMetadata>>> {
        said("metadata", node.name())?;
        Ok(Claim::Ours(Some(CloudMetadata {
            provider_id: format!("t://{}", node.name()),
            zone: "z".to_string(),
            addresses: vec![CloudAddress { kind: "InternalIP".to_string(), address: "192.0.2.7".to_string() }],
            labels: BTreeMap::from([("example.com/a".to_string(), "b".to_string())]),
            ..CloudMetadata::default()
        })))
    }
}

impl Routes for Provider {
    fn list(&self, _: &Ctx<'_>, _: &str) -> Result<Vec<CloudRoute>> {
        said("list", "")?;
        Ok(ROUTES.with(|routes| routes.borrow().clone()))
    }
    fn create(&self, _: &Ctx<'_>, _: &str, name_hint: &str, route: &CloudRoute) -> Result<()> {
        said("create", &format!("{} {}", route.destination, route.node))?;
        let made = CloudRoute { name: name_hint.to_string(), ..route.clone() };
        ROUTES.with(|routes| routes.borrow_mut().push(made));
        Ok(())
    }
    fn remove(&self, _: &Ctx<'_>, _: &str, route: &CloudRoute) -> Result<()> {
        said("remove", &format!("{} {}", route.destination, route.node))?;
        ROUTES.with(|routes| routes.borrow_mut().retain(|each| each != route));
        Ok(())
    }
}

davit::plugin!(
    r#"{"name":"rust-cloud","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.cloud-host/1"],
  "controllers":[{"name":"rust-cloud","offByDefault":true,
    "watches":[{"version":"v1","resource":"services","projection":["metadata"]},
      {"version":"v1","resource":"nodes","projection":["metadata"]}]}]}"#,
    ["rust-cloud" => Provider]
);

/// A cluster with the provider and one of davit's loops.
fn cluster(name: &str, config: &str) -> (Cluster, PluginFile) {
    let loops = PluginFile::open(&std::env::var("DAVIT_CLOUD_PLUGIN").expect("DAVIT_CLOUD_PLUGIN"));
    let cluster = Cluster::new(&loops.note_with(DAVIT_NOTE_TEXT));
    calls();
    OUTCOMES.with(|outcomes| outcomes.borrow_mut().clear());
    ROUTES.with(|routes| routes.borrow_mut().clear());
    cluster.start(davit_plugin_v1(), "rust-cloud").unwrap();
    cluster.start_with(loops.table(), name, config).unwrap();
    (cluster, loops)
}
fn node(name: &str, more: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"}}{}}}"#, name, more)
}
const SERVICE: &str = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},
  "spec":{"type":"LoadBalancer","ports":[{"port":80,"protocol":"TCP"}]}}"#;

fn service_key() -> Key {
    Key::new("default", "s")
}
fn status(cluster: &Cluster) -> String {
    let service = cluster.get(&SERVICES, &service_key()).unwrap();
    service.at(&["status", "loadBalancer", "ingress"]).json()
}
fn assert_clean(cluster: &Cluster) {
    let found = cluster.records(Records::Violations);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_service_has_a_load_balancer_as_long_as_it_is_there() {
    let (cluster, _) = cluster("service-lb-controller", "");
    cluster.add(&node("n1", ""));
    cluster.add(SERVICE);
    cluster.run_until_idle();
    assert_eq!(calls(), ["ensure s n1"]);
    assert_eq!(status(&cluster), r#"[{"ip":"192.0.2.1","ipMode":"VIP"}]"#);

    cluster.add(&node("n2", ""));
    cluster.run_until_idle();
    assert_eq!(calls(), ["update s n1,n2"]);

    cluster.remove(&SERVICES, &service_key());
    cluster.run_until_idle();
    assert_eq!(calls(), ["get s", "remove s"]);
    assert!(cluster.get(&SERVICES, &service_key()).is_none());
    assert_clean(&cluster);
}

#[test]
fn services_of_other_classes_are_left_alone() {
    let (cluster, _) = cluster("service-lb-controller", "");
    cluster.add(&node("n1", ""));
    for (name, class) in [("other", "x.io/c"), ("own", "x.io/b")] {
        cluster.add(&format!(
            r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}","namespace":"default"}},
            "spec":{{"type":"LoadBalancer","loadBalancerClass":"{}","ports":[{{"port":80,"protocol":"TCP"}}]}}}}"#,
            name, class
        ));
        cluster.run_until_idle();
    }
    let ensured = calls().into_iter().filter(|call| call.starts_with("ensure")).collect::<Vec<_>>();
    assert_eq!(ensured, ["ensure own n1"]);
    assert_clean(&cluster);
}

#[test]
fn a_failure_is_tried_again_after_its_time() {
    let (cluster, _) = cluster("service-lb-controller", "");
    on("ensure", || {
        Err(Error { retry_after: Duration::from_secs(7), ..Error::new(DAVIT_THROTTLED, "no quota") })
    });
    cluster.add(SERVICE);
    cluster.run_until_idle();
    let events = cluster.records(Records::Events).join("\n");
    assert!(events.contains("failed to ensure load balancer: no quota"), "{}", events);
    calls();
    on("ensure", || Ok(()));
    cluster.advance(Duration::from_secs(6));
    assert!(calls().is_empty());
    cluster.advance(Duration::from_secs(1));
    assert_eq!(calls(), ["ensure s "]);
    assert_clean(&cluster);
}

#[test]
fn a_panic_is_a_failure() {
    let (cluster, _) = cluster("service-lb-controller", "");
    on("ensure", || panic!("a mistake"));
    cluster.add(SERVICE);
    cluster.run_until_idle();
    let events = cluster.records(Records::Events).join("\n");
    assert!(events.contains("panic: a mistake"), "{}", events);
    on("ensure", || Ok(()));
    cluster.advance(Duration::from_secs(5));
    assert_eq!(status(&cluster), r#"[{"ip":"192.0.2.1","ipMode":"VIP"}]"#);
}

#[test]
fn an_error_never_means_that_something_does_not_exist() {
    let (cluster, _) = cluster("service-lb-controller", "");
    cluster.add(SERVICE);
    cluster.run_until_idle();
    on("get", || Err(Error::new(DAVIT_NOT_FOUND, "another object")));
    cluster.remove(&SERVICES, &service_key());
    cluster.run_until_idle();
    assert!(cluster.get(&SERVICES, &service_key()).is_some(), "it keeps its finalizer");
}

#[test]
fn the_provider_may_have_a_service_looked_at() {
    let (cluster, _) = cluster("service-lb-controller", "");
    cluster.add(SERVICE);
    cluster.run_until_idle();
    calls();
    cluster.add(r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","annotations":{"again":"default/s"},
      "labels":{"node.kubernetes.io/exclude-from-external-load-balancers":"true"}}}"#);
    cluster.run_until_idle();
    assert_eq!(calls(), ["ensure s "]);
}

#[test]
fn a_machine_that_is_gone_takes_its_node_with_it_and_no_other_answer_does() {
    let (cluster, _) = cluster("cloud-node-lifecycle-controller", "");
    for name in ["gone", "foreign", "off", "on"] {
        cluster.add(&node(name, ""));
    }
    cluster.advance(Duration::from_secs(5));
    let there = |name: &str| cluster.get(&NODES, &Key::new("", name)).is_some();
    assert_eq!(["gone", "foreign", "off", "on"].map(there), [false, true, true, true]);
    let taints = |name: &str| cluster.get(&NODES, &Key::new("", name)).unwrap().at(&["spec", "taints"]).json();
    assert!(taints("off").contains("node.cloudprovider.kubernetes.io/shutdown"), "{}", taints("off"));
    assert!(!taints("on").contains("shutdown"), "{}", taints("on"));
    assert_clean(&cluster);
}

#[test]
fn a_failed_question_deletes_no_node() {
    let (cluster, _) = cluster("cloud-node-lifecycle-controller", "");
    on("exists", || Err(Error::new(DAVIT_NOT_FOUND, "the token")));
    cluster.add(&node("gone", ""));
    cluster.advance(Duration::from_secs(30));
    assert!(cluster.get(&NODES, &Key::new("", "gone")).is_some());
}

#[test]
fn a_new_node_gets_the_facts_of_its_machine() {
    let (cluster, _) = cluster("cloud-node-controller", "");
    let taint = r#","spec":{"taints":[{"key":"node.cloudprovider.kubernetes.io/uninitialized","effect":"NoSchedule"}]}"#;
    cluster.add(&node("n1", taint));
    cluster.run_until_idle();
    let made = cluster.get(&NODES, &Key::new("", "n1")).unwrap();
    assert_eq!(made.at(&["spec", "providerID"]).text(), Some("t://n1"));
    assert_eq!(made.label("topology.kubernetes.io/zone"), Some("z"));
    assert_eq!(made.label("example.com/a"), Some("b"));
    assert_eq!(made.at(&["status", "addresses"]).element(0).get("address").text(), Some("192.0.2.7"));
    assert_clean(&cluster);
}

#[test]
fn the_pods_of_nodes_get_routes() {
    let (cluster, _) = cluster("node-route-controller", r#"{"clusterCIDR":"10.244.0.0/16"}"#);
    cluster.add(&node("n1", r#","spec":{"podCIDRs":["10.244.1.0/24"]}"#));
    cluster.advance(Duration::from_secs(10));
    assert_eq!(ROUTES.with(|routes| routes.borrow().len()), 1);
    calls();
    cluster.remove(&NODES, &Key::new("", "n1"));
    cluster.advance(Duration::from_secs(10));
    assert_eq!(calls(), ["list ", "remove 10.244.1.0/24 n1"]);
    assert_clean(&cluster);
}

#[test]
fn a_swapped_provider_serves_with_its_new_build() {
    let (cluster, _) = cluster("service-lb-controller", "");
    cluster.add(SERVICE);
    cluster.run_until_idle();
    calls();
    cluster.swap(davit_plugin_v1(), "rust-cloud").unwrap();
    cluster.merge(&SERVICES, &service_key(), r#"{"metadata":{"annotations":{"a":"b"}}}"#);
    cluster.run_until_idle();
    assert_eq!(calls(), ["ensure s "]);
}

#[test]
fn the_structs_are_those_of_the_header() {
    let golden = std::fs::read_to_string(format!("{}/cloud_layout.txt", std::env::var("DAVIT_GOLDEN").unwrap())).unwrap();
    for (name, size) in davit::cloud_abi::SIZES {
        assert!(golden.contains(&format!("{} size {} ", name, size)), "{} has {} bytes", name, size);
    }
}

//! Types that `davit codegen --lang rust` makes, and the parts that they use.
use davit::abi;
use davit::testing::{Cluster, Records};
use davit::typed::*;
use davit::{json, Again, Controller, Ctx, Event, Informer, JsonWriter, Key, PatchType, Queue, Result, Setup, Time, Value};
use std::time::Duration;

mod types {
    include!(concat!(env!("DAVIT_GENERATED"), "/gadget.rs"));
}
// Compiles.
#[allow(dead_code)]
mod hostile {
    include!(concat!(env!("DAVIT_GENERATED"), "/hostile_names.rs"));
}
#[allow(dead_code)]
mod cycles {
    include!(concat!(env!("DAVIT_GENERATED"), "/cycles.rs"));
}
use types::test::v1::*;

/// Keeps a ConfigMap-like Gadget as it is wanted: "parent" wants "child".
struct Gadgets {
    queue: Queue,
    gadgets: Informer,
}

fn wanted_child(parent: Value<'_>) -> GadgetDraft {
    GadgetDraft::named("default", "child").metadata(
        Metadata::named("default", "child")
            .label("made", "yes")
            .owner(Owner::controlled_by(&Gadget::RESOURCE, parent)),
    )
    .spec(wanted_spec())
}
fn wanted_spec() -> GadgetSpecDraft {
    GadgetSpecDraft::new()
        .size(3)
        .mode(GadgetSpecMode::Fast)
        .memory("1Gi")
        .timeout("90s")
        .port("http")
        .class("a \"class\"")
        .tags(["b".to_string(), "a".to_string()])
        .parts([GadgetSpecPartsItemDraft::new().name("x").slot(1), GadgetSpecPartsItemDraft::new().name("y").slot(2)])
        .box_(GadgetSpecBoxDraft::new().lid("on"))
        .paused(false)
        .extra(r#"{"a":[1,true]}"#)
}

static GADGETS: davit::Resource = Gadget::RESOURCE;

impl Controller for Gadgets {
    fn new(setup: &mut Setup<'_, Self>) -> Result<Self> {
        Ok(Gadgets { queue: setup.queue("gadgets")?, gadgets: setup.informer(&GADGETS)? })
    }
    fn changed(&self, ctx: &Ctx<'_>, _: &Event<'_>) -> Result<()> {
        self.queue.add(ctx, &Key::new("default", "parent"))
    }
    fn sync(&self, ctx: &Ctx<'_>, key: &Key) -> Result<Again> {
        let parent = match self.gadgets.get(ctx, key)? {
            Some(parent) => Gadget::new(parent),
            None => return Ok(Again::WhenChanged),
        };
        let child = self.gadgets.get(ctx, &Key::new("default", "child"))?;
        create_or_patch(ctx, child, &wanted_child(*parent), PatchType::Merge)?;
        let mut conditions = parent.status().conditions();
        conditions.set(Condition::new("Ready", "True", "Made", "the child is there"), ctx.now()?);
        let status = GadgetStatusDraft::new().observed_generation(parent.generation()).conditions(conditions);
        patch_status(ctx, &GADGETS, *parent, &status)?;
        Ok(Again::WhenChanged)
    }
}

davit::plugin!("{}", ["gadgets" => Gadgets]);

fn gadget(name: &str, spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"test.davit.dev/v1","kind":"Gadget","metadata":{{"name":"{}","namespace":"default"}},"spec":{}}}"#,
        name, spec
    )
}
fn cluster_with(spec: &str) -> Cluster {
    let cluster = Cluster::new("");
    cluster.add(&gadget("g", spec));
    cluster
}
fn live(cluster: &Cluster) -> Gadget<'_> {
    Gadget::new(cluster.get(&Gadget::RESOURCE, &Key::new("default", "g")).unwrap())
}

#[test]
fn views_read_every_kind_of_field() {
    let cluster = cluster_with(
        r#"{"size":4,"mode":"fast","shade":"Mauve","ratio":1.25,"startTime":"2024-05-01T12:00:00Z","timeout":"1m30s",
           "port":"http","memory":"512Mi","fooBar":"one","foo_bar":"two","2fa":true,"tags":["x","y"],"limits":{"cpu":"500m"},
           "box":{"lid":"on","more":1},"parts":[{"name":"a","slot":1,"cost":7}],"drawers":{"top":[{"depth":2}]}}"#,
    );
    let spec = live(&cluster).spec();
    assert_eq!((spec.size(), spec.mode(), spec.shade()), (4, GadgetSpecMode::Fast_, Some(GadgetSpecShade::Unrecognized)));
    assert_eq!((spec.title(), spec.ratio(), spec.weight()), ("a \"quoted\" title", 1.25, None));
    assert_eq!((spec.enabled(), spec.paused()), (true, None));
    assert_eq!(spec.start_time(), Time::parse("2024-05-01T12:00:00Z"));
    assert_eq!(spec.timeout(), Some(Duration::from_secs(90)));
    assert_eq!((spec.port().text(), spec.port().integer()), (Some("http"), None));
    assert_eq!(spec.memory(), Quantity::parse("536870912"));
    assert_eq!((spec.foo_bar(), spec.foo_bar_(), spec.n2fa()), (Some("one"), Some("two"), Some(true)));
    assert_eq!(spec.tags().iter().collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(spec.limits().get("cpu").and_then(|cpu| cpu.milli()), Some(500));
    assert_eq!((spec.box_().lid(), spec.box_().raw().get("more").integer()), (Some("on"), Some(1)));
    assert_eq!(spec.parts_by_name_and_slot("a", 1).and_then(|part| part.cost()), Some(7));
    assert!(spec.parts_by_name_and_slot("a", 2).is_none());
    let drawers: Vec<(&str, usize)> = spec.drawers().iter().map(|(name, list)| (name, list.len())).collect();
    assert_eq!(drawers, [("top", 1)]);
    assert!(!spec.template().is_there() && spec.template().metadata().name().is_empty());
    assert!(live(&cluster).status().condition("Ready").is_none());
    assert_eq!(live(&cluster).name(), "g");
    assert!(Gadget::FIELD_PATHS.contains(&"spec.parts[].name"));
}

#[test]
fn absent_and_mistyped_fields_read_as_their_default_or_nothing() {
    let cluster = cluster_with(r#"{"size":"many","mode":7,"tags":{"no":"list"},"parts":"x","limits":[],"port":true}"#);
    let spec = live(&cluster).spec();
    assert_eq!((spec.size(), spec.mode()), (0, GadgetSpecMode::Unrecognized));
    assert_eq!((spec.tags().len(), spec.parts().len(), spec.limits().iter().count()), (0, 0, 0));
    assert_eq!((spec.port().text(), spec.port().integer()), (None, None));
    assert_eq!(GadgetSpecMode::parse("1.2").text(), "1.2");
}

#[test]
fn a_draft_is_followed_by_what_means_the_same() {
    let follows_wanted = |spec: &str| follows(live(&cluster_with(spec)).spec().raw(), &wanted_spec());
    let rest = r#""size":3,"mode":"Fast","class":"a \"class\"","box":{"lid":"on","other":1},"extra":{"a":[1.0,true]}"#;
    let same = r#""memory":"1024Mi","timeout":"1m30s","port":"http","tags":["a","b"]"#;
    let parts = r#""parts":[{"slot":2,"name":"y"},{"name":"x","slot":1,"cost":1}]"#;
    assert!(follows_wanted(&format!("{{{},{},{}}}", rest, same, parts)));
    assert!(follows_wanted(&format!(r#"{{{},{},{},"paused":false,"weight":1}}"#, rest, same, parts)));
    for (other, why) in [
        (r#""memory":"1025Mi","timeout":"90s","port":"http","tags":["a","b"]"#, "memory"),
        (r#""memory":"1Gi","timeout":"91s","port":"http","tags":["a","b"]"#, "timeout"),
        (r#""memory":"1Gi","timeout":"90s","port":80,"tags":["a","b"]"#, "port"),
        (r#""memory":"1Gi","timeout":"90s","port":"http","tags":["a"]"#, "tags"),
        (r#""memory":"1Gi","timeout":"90s","port":"http","tags":["a","b"],"paused":true"#, "paused"),
    ] {
        assert!(!follows_wanted(&format!("{{{},{},{}}}", rest, other, parts)), "{}", why);
    }
    assert!(!follows_wanted(&format!("{{{},{},\"parts\":[]}}", rest, same)));
    assert!(!follows_wanted(&format!("{{{},{},{}}}", rest.replace("1.0", "2"), same, parts)));
}

#[test]
fn a_draft_is_written_with_what_it_sets() {
    let text = json_of(&GadgetDraft::named("default", "a\"b").spec(
        GadgetSpecDraft::new().size(1).limits([("cpu".to_string(), "1".into())]).box_(
            GadgetSpecBoxDraft::new().others([("x".to_string(), Raw::from("[1]"))]),
        ),
    ));
    assert_eq!(
        text,
        r#"{"apiVersion":"test.davit.dev/v1","kind":"Gadget","metadata":{"name":"a\"b","namespace":"default"},"spec":{"size":1,"limits":{"cpu":"1"},"box":{"x":[1]}}}"#
    );
}

#[test]
fn objects_are_created_patched_and_left_alone() {
    let cluster = Cluster::new("");
    cluster.add(&gadget("parent", r#"{"size":1,"mode":"Fast","box":{}}"#));
    cluster.start(davit_plugin_v1(), "gadgets").unwrap();
    cluster.run_until_idle();
    let writes = |cluster: &Cluster| {
        let mut all = cluster.records(Records::Requests);
        all.retain(|each| !each.starts_with("get "));
        all
    };
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
    assert_eq!(writes(&cluster), ["create gadgets/child 201", "patch gadgets/parent/status 200"]);
    let child = Key::new("default", "child");
    cluster.merge(&Gadget::RESOURCE, &child, r#"{"metadata":{"labels":{"theirs":"yes"},"finalizers":["theirs.dev/f"],"ownerReferences":null},"spec":{"size":9}}"#);
    cluster.run_until_idle();
    // A list is replaced as a whole: the version makes sure that no entry of others is lost.
    let bodies = cluster.records(Records::Bodies);
    assert!(bodies.iter().any(|body| body.contains("ownerReferences") && body.contains("resourceVersion")), "{:?}", bodies);
    let live = Gadget::new(cluster.get(&Gadget::RESOURCE, &child).unwrap());
    assert_eq!((live.spec().size(), live.label("theirs"), live.label("made")), (3, Some("yes"), Some("yes")));
    assert!(live.has_finalizer("theirs.dev/f"));
    assert_eq!(live.controller_reference().get("name").text(), Some("parent"));
    let parent = Gadget::new(cluster.get(&Gadget::RESOURCE, &Key::new("default", "parent")).unwrap());
    let ready = parent.status().condition("Ready").unwrap();
    assert!(ready.is_true() && ready.last_transition_time.map(|time| time.to_string()) == Some("2024-05-01T12:00:00Z".into()));
    let before = writes(&cluster).len();
    cluster.merge(&Gadget::RESOURCE, &child, r#"{"metadata":{"labels":{"theirs":"no"}}}"#);
    cluster.run_until_idle();
    assert_eq!(writes(&cluster).len(), before, "nothing to do, no request");
}

#[test]
fn conditions_keep_their_time_while_their_status_stays() {
    let (then, now) = (Time { seconds: 100, nanos: 0 }, Time { seconds: 200, nanos: 7 });
    let mut conditions = Conditions::default();
    assert!(conditions.set(Condition::new("Ready", "True", "A", ""), then));
    assert!(!conditions.set(Condition::new("Ready", "True", "A", ""), now));
    assert!(conditions.set(Condition::new("Ready", "True", "B", ""), now));
    assert_eq!(conditions.find("Ready").unwrap().last_transition_time, Some(then));
    assert!(conditions.set(Condition::new("Ready", "False", "B", ""), now));
    assert_eq!(conditions.find("Ready").unwrap().last_transition_time, Some(Time { seconds: 200, nanos: 0 }));
    assert!(!conditions.is_true("Ready") && !conditions.is_true("Other"));
}

#[test]
fn conditions_of_others_are_written_as_they_were() {
    let cluster = Cluster::new("");
    let theirs = concat!(
        r#"{"type":"Theirs","status":"True","observedGeneration":4,"lastProbeTime":null,"lastUpdateTime":"2024-05-01T12:00:00Z"}"#,
        r#",{"type":"Ready","status":"False","lastTransitionTime":"2024-05-01T12:00:00Z","reason":"A","message":"","severity":"Low"}"#
    );
    cluster.add(&format!(
        r#"{{"apiVersion":"test.example.org/v1","kind":"Thing","metadata":{{"name":"a","namespace":"x"}},"status":{{"conditions":[{}]}}}}"#,
        theirs
    ));
    let (_, object) = cluster.request("GET", "/apis/test.example.org/v1/namespaces/x/things/a", None);
    let live = object.unwrap().at(&["status", "conditions"]);
    let mut conditions = Conditions::of(live);
    let written = |conditions: &Conditions| {
        let mut out = JsonWriter::default();
        DraftField::write(conditions, &mut out);
        out.into_text()
    };
    assert_eq!(written(&conditions), format!("[{}]", theirs));

    assert!(conditions.set(Condition::new("Ready", "True", "B", ""), Time::parse("2024-05-02T12:00:00Z").unwrap()));
    let ready = r#""lastTransitionTime":"2024-05-02T12:00:00Z","reason":"B","message":"","severity":"Low"}"#;
    assert!(written(&conditions).contains(ready), "{}", written(&conditions));
    assert!(!DraftField::follows(&conditions, live));
}

#[test]
fn a_condition_that_was_read_with_a_null_time_gets_one_time() {
    let cluster = Cluster::new("");
    cluster.add(concat!(
        r#"{"apiVersion":"test.example.org/v1","kind":"Thing","metadata":{"name":"a","namespace":"x"},"status":{"conditions":["#,
        r#"{"type":"Ready","status":"False","observedGeneration":0,"lastTransitionTime":null,"reason":"A","message":"","severity":"Low"}]}}"#
    ));
    let (_, object) = cluster.request("GET", "/apis/test.example.org/v1/namespaces/x/things/a", None);
    let mut conditions = Conditions::of(object.unwrap().at(&["status", "conditions"]));
    conditions.0[0].observed_generation = 3;
    conditions.0[0].last_transition_time = Time::parse("2024-05-02T12:00:00Z");
    let mut out = JsonWriter::default();
    DraftField::write(&conditions, &mut out);
    let expected = concat!(
        r#"[{"type":"Ready","status":"False","observedGeneration":3,"lastTransitionTime":"2024-05-02T12:00:00Z","#,
        r#""reason":"A","message":"","severity":"Low"}]"#
    );
    assert_eq!(out.into_text(), expected);
}

// ---- Texts ----

#[test]
fn times_are_read_and_written() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("2024-02-29T12:00:00Z", Some(1_709_208_000)),
        ("2024-02-29T13:00:00.75+01:00", Some(1_709_208_000)),
        ("1969-12-31T23:59:59Z", Some(-1)),
        ("2023-02-29T12:00:00Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("2024-05-01T12:00:00", None),
        ("2024-05-01T12:00:00.Z", None),
        ("2024-05-01T24:00:00Z", None),
        ("2024-05-01T12:00:00+1:00", None),
        ("2024-05-0\u{e9}T12:00:00Z", None),
        ("", None),
    ] {
        assert_eq!(Time::parse(text).map(|time| time.seconds), seconds, "{:?}", text);
    }
    for seconds in (-62_167_219_200i64..253_402_300_799).step_by(40_000_007) {
        let time = Time { seconds, nanos: 0 };
        assert_eq!(Time::parse(&time.to_string()), Some(time).filter(|time| time.seconds != -62_135_596_800), "{}", time);
    }
    let late = Time { seconds: i64::MAX, nanos: 999_999_999 };
    assert_eq!(late.plus(Duration::from_secs(u64::MAX)).seconds, i64::MAX);
    assert_eq!(late.to_string(), "9999-12-31T23:59:59Z");
    let early = Time { seconds: i64::MIN, nanos: 0 };
    assert_eq!((early.since(late), late.since(early).as_secs()), (Duration::ZERO, u64::MAX));
}

#[test]
fn quantities_and_durations_compare_by_value() {
    for (a, b) in [("1Gi", "1024Mi"), ("0.5", "500m"), ("1e3", "1k"), ("1E3", "1000"), ("-0", "0"), ("1.50", "1500m"), (".5", "5e-1")] {
        assert_eq!(Quantity::parse(a), Quantity::parse(b), "{} {}", a, b);
        assert!(Quantity::parse(a).is_some(), "{}", a);
    }
    for text in ["", "1.2.3", "Gi", "1gi", "1 Gi", "1e", "--1", "9".repeat(40).as_str(), "1e99999999999", "\u{0661}"] {
        assert_eq!(Quantity::parse(text), None, "{}", text);
    }
    assert_eq!(Quantity::parse("1n").and_then(|quantity| quantity.milli()), Some(1));
    assert_eq!(Quantity::parse("1e2000000000").and_then(|quantity| quantity.milli()), None);
    assert_eq!(parse_duration("1h1m1.5s"), Some(Duration::from_millis(3_661_500)));
    assert_eq!((parse_duration("0"), parse_duration("300ms")), (Some(Duration::ZERO), Some(Duration::from_millis(300))));
    for text in ["", "1", "s", "1x", "-1s", "1.2.3s", "99999999999h", "1h 1m"] {
        assert_eq!(parse_duration(text), None, "{}", text);
    }
}

#[test]
fn json_escapes_every_text() {
    let (key, text) = ("a\"}", "b\\\n\u{1}\u{1F600}".to_string());
    let made = json!({key: text, "list": [1, (-2i64), true, null, {}, []], "number": 0.5, "none": (f64::NAN)});
    assert_eq!(made, "{\"a\\\"}\":\"b\\\\\\u000a\\u0001\u{1F600}\",\"list\":[1,-2,true,null,{},[]],\"number\":0.5,\"none\":null}");
    let mut out = JsonWriter::default();
    out.begin_object().member("ends with [", "{").member("b", &Some(1u8)).end_object();
    assert_eq!(out.text(), r#"{"ends with [":"{","b":1}"#);
}

// ---- The contract ----

/// `tests/golden/abi_layout.txt` is what C prints.
#[test]
fn structs_have_the_size_that_c_gives_them() {
    let golden = std::fs::read_to_string(concat!(env!("DAVIT_GOLDEN"), "/abi_layout.txt")).unwrap();
    let sizes: Vec<(&str, usize)> = golden
        .lines()
        .filter(|line| line.starts_with("davit_"))
        .filter_map(|line| line.split_once(" size "))
        .map(|(name, rest)| (name, rest.split(' ').next().unwrap().parse().unwrap()))
        .collect();
    assert!(sizes.len() > 40);
    assert_eq!(sizes, abi::SIZES);
}

//! The feature `serde`: types that implement `Serialize` as bodies of requests.
use davit::abi::DAVIT_INVALID;
use davit::testing::Cluster;
use davit::typed::Raw;
use davit::{json, to_json, Key, Resource};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const THINGS: Resource = Resource { group: "test.davit.dev", version: "v1", resource: "things", kind: "Thing" };

#[derive(Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Spec {
    image: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
    ratio: f64,
    large: u64,
    small: i64,
    node_selector: BTreeMap<String, String>,
    mode: Mode,
    strategies: Vec<Mode>,
    ports: Vec<(String, u16)>,
    unit: (),
    letter: char,
}
#[derive(Debug, Serialize, Deserialize, PartialEq)]
enum Mode {
    Fast,
    Slow { seconds: u32 },
    Other(String),
    Pair(u8, bool),
}
#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Wrapped(u16);

fn spec() -> Spec {
    Spec {
        image: "a \"b\"\n".to_string(),
        replicas: None,
        ratio: 0.5,
        large: u64::MAX,
        small: i64::MIN,
        node_selector: [("a/b".to_string(), "c".to_string()), ("d".to_string(), "[".to_string())].into(),
        mode: Mode::Fast,
        strategies: vec![Mode::Slow { seconds: 3 }, Mode::Other("x".to_string()), Mode::Pair(1, true), Mode::Fast],
        ports: vec![("http".to_string(), 80)],
        unit: (),
        letter: 'é',
    }
}

#[test]
fn structs_maps_and_enums_become_json() {
    assert_eq!(
        to_json(&spec()).unwrap(),
        concat!(
            r#"{"image":"a \"b\"\u000a","ratio":0.5,"large":18446744073709551615,"small":-9223372036854775808,"#,
            r#""nodeSelector":{"a/b":"c","d":"["},"mode":"Fast","#,
            r#""strategies":[{"Slow":{"seconds":3}},{"Other":"x"},{"Pair":[1,true]},"Fast"],"#,
            r#""ports":[["http",80]],"unit":null,"letter":"é"}"#
        )
    );
    assert_eq!(to_json(&Some(Wrapped(7))), Ok("7".to_string()));
    assert_eq!(to_json(&Vec::<i8>::new()), Ok("[]".to_string()));
    assert_eq!(to_json(&BTreeMap::from([(true, 1), (false, 0)])), Ok(r#"{"false":0,"true":1}"#.to_string()));
    assert_eq!(to_json(&BTreeMap::from([(Wrapped(80), "http")])), Ok(r#"{"80":"http"}"#.to_string()));
}

#[test]
fn what_json_has_no_form_for_is_an_error() {
    assert_eq!(to_json(&f64::NAN).unwrap_err().code, DAVIT_INVALID);
    assert_eq!(to_json(&[f32::INFINITY]).unwrap_err().code, DAVIT_INVALID);
    let error = to_json(&BTreeMap::from([((1, 2), 3)])).unwrap_err();
    assert!(error.message.contains("key of a map"), "{}", error);
    assert!(to_json(&BTreeMap::from([(None::<u8>, 3)])).is_err());
}

#[test]
fn what_is_written_reads_back_the_same() {
    let cluster = Cluster::new("");
    let text = Raw::from(to_json(&spec()).unwrap());
    cluster.add(&json!({"apiVersion": "test.davit.dev/v1", "kind": "Thing",
        "metadata": {"name": "a", "namespace": "default"}, "spec": text}));
    let object = cluster.get(&THINGS, &Key::new("default", "a")).unwrap();
    assert_eq!(object.get("spec").deserialize::<Spec>().unwrap(), spec());
}

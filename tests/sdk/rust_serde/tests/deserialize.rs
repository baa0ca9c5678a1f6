//! The feature `serde`.
use davit::testing::Cluster;
use davit::{Key, Resource};
use serde::Deserialize;
use std::collections::BTreeMap;

const THINGS: Resource = Resource { group: "test.davit.dev", version: "v1", resource: "things", kind: "Thing" };

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow)]
    image: &'a str,
    replicas: Option<i32>,
    ratio: f64,
    large: u64,
    #[serde(default)]
    paused: bool,
    node_selector: BTreeMap<String, String>,
    mode: Mode,
    strategy: Mode,
    ports: Vec<(String, u16)>,
    missing: Option<Vec<i64>>,
}
#[derive(Debug, Deserialize, PartialEq)]
enum Mode {
    Fast,
    Slow { seconds: u32 },
}

fn spec(json: &str) -> Cluster {
    let cluster = Cluster::new("");
    cluster.add(&format!(
        r#"{{"apiVersion":"test.davit.dev/v1","kind":"Thing","metadata":{{"name":"a","namespace":"default"}},"spec":{}}}"#,
        json
    ));
    cluster
}

#[test]
fn values_become_structs_maps_and_enums() {
    let cluster = spec(
        r#"{"image":"nginx","ratio":0.5,"large":18446744073709551615,"nodeSelector":{"a":"b"},"mode":"Fast",
           "strategy":{"Slow":{"seconds":3}},"ports":[["http",80]],"unknown":{"x":[1]}}"#,
    );
    let object = cluster.get(&THINGS, &Key::new("default", "a")).unwrap();
    let found: Spec<'_> = object.get("spec").deserialize().unwrap();
    assert_eq!(
        found,
        Spec {
            image: "nginx",
            replicas: None,
            ratio: 0.5,
            large: u64::MAX,
            paused: false,
            node_selector: [("a".to_string(), "b".to_string())].into(),
            mode: Mode::Fast,
            strategy: Mode::Slow { seconds: 3 },
            ports: vec![("http".to_string(), 80)],
            missing: None,
        }
    );
    assert_eq!(object.get("spec").get("ratio").deserialize::<f32>(), Ok(0.5));
    assert_eq!(object.get("nothing").deserialize::<Option<Mode>>(), Ok(None));
}

#[test]
fn mistyped_values_are_errors_that_say_why() {
    let cluster = spec(r#"{"image":7,"mode":"Odd","large":-1}"#);
    let object = cluster.get(&THINGS, &Key::new("default", "a")).unwrap();
    let error = object.get("spec").deserialize::<Spec<'_>>().unwrap_err();
    assert!(error.message.contains("invalid type: integer `7`"), "{}", error);
    let error = object.get("spec").get("mode").deserialize::<Mode>().unwrap_err();
    assert!(error.message.contains("unknown variant `Odd`"), "{}", error);
    assert!(object.get("spec").get("large").deserialize::<u64>().is_err());
    assert!(object.get("spec").get("image").deserialize::<Mode>().is_err());
}

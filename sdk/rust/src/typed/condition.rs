//! The conditions of a status.
use super::{DraftField, Part, Read};
use crate::{JsonWriter, Kind, Time, Value};

/// One entry of status.conditions. Two are equal if all but `others` is.
#[derive(Debug, Clone, Default)]
pub struct Condition {
    pub kind: String,
    /// "True", "False" or "Unknown".
    pub status: String,
    pub reason: String,
    pub message: String,
    /// 0: left out.
    pub observed_generation: i64,
    pub last_transition_time: Option<Time>,
    /// The members that are not above, of one that was read: name and JSON text. They are written again.
    pub others: Vec<(String, String)>,
    /// The members among the above that one that was read lacks.
    #[doc(hidden)]
    pub lacks: Vec<&'static str>,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.status, &self.reason, &self.message) == (&other.kind, &other.status, &other.reason, &other.message)
            && self.observed_generation == other.observed_generation
            && self.last_transition_time == other.last_transition_time
    }
}
impl Eq for Condition {}

impl Condition {
    pub fn new(kind: impl Into<String>, status: impl Into<String>, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Condition {
            kind: kind.into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
            ..Condition::default()
        }
    }
    pub fn is_true(&self) -> bool {
        self.status == "True"
    }
}

impl Read<'_> for Condition {
    fn read(value: Value<'_>) -> Option<Self> {
        let text = |name| value.get(name).text().unwrap_or("").to_string();
        if value.kind() != Kind::Object {
            return None;
        }
        let last_transition_time = value.get("lastTransitionTime").time();
        let observed_generation = value.get("observedGeneration").integer().unwrap_or(0);
        let is_known = |name: &str| match name {
            "lastTransitionTime" => last_transition_time.is_some(),
            "observedGeneration" => observed_generation != 0,
            _ => matches!(name, "type" | "status" | "reason" | "message"),
        };
        let others = value.members().into_iter().filter(|(name, _)| !is_known(name));
        Some(Condition {
            kind: text("type"),
            status: text("status"),
            reason: text("reason"),
            message: text("message"),
            observed_generation,
            last_transition_time,
            others: others.map(|(name, other)| (name.to_string(), other.json())).collect(),
            lacks: ["reason", "message"].iter().copied().filter(|name| value.get(name).is_absent()).collect(),
        })
    }
}

/// All conditions of an object: `part(status, "conditions")` copies them, `set()` changes one, and a draft of the status writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions(pub Vec<Condition>);

impl Conditions {
    pub fn find(&self, kind: &str) -> Option<&Condition> {
        self.0.iter().find(|each| each.kind == kind)
    }
    pub fn is_true(&self, kind: &str) -> bool {
        self.find(kind).map_or(false, Condition::is_true)
    }
    /// As meta.SetStatusCondition of k8s.io/apimachinery: the transition time becomes `now` only if the status changes. Whether the
    /// list changed.
    pub fn set(&mut self, mut condition: Condition, now: Time) -> bool {
        let now = Some(Time { nanos: 0, ..now });
        let place = self.0.iter().position(|each| each.kind == condition.kind);
        let present = place.map(|place| &self.0[place]);
        let since = present.filter(|each| each.status == condition.status).and_then(|each| each.last_transition_time);
        condition.last_transition_time = since.or(now);
        match place {
            Some(place) if self.0[place] == condition => return false,
            Some(place) => {
                // Another writer's, unless the caller says otherwise.
                if condition.others.is_empty() {
                    let replaced = ["lastTransitionTime", "observedGeneration"];
                    condition.others = std::mem::take(&mut self.0[place].others);
                    condition.others.retain(|(name, _)| !replaced.contains(&name.as_str()));
                }
                self.0[place] = condition
            }
            None => self.0.push(condition),
        }
        true
    }
    pub fn remove(&mut self, kind: &str) {
        self.0.retain(|each| each.kind != kind);
    }
}

impl Part<'_> for Conditions {
    fn of(value: Value<'_>) -> Self {
        Conditions(value.elements().into_iter().filter_map(Condition::read).collect())
    }
}
impl Read<'_> for Conditions {
    fn read(value: Value<'_>) -> Option<Self> {
        Some(Conditions::of(value))
    }
}

impl DraftField for Conditions {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_array();
        for each in &self.0 {
            out.begin_object().member("type", &each.kind).member("status", &each.status);
            if each.observed_generation != 0 {
                out.member("observedGeneration", &each.observed_generation);
            }
            if let Some(time) = &each.last_transition_time {
                out.member("lastTransitionTime", time);
            }
            // Schemas of custom resources require both, even if they are empty.
            for (name, text) in [("reason", &each.reason), ("message", &each.message)] {
                if !text.is_empty() || !each.lacks.contains(&name) {
                    out.member(name, text);
                }
            }
            // A null time that was read is there again once the condition has a time.
            let is_written = |name: &str| match name {
                "type" | "status" => true,
                "observedGeneration" => each.observed_generation != 0,
                "lastTransitionTime" => each.last_transition_time.is_some(),
                "reason" => !each.reason.is_empty() || !each.lacks.contains(&"reason"),
                "message" => !each.message.is_empty() || !each.lacks.contains(&"message"),
                _ => false,
            };
            for (name, json) in each.others.iter().filter(|(name, _)| !is_written(name)) {
                out.key(name).raw(json);
            }
            out.end_object();
        }
        out.end_array();
    }
    fn follows(&self, live: Value<'_>) -> bool {
        Conditions::of(live) == *self
    }
}

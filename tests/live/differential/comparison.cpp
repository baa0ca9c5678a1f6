#include "tests/live/differential/comparison.hpp"

#include <algorithm>
#include <map>

namespace davit::live {

namespace {

/// A field that one of the two versions lacks, by kind ("" for every kind).
struct VersionedField {
  std::string_view kind;
  std::vector<std::string_view> path;
};

const std::vector<VersionedField>& versioned_fields() {
  static const std::vector<VersionedField> kAll = {
      {"Pod", {"metadata", "generation"}},
      {"Pod", {"status", "qosClass"}},
      {"Service", {"spec", "internalTrafficPolicy"}},
      {"Service", {"spec", "ipFamilies"}},
      {"Service", {"spec", "ipFamilyPolicy"}},
      {"Service", {"spec", "clusterIPs"}},
  };
  return kAll;
}

void erase(Json& object, const std::vector<std::string_view>& path) {
  Json* at = &object;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    at = at->find(path[i]);
    if (at == nullptr) return;
  }
  at->erase(path.back());
}

void normalise_metadata(Json& metadata) {
  for (const char* by_chance : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    metadata.erase(by_chance);
  }
  for (const char* shown : {"deletionTimestamp", "continue"}) {
    if (Json* present = metadata.find(shown)) *present = "set";
  }
}

/// A time that the server wrote.
bool is_time(const Json& value) {
  const std::string& text = value.text();
  return value.is_string() && text.size() >= 20 && text[4] == '-' && text[10] == 'T' &&
         text.back() == 'Z';
}

/// Times become one word; a null creationTimestamp, which older versions write into templates,
/// goes.
void hide_times(Json& json) {
  if (json.is_object()) {
    if (const Json* created = json.find("creationTimestamp"); created && created->is_null()) {
      json.erase("creationTimestamp");
    }
    for (Json::Member& each : json.make_object()) hide_times(each.value);
  } else if (json.is_array()) {
    for (Json& each : json.make_array()) hide_times(each);
  } else if (is_time(json)) {
    json = "time";
  }
}

/// The wording of these is not promised, and changes from version to version.
bool wording_counts(const std::string& reason) {
  return reason == "NotFound" || reason == "AlreadyExists";
}

void normalise_status(Json& status) {
  if (!wording_counts(status.text_at({"reason"}))) status.erase("message");
  if (Json* details = status.find("details")) {
    details->erase("uid");
    // Some checks run twice in some versions, and conflicts come in any order.
    if (Json* causes = details->find("causes")) {
      Json once = Json::array();
      for (Json& each : causes->make_array()) {
        each.erase("message");
        const Json::Items& seen = once.items();
        if (std::find(seen.begin(), seen.end(), each) == seen.end()) once.push_back(each);
      }
      std::sort(
          once.make_array().begin(), once.make_array().end(),
          [](const Json& a, const Json& b) { return to_canonical_text(a) < to_canonical_text(b); });
      *causes = std::move(once);
    }
  }
}

void normalise(Json& object, const std::string& kind) {
  if (Json* metadata = object.find("metadata")) normalise_metadata(*metadata);
  if (kind == "Status") normalise_status(object);
  for (const VersionedField& each : versioned_fields()) {
    if (each.kind.empty() || each.kind == kind) erase(object, each.path);
  }
  if (Json* items = object.find("items")) {
    const std::string item_kind = kind.substr(0, kind.size() - std::string("List").size());
    for (Json& each : items->make_array()) normalise(each, item_kind);
  }
  hide_times(object);
}

void erase_collector_finalizers(Json& metadata) {
  Json others = Json::array();
  for (const Json& each : metadata.get("finalizers").items()) {
    if (each.text() != "orphan" && each.text() != "foregroundDeletion") others.push_back(each);
  }
  metadata.erase("finalizers");
  if (others.size() != 0) metadata.set("finalizers", std::move(others));
}

std::string normalised(Json object) {
  const std::string kind = object.text_at({"kind"});
  normalise(object, kind);
  return to_canonical_text(object);
}

}  // namespace

std::string comparable(const checks::Reply& response) {
  const std::string code = std::to_string(response.status) + ' ';
  Result<Json> body = parse_json(response.body);
  return body ? code + normalised(std::move(*body)) : code + response.body;
}

std::string comparable_deletion(const checks::Reply& response) {
  Result<Json> body = parse_json(response.body);
  if (!body) return comparable(response);
  if (Json* metadata = body->find("metadata")) erase_collector_finalizers(*metadata);
  return comparable({response.status, {}, to_text(*body)});
}

std::string comparable_events(const std::string& before, const std::string& events) {
  std::map<std::string, std::string> known;
  if (Result<Json> list = parse_json(before)) {
    const std::string kind = list->text_at({"kind"});
    for (const Json& each : list->get("items").items()) {
      Json object = Json::object(
          {{"apiVersion", list->get("apiVersion")}, {"kind", kind.substr(0, kind.size() - 4)}});
      for (const Json::Member& member : each.members()) object.set(member.key, member.value);
      known[each.text_at({"metadata", "name"})] = normalised(std::move(object));
    }
  }
  std::string out;
  for (std::size_t at = 0; at < events.size();) {
    const std::size_t end = std::min(events.find('\n', at), events.size());
    Result<Json> event = parse_json(events.substr(at, end - at));
    at = end + 1;
    if (!event) continue;
    const std::string& type = event->text_at({"type"});
    std::string content = normalised(event->get("object"));
    std::string& last = known[event->get("object").text_at({"metadata", "name"})];
    if (type != "MODIFIED" || content != last) out += type + ' ' + content + '\n';
    last = std::move(content);
  }
  return out;
}

}  // namespace davit::live

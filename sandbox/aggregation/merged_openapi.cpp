#include "sandbox/aggregation/merged_openapi.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace davit::sandbox {

namespace {

constexpr std::string_view kKinds = "x-kubernetes-group-version-kind";

/// Definitions of one name that are compared: a hostile server may have as many as it likes.
constexpr int kComparedMax = 16;

/// A part of a document whose members have names that references spell.
struct Section {
  std::string_view name;
  std::string_view prefix;
};
constexpr std::array<Section, 2> kSections = {
    {{"definitions", "#/definitions/"}, {"parameters", "#/parameters/"}}};

/// Calls `visit` with the value of each "$ref" in `value`.
template <typename Value, typename Visit>
void for_references(Value& value, const Visit& visit) {
  if (value.is_array()) {
    if constexpr (std::is_const_v<Value>) {
      for (const Json& each : value.items()) for_references(each, visit);
    } else {
      for (Json& each : value.make_array()) for_references(each, visit);
    }
  }
  if (!value.is_object()) return;
  const auto member = [&visit](auto& each) {
    if (each.key == "$ref" && each.value.is_string()) {
      visit(each.value);
    } else {
      for_references(each.value, visit);
    }
  };
  if constexpr (std::is_const_v<Value>) {
    for (const Json::Member& each : value.members()) member(each);
  } else {
    for (Json::Member& each : value.make_object()) member(each);
  }
}

bool has_objects_only(const Json& section) {
  if (section.is_null()) return true;
  return section.is_object() &&
         std::ranges::all_of(section.members(),
                             [](const Json::Member& each) { return each.value.is_object(); });
}

/// The targets of references: "#/definitions/a".
using References = std::set<std::string, std::less<>>;

/// All that `paths` refers to, and what that refers to.
References references_of(const Json& paths, const Json& document) {
  std::map<std::string, const Json*, std::less<>> targets;
  for (const Section& section : kSections) {
    for (const Json::Member& each : document.get(section.name).members()) {
      targets.emplace(std::string(section.prefix) + each.key, &each.value);
    }
  }
  References out;
  std::vector<const Json*> unread = {&paths};
  while (!unread.empty()) {
    const Json* const value = unread.back();
    unread.pop_back();
    for_references(*value, [&](const Json& reference) {
      if (!out.insert(reference.text()).second) return;
      const auto target = targets.find(reference.text());
      if (target != targets.end()) unread.push_back(target->second);
    });
  }
  return out;
}

/// The members of `document` that `wanted` selects by section and name.
template <typename Wanted>
Json sections_of(const Json& document, const Wanted& wanted) {
  Json out = Json::object();
  for (const Section& section : kSections) {
    Json kept = Json::object();
    for (const Json::Member& each : document.get(section.name).members()) {
      if (wanted(section, each.key)) kept.make_object().push_back(each);
    }
    out.set(section.name, std::move(kept));
  }
  return out;
}

Json document_of(const Json& document, Json paths) {
  const References used = references_of(paths, document);
  Json out = sections_of(document, [&used](const Section& section, const std::string& name) {
    return used.contains(std::string(section.prefix) + name);
  });
  out.set("paths", std::move(paths));
  return out;
}

std::string text_without_kinds(Json value) {
  value.erase(kKinds);
  return to_canonical_text(value);
}

/// The new references of definitions and parameters of `source`, by the old ones.
using Renames = std::map<std::string, std::string, std::less<>>;

/// The members of one section of `into`, which has many.
class Taken {
 public:
  explicit Taken(const Json& section) {
    for (const Json::Member& each : section.members()) texts_.emplace(each.key, &each.value);
  }
  [[nodiscard]] bool has(const std::string& name) const { return texts_.contains(name); }
  /// Whether the text of the member is this one, but for the kinds that it stands for.
  [[nodiscard]] bool is(const std::string& name, const std::string& text) const {
    return text_without_kinds(*texts_.at(name)) == text;
  }

 private:
  std::map<std::string, const Json*, std::less<>> texts_;
};

Renames renames_of(const Json& into, const Json& source) {
  Renames out;
  for (const Section& section : kSections) {
    const Taken taken(into.get(section.name));
    std::set<std::string, std::less<>> given;
    for (const Json::Member& each : source.get(section.name).members()) given.insert(each.key);
    for (const Json::Member& each : source.get(section.name).members()) {
      if (!taken.has(each.key)) continue;
      const std::string text = text_without_kinds(each.value);
      if (taken.is(each.key, text)) continue;
      std::string name;
      for (int number = 2; name.empty(); ++number) {
        std::string next = each.key + "_v" + std::to_string(number);
        const bool is_taken = taken.has(next);
        const bool is_equal = is_taken && number <= kComparedMax && taken.is(next, text);
        if (is_equal || (!is_taken && !given.contains(next))) name = std::move(next);
      }
      given.insert(name);
      out.emplace(std::string(section.prefix) + each.key, std::string(section.prefix) + name);
    }
  }
  return out;
}

void rename(const Renames& renames, Json& document) {
  for (const Section& section : kSections) {
    for (Json::Member& each : document[section.name].make_object()) {
      const auto found = renames.find(std::string(section.prefix) + each.key);
      if (found != renames.end()) each.key = found->second.substr(section.prefix.size());
    }
  }
  for_references(document, [&renames](Json& reference) {
    const auto found = renames.find(reference.text());
    if (found != renames.end()) reference = Json(found->second);
  });
}

/// Adds the kinds of `from` to those of `to`.
void join_kinds(const Json& from, Json& to) {
  const Json& added = from.get(kKinds);
  if (!added.is_array()) return;
  Json joined = to.get(kKinds);
  Json::Items& kinds = joined.make_array();
  const std::size_t before = kinds.size();
  for (const Json& each : added.items()) {
    if (std::ranges::find(kinds, each) == kinds.end()) kinds.push_back(each);
  }
  if (kinds.size() == before) return;
  std::ranges::sort(kinds, {}, [](const Json& each) {
    return std::array<std::string, 3>{each.text_at({"group"}), each.text_at({"version"}),
                                      each.text_at({"kind"})};
  });
  to.set(kKinds, std::move(joined));
}

void add_members(Json& section, Json added) {
  std::map<std::string, std::size_t, std::less<>> places;
  Json::Members& members = section.make_object();
  for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].key, i);
  for (Json::Member& each : added.make_object()) {
    const auto place = places.find(each.key);
    if (place == places.end()) {
      members.push_back(std::move(each));
    } else {
      join_kinds(each.value, members[place->second].value);
    }
  }
}

}  // namespace

std::optional<Json> openapi_below(const Json& document, std::string_view prefix) {
  const Json& paths = document.get("paths");
  if (!document.is_object() || !has_objects_only(paths)) return std::nullopt;
  for (const Section& section : kSections) {
    if (!has_objects_only(document.get(section.name))) return std::nullopt;
  }
  Json kept = Json::object();
  for (const Json::Member& each : paths.members()) {
    if (each.key.starts_with(prefix)) kept.make_object().push_back(each);
  }
  return document_of(document, std::move(kept));
}

void merge_openapi(Json& into, const Json& source) {
  References known;
  for (const Json::Member& each : into.get("paths").members()) known.insert(each.key);
  Json paths = Json::object();
  for (const Json::Member& each : source.get("paths").members()) {
    if (!known.contains(each.key)) paths.make_object().push_back(each);
  }
  if (paths.members().empty()) return;
  const bool is_whole = paths.members().size() == source.get("paths").members().size();
  Json added = is_whole ? source : document_of(source, std::move(paths));
  rename(renames_of(into, added), added);
  for (const Section& section : kSections) {
    Json& members = added[section.name];
    if (!members.members().empty()) add_members(into[section.name], std::move(members));
  }
  add_members(into["paths"], std::move(added["paths"]));
}

}  // namespace davit::sandbox

#include "testing/explore/content.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <set>

#include "host/election/leader_election.hpp"

namespace davit::explore {
namespace {

/// Members that hold what no two runs share.
constexpr std::string_view kLeftOut[] = {
    "uid", "resourceVersion", "managedFields", "creationTimestamp", "generation", "selfLink"};
constexpr std::size_t kUuidSize = 36;
constexpr std::size_t kTimeSize = 20;

bool is_uuid(std::string_view text) {
  constexpr std::size_t kDashes[] = {8, 13, 18, 23};
  for (std::size_t i = 0; i < kUuidSize; ++i) {
    const bool is_dash = std::ranges::find(kDashes, i) != std::end(kDashes);
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
  }
  return true;
}

/// "2024-05-01T12:00:00Z", with or without a fraction.
bool is_time(std::string_view text) {
  return text.size() >= kTimeSize && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text[13] == ':' && text.back() == 'Z';
}

std::string without_uuids(std::string text) {
  for (std::size_t at = 0; at + kUuidSize <= text.size(); ++at) {
    if (is_uuid(std::string_view(text).substr(at, kUuidSize))) text.replace(at, kUuidSize, "*");
  }
  return text;
}

/// Writes a tree with sorted members.
class TextWriter {
 public:
  using Rename = std::function<std::string(const std::string&)>;
  TextWriter(std::string generation, const std::vector<std::string>& left_out, Rename rename)
      : generation_(std::move(generation)), left_out_(left_out), rename_(std::move(rename)) {}

  void write(const Json& value, std::string& out) const {
    switch (value.kind()) {
      case Json::Kind::kObject:
        return write_members(value, out);
      case Json::Kind::kArray:
        out += '[';
        for (const Json& each : value.items()) {
          if (out.back() != '[') out += ',';
          write(each, out);
        }
        out += ']';
        return;
      case Json::Kind::kString:
        out += to_text(Json(shown(value.text())));
        return;
      default:
        out += to_text(value);
    }
  }

 private:
  void write_members(const Json& object, std::string& out) const {
    std::vector<const Json::Member*> sorted;
    for (const Json::Member& each : object.members()) {
      const bool is_left_out = std::ranges::find(kLeftOut, each.key) != std::end(kLeftOut) ||
                               std::ranges::find(left_out_, each.key) != left_out_.end();
      if (!is_left_out) sorted.push_back(&each);
    }
    std::ranges::sort(sorted, {}, &Json::Member::key);
    out += '{';
    for (const Json::Member* each : sorted) {
      if (out.back() != '{') out += ',';
      out += to_text(Json(shown(each->key))) + ':';
      const bool is_observed = each->key == "observedGeneration" && !generation_.empty();
      if (is_observed) {
        out += each->value.text() == generation_ ? "\"current\"" : "\"behind\"";
      } else {
        write(each->value, out);
      }
    }
    out += '}';
  }
  [[nodiscard]] std::string shown(const std::string& text) const {
    if (is_time(text)) return "<time>";
    return without_uuids(rename_(text));
  }

  const std::string generation_;
  const std::vector<std::string>& left_out_;
  const Rename rename_;
};

}  // namespace

bool Content::is_ignored(const sandbox::Collection& collection, const sandbox::Change& change) {
  const bool is_lock =
      collection.resource == "leases" && change.object->name == host::LeaderElectionOptions().name;
  return is_lock || collection.resource == "events";
}

std::optional<Content::Excess> Content::take(const sandbox::Collection& collection,
                                             const sandbox::Change& change, Writer by) {
  if (is_ignored(collection, change)) return std::nullopt;
  const sandbox::Version& version = *change.object;
  const Place place{collection, {version.ns, version.name}};
  const Json object = version.json();
  Entry after;
  if (change.type == sandbox::ChangeType::kAdded)
    remember_name(object, version.uid, version.revision);
  after.group = group_of(collection, object);
  after.uid = version.uid;
  if (const Json* const owners = object.at({"metadata", "ownerReferences"})) {
    for (const Json& each : owners->items()) after.owners.push_back(each.get("uid").text());
  }
  const bool is_there = change.type != sandbox::ChangeType::kDeleted;
  after.is_deleting = !is_there || object.at({"metadata", "deletionTimestamp"}) != nullptr;
  after.is_live = !after.is_deleting;
  Entry before;
  if (const auto known = objects_.find(place); known != objects_.end()) {
    before = std::move(known->second);
    drop(before);
    objects_.erase(known);
  }
  std::optional<Excess> excess = count(collection, before, after, by);
  if (is_there) {
    after.text = version.ns + "/" + text_of(object);
    hash_ += std::hash<std::string>()(after.text);
    objects_.emplace(place, std::move(after));
  }
  return excess;
}

void Content::drop(const Entry& entry) {
  hash_ -= std::hash<std::string>()(entry.text);
  if (entry.is_live) --live_[entry.group];
}

std::optional<Content::Excess> Content::count(const sandbox::Collection& collection,
                                              const Entry& before, const Entry& after, Writer by) {
  std::optional<Excess> excess;
  const auto limit_of = [](const Counts& counts, const std::string& group) {
    const auto found = counts.find(group);
    return found == counts.end() ? 0 : found->second;
  };
  if (after.is_live) {
    const int now = ++live_[after.group];
    int& most = seen_.most[after.group];
    most = std::max(most, now);
    if (limits_ != nullptr && by == Writer::kController) {
      const int limit = limit_of(limits_->most, after.group);
      if (now > limit && !before.is_live) {
        excess = {"surplus", collection.resource,
                  "there are " + std::to_string(now) + " " + after.group +
                      ", and never more than " + std::to_string(limit) + " in the undisturbed run"};
      }
    }
  }
  if (after.is_deleting && !before.is_deleting && by == Writer::kController) {
    const int now = ++seen_.deletions[after.group];
    const int limit = limits_ == nullptr ? now : limit_of(limits_->deletions, after.group);
    if (now > limit) {
      excess = {"deletion", collection.resource,
                "the controllers delete " + std::to_string(now) + " " + after.group + ", and " +
                    std::to_string(limit) + " in the undisturbed run"};
    }
  }
  return excess;
}

void Content::remember_name(const Json& object, const std::string& uid,
                            sandbox::Revision revision) {
  born_[uid] = revision;
  const std::string& prefix = object.text_at({"metadata", "generateName"});
  const std::string& name = object.text_at({"metadata", "name"});
  if (!prefix.empty() && name.starts_with(prefix)) generated_[name] = prefix + "*";
}

sandbox::Revision Content::born(const std::string& uid) const {
  const auto found = born_.find(uid);
  return found == born_.end() ? 0 : found->second;
}

std::vector<Content::Place> Content::left_over() const {
  std::set<std::string> uids;
  for (const auto& [place, entry] : objects_) uids.insert(entry.uid);
  std::vector<Place> out;
  for (const auto& [place, entry] : objects_) {
    const bool is_owned = std::ranges::any_of(
        entry.owners, [&uids](const std::string& each) { return uids.contains(each); });
    if (!entry.owners.empty() && !is_owned && !entry.is_deleting) out.push_back(place);
  }
  return out;
}

std::string Content::common_name(const std::string& name) const {
  const auto found = generated_.find(name);
  return found == generated_.end() ? name : found->second;
}

std::string Content::text_of(const Json& object) const {
  const Json* generation = object.at({"metadata", "generation"});
  const TextWriter writer(generation == nullptr ? "" : generation->text(), left_out_,
                          [this](const std::string& text) { return common_name(text); });
  std::string out;
  writer.write(object, out);
  return out;
}

std::string Content::group_of(const sandbox::Collection& collection, const Json& object) const {
  std::string group = collection.resource;
  const Json* owners = object.at({"metadata", "ownerReferences"});
  if (owners == nullptr) return group;
  for (const Json& each : owners->items()) {
    if (!each.get("controller").boolean()) continue;
    group += " of " + each.get("kind").text() + "/" + common_name(each.get("name").text());
  }
  return group;
}

std::vector<std::string> Content::picture() const {
  std::vector<std::string> texts;
  for (const auto& [place, entry] : objects_) texts.push_back(entry.text);
  std::ranges::sort(texts);
  return texts;
}

std::string first_difference(const std::vector<std::string>& expected,
                             const std::vector<std::string>& found) {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::ranges::set_difference(expected, found, std::back_inserter(missing));
  std::ranges::set_difference(found, expected, std::back_inserter(extra));
  if (missing.empty() && extra.empty()) return "";
  if (missing.empty()) return "there is more than in the undisturbed run: " + extra.front();
  if (extra.empty()) return "there is less than in the undisturbed run: " + missing.front();
  // Equal objects stand side by side in most cases: only the place where they differ is shown.
  constexpr std::size_t kShown = 200;
  constexpr std::size_t kBefore = 60;
  const std::string& wanted = missing.front();
  const std::string& got = extra.front();
  const auto first =
      static_cast<std::size_t>(std::ranges::mismatch(wanted, got).in1 - wanted.begin());
  const std::size_t from = first - std::min(first, kBefore);
  return "an object has " + got.substr(from, kShown) + " where the undisturbed run has " +
         wanted.substr(from, kShown) + ", in " + wanted.substr(0, kShown);
}

}  // namespace davit::explore

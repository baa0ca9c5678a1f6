#include "host/why/story.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

std::string key_of(const JournalObject& object) {
  return object.ns.empty() ? object.name : object.ns + "/" + object.name;
}

std::string lower(std::string text) {
  for (char& each : text) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return text;
}

/// Pod, Job, CronJob; further ones would be a mistake, or a circle.
constexpr std::size_t kOwnersMax = 8;
/// Syncs of a key that put each other off, of which the first has the event.
constexpr std::size_t kPutOffsMax = 1000;

using Resource = std::pair<std::string, std::string>;  // Group and plural.

/// The resource that a controller's keys name, as far as its records show it.
class KeyReader {
 public:
  explicit KeyReader(const ControllerRecords& records) : controller_(records.controller) {
    std::map<Resource, std::size_t> counts;
    const auto count = [&](const WorkRecord& record) {
      const auto look = [&](const JournalObject& object) {
        if (!object.resource.empty() && key_of(object) == record.key) {
          ++counts[{object.group, object.resource}];
        }
      };
      for (const Wake& each : record.wakes) look(each.object);
      for (const Write& each : record.writes) look(each.object);
    };
    records.acts(count);
    records.idle(count);
    std::size_t most = 0;
    for (const auto& [resource, times] : counts) {
      if (times <= most) continue;
      most = times;
      resource_ = resource;
    }
  }

  /// Whether its key of that name is for `object`.
  [[nodiscard]] bool means(const StoryObject& object) const {
    if (resource_) return *resource_ == Resource(object.object.group, object.object.resource);
    return !object.kind.empty() && controller_.starts_with(lower(object.kind) + "-");
  }

 private:
  const std::string controller_;
  std::optional<Resource> resource_;
};

class Teller {
 public:
  Teller(const std::vector<ControllerRecords>& records, const KindOf& kind_of)
      : records_(records), kind_of_(kind_of) {
    for (const ControllerRecords& each : records) readers_.emplace_back(each);
  }

  Story tell(const JournalObject& target, const std::string& kind) {
    add({.object = target, .kind = kind});
    // An owner comes before what it owns, but the records of controllers are not in one order.
    for (std::size_t known = 0; known != story_.objects.size();) {
      known = story_.objects.size();
      for (const ControllerRecords& each : records_) {
        each.acts([this](const WorkRecord& record) { find_owned(record); });
      }
    }
    find_owners();
    for (std::size_t i = 0; i < records_.size(); ++i) collect(i);
    std::stable_sort(
        story_.entries.begin(), story_.entries.end(),
        [](const StoryEntry& a, const StoryEntry& b) { return a.record.began < b.record.began; });
    return std::move(story_);
  }

 private:
  using Named = std::pair<std::string, std::string>;  // Kind and name.

  void add(StoryObject object) {
    const std::size_t place = story_.objects.size();
    places_.emplace(object.object, place);
    by_key_.emplace(key_of(object.object), place);
    by_name_.emplace(Named(object.kind, object.object.name), place);
    story_.objects.push_back(std::move(object));
  }

  StoryObject* find(const JournalObject& object) {
    const auto found = places_.find(object);
    return found == places_.end() ? nullptr : &story_.objects[found->second];
  }

  const StoryObject* owner_of(const Write& write) {
    if (write.owner_kind.empty()) return nullptr;
    const auto [first, last] = by_name_.equal_range(Named(write.owner_kind, write.owner_name));
    for (auto each = first; each != last; ++each) {
      const StoryObject& owner = story_.objects[each->second];
      if (owner.object.ns.empty() || owner.object.ns == write.object.ns) return &owner;
    }
    return nullptr;
  }

  void find_owned(const WorkRecord& record) {
    for (const Write& write : record.writes) {
      if (StoryObject* const known = find(write.object)) {
        const bool deletes = write.verb == "delete" && write.subresource.empty();
        if (write.reason.empty()) known->is_deleted = deletes;
        continue;
      }
      const StoryObject* const owner = owner_of(write);
      const bool has_name = !write.object.name.empty() && write.object.name.back() != '*';
      if (owner == nullptr || !has_name) continue;
      add({.object = write.object,
           .kind = kind_of_ ? kind_of_(write.object.group, write.object.resource) : "",
           .depth = owner->depth + 1,
           .is_deleted = write.verb == "delete" && write.reason.empty()});
    }
  }

  /// Kind and name of the controller of `object`, as the last write of it had them.
  std::optional<Named> owner_name_of(const JournalObject& object) const {
    std::optional<Named> found;
    for (const ControllerRecords& each : records_) {
      each.acts([&](const WorkRecord& record) {
        for (const Write& write : record.writes) {
          if (write.object != object || write.owner_kind.empty()) continue;
          found = Named(write.owner_kind, write.owner_name);
        }
      });
    }
    return found;
  }

  /// The object of that kind and name that an object in `ns` may belong to, if davit wrote it or
  /// was woken by it.
  std::optional<JournalObject> seen(const Named& wanted, const std::string& ns) const {
    std::optional<JournalObject> found;
    const auto look = [&](const JournalObject& object) {
      const bool may_own = object.ns.empty() || object.ns == ns;
      if (object.name != wanted.second || !may_own || !kind_of_) return;
      if (kind_of_(object.group, object.resource) == wanted.first) found = object;
    };
    const auto read = [&look](const WorkRecord& record) {
      for (const Write& each : record.writes) look(each.object);
      for (const Wake& each : record.wakes) look(each.object);
    };
    for (const ControllerRecords& each : records_) {
      if (!found) each.acts(read);
      if (!found) each.idle(read);
    }
    return found;
  }

  void find_owners() {
    JournalObject child = story_.objects.front().object;
    while (story_.owners.size() < kOwnersMax) {
      const std::optional<Named> name = owner_name_of(child);
      if (!name) return;
      const std::optional<JournalObject> owner = seen(*name, child.ns);
      if (!owner) {
        story_.owners.push_back({.object = {"", "", child.ns, name->second}, .kind = name->first});
        return;
      }
      story_.owners.push_back({.object = *owner, .kind = name->first});
      child = *owner;
    }
  }

  /// Whether the sync changed an owner of an object that davit deleted, which may be the reason.
  [[nodiscard]] bool changed_owner(const WorkRecord& record) const {
    if (!story_.objects.front().is_deleted) return false;
    return std::any_of(record.writes.begin(), record.writes.end(), [this](const Write& write) {
      return write.subresource.empty() && write.verb != "create" &&
             std::any_of(story_.owners.begin(), story_.owners.end(),
                         [&](const StoryObject& owner) { return owner.object == write.object; });
    });
  }

  const StoryObject* object_of_key(std::size_t controller, const std::string& key) const {
    const auto [first, last] = by_key_.equal_range(key);
    for (auto each = first; each != last; ++each) {
      const StoryObject& object = story_.objects[each->second];
      if (readers_[controller].means(object)) return &object;
    }
    return nullptr;
  }

  /// The object that the record is about; null: none of the story.
  const StoryObject* subject_of(std::size_t controller, const WorkRecord& record) {
    if (const StoryObject* const named = object_of_key(controller, record.key)) return named;
    for (const Write& each : record.writes) {
      if (const StoryObject* const found = find(each.object)) return found;
      if (const StoryObject* const owner = owner_of(each)) return owner;
    }
    for (const Wake& each : record.wakes) {
      if (const StoryObject* const found = find(each.object)) return found;
    }
    return nullptr;
  }

  void collect(std::size_t controller) {
    const ControllerRecords& of = records_[controller];
    std::map<std::string, StoryEntry> last;  // The last sync of each key, if it was idle.
    of.idle([&](const WorkRecord& record) {
      const StoryObject* const object = object_of_key(controller, record.key);
      if (object == nullptr) return;
      last.insert_or_assign(record.key, StoryEntry{of.controller, record, object->depth});
    });
    of.acts([&](const WorkRecord& record) {
      const StoryObject* const subject = subject_of(controller, record);
      if (subject == nullptr && !changed_owner(record)) return;
      story_.entries.push_back({of.controller, record, subject == nullptr ? 0 : subject->depth});
      if (subject == nullptr) return;
      const auto idle = last.find(record.key);
      if (idle != last.end() && idle->second.record.began < record.began) last.erase(idle);
    });
    for (std::size_t i = 0; i < story_.objects.size(); ++i) {
      if (!readers_[controller].means(story_.objects[i])) continue;
      story_.keys.push_back({of.controller, key_of(story_.objects[i].object), i});
    }
    for (auto& [key, entry] : last) story_.last.push_back(std::move(entry));
    explain_put_off(controller);
  }

  /// Finds why syncs without an event ran.
  void explain_put_off(std::size_t controller) {
    const ControllerRecords& of = records_[controller];
    std::map<std::string, std::map<Time, WorkRecord>> earlier;  // Without their writes.
    const auto needs = [&of](const StoryEntry& each) {
      return each.controller == of.controller && each.record.wakes.empty() && !each.record.is_timer;
    };
    for (const StoryEntry& each : story_.entries) {
      if (needs(each)) earlier.try_emplace(each.record.key);
    }
    if (earlier.empty()) return;
    const auto note = [&earlier](const WorkRecord& record) {
      const auto found = record.is_timer ? earlier.end() : earlier.find(record.key);
      if (found == earlier.end()) return;
      WorkRecord& kept = found->second[record.began];
      kept = record;
      kept.writes.clear();
    };
    of.acts(note);
    of.idle(note);
    for (StoryEntry& each : story_.entries) {
      if (needs(each)) each.put_off = put_off(earlier.at(each.record.key), each.record);
    }
  }

  static std::optional<PutOff> put_off(const std::map<Time, WorkRecord>& earlier,
                                       const WorkRecord& record) {
    std::optional<PutOff> out;
    auto at = earlier.lower_bound(record.began);
    for (std::size_t steps = 0; at != earlier.begin() && steps < kPutOffsMax; ++steps) {
      const WorkRecord& before = (--at)->second;
      const bool asked = before.again > Duration::zero() || before.is_retried;
      if (!asked) return out;
      if (!out) out = PutOff{before.began, before.again, {}};
      out->wakes = before.wakes;
      if (!out->wakes.empty()) return out;
    }
    return out;
  }

  const std::vector<ControllerRecords>& records_;
  const KindOf& kind_of_;
  std::vector<KeyReader> readers_;
  Story story_;
  std::map<JournalObject, std::size_t> places_;
  std::multimap<std::string, std::size_t> by_key_;
  std::multimap<Named, std::size_t> by_name_;
};

}  // namespace

std::uint32_t failures_in_a_row(const Story& story, const Story::Key& key) {
  const auto is_its = [&key](const StoryEntry& each) {
    return each.controller == key.controller && each.record.key == key.key;
  };
  if (std::any_of(story.last.begin(), story.last.end(), is_its)) return 0;
  const auto last = std::find_if(story.entries.rbegin(), story.entries.rend(), is_its);
  if (last == story.entries.rend()) return 0;
  const std::int32_t code = last->record.code;
  return code == DAVIT_OK || code == DAVIT_CANCELLED ? 0 : last->record.attempt + 1;
}

Story tell_story(const JournalObject& target, const std::string& kind,
                 const std::vector<ControllerRecords>& records, const KindOf& kind_of) {
  return Teller(records, kind_of).tell(target, kind);
}

}  // namespace davit::host

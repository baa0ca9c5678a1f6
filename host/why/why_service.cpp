#include "host/why/why_service.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <davit/kube/group_version.hpp>
#include <davit/kube/time.hpp>
#include <utility>

#include "host/run/code_name.hpp"
#include "host/why/object_argument.hpp"
#include "host/why/present_state.hpp"
#include "host/why/why_text.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

/// As many as a person reads and a socket carries.
constexpr std::size_t kEntriesMax = 100;
/// Objects that are read from the server for one answer.
constexpr std::size_t kReadMax = 20;
/// Controllers of an object that are read for one answer; real chains have three.
constexpr std::size_t kLiveOwnersMax = 8;
constexpr Duration kReadTimeout = std::chrono::seconds(2);
/// A controller makes such a page from its memory. One that takes longer is not asked again.
constexpr Duration kPageTimeout = std::chrono::seconds(1);
/// Lines of a controller about one key, and the part of each that is shown.
constexpr std::size_t kWaitsMax = 4;
constexpr std::size_t kWaitBytesMax = 600;

ControllerRecords::Each each_of(RecordRing::Snapshot chunks) {
  return [chunks = std::move(chunks)](const ControllerRecords::Look& look) {
    for (const auto& chunk : chunks) {
      std::vector<WorkRecord> read;
      chunk->read(read);
      for (const WorkRecord& each : read) look(each);
    }
  };
}

/// The first resource of a group that `matches` accepts, in the server's preferred version if that
/// has one; null: none.
template <typename Matches>
const ResourceInfo* find_info(const ApiCatalog& catalog, std::string_view group,
                              const Matches& matches) {
  const ApiCatalog::Group* const found = catalog.group(group);
  if (found == nullptr) return nullptr;
  for (const ApiCatalog::Version& version : found->versions) {
    for (const ResourceInfo& info : version.resources) {
      if (matches(info)) return &info;
    }
  }
  return nullptr;
}

const ResourceInfo* info_of(const ApiCatalog& catalog, std::string_view group,
                            std::string_view resource) {
  return find_info(catalog, group,
                   [&](const ResourceInfo& info) { return info.resource == resource; });
}

const ResourceInfo* info_of_kind(const ApiCatalog& catalog, std::string_view group,
                                 std::string_view kind) {
  return find_info(catalog, group, [&](const ResourceInfo& info) { return info.kind == kind; });
}

/// The reference of an object to its controller; null: it has none.
const Json* controller_reference(const Json& object) {
  for (const Json& each : object.get("metadata").get("ownerReferences").items()) {
    if (each.get("controller").boolean()) return &each;
  }
  return nullptr;
}

ApiRequest read_of(const JournalObject& object, const ResourceInfo& info) {
  ApiRequest request;
  request.path = {object.group, info.version, info.resource, "", object.ns, object.name};
  request.timeout = kReadTimeout;
  return request;
}

/// The failure of the last record of a key, unless a later sync found all well; empty: none.
std::string last_failure(const Story& story, const Story::Key& key) {
  const auto is_its = [&](const StoryEntry& each) {
    return each.controller == key.controller && each.record.key == key.key;
  };
  if (std::any_of(story.last.begin(), story.last.end(), is_its)) return {};
  const auto last = std::find_if(story.entries.rbegin(), story.entries.rend(), is_its);
  if (last == story.entries.rend()) return {};
  for (const Write& each : last->record.writes) {
    if (each.reason.empty()) continue;
    return each.verb + " " + each.object.resource + " failed: " + each.message;
  }
  if (last->record.code == DAVIT_OK) return {};
  return last->record.error.empty() ? code_name(last->record.code) : last->record.error;
}

std::string running_text(const ControllerJournal::Running& running, std::size_t waiting_for_rate,
                         Time now) {
  std::string text = "is syncing since " + short_time(now - running.began);
  if (running.request.empty()) return text;
  text += " and waits for " + running.request + " since " + short_time(now - running.requested);
  if (waiting_for_rate > 0) {
    text += "; " + std::to_string(waiting_for_rate) +
            " requests of this controller wait for its rate limit";
  }
  return text;
}

/// Nothing: the key is idle.
std::string queued_text(const KeyState& state, const std::string& failure, Time now) {
  if (state.held_until) {
    return "waits until the caches show its own last writes (read your writes), at most another " +
           short_time(*state.held_until - now);
  }
  std::string text;
  if (state.state == QueueEntry::State::kQueued) {
    text = "waits for a worker since " + short_time(now - state.since);
  } else if (state.due && state.failures > 0) {
    text = "failed " + std::to_string(state.failures) + " times in a row and tries again in " +
           short_time(*state.due - now) + " (back-off)";
  } else if (state.due) {
    text = "syncs again in " + short_time(*state.due - now) + ", as it asked for (deadline)";
  }
  if (!failure.empty()) text += (text.empty() ? "last attempt: " : "; last attempt: ") + failure;
  return text;
}

/// A key that was given up after so many failures is in no queue.
std::string dropped_text(std::uint32_t failures, const std::string& failure) {
  return "was dropped after " + std::to_string(failures) +
         " failures in a row and waits for a change; last attempt: " + failure;
}

/// A sync that deleted all objects of a resource in a namespace.
struct CollectionDeletion {
  std::string controller;
  std::string key;
  Time when{};
};

/// The last one that `object` may have gone with; nothing: the records have none.
std::optional<CollectionDeletion> collection_deletion(
    const JournalObject& object, const std::vector<ControllerRecords>& records) {
  const JournalObject collection{object.group, object.resource, object.ns, ""};
  std::optional<CollectionDeletion> last;
  for (const ControllerRecords& each : records) {
    each.acts([&](const WorkRecord& record) {
      for (const Write& write : record.writes) {
        const bool deletes = write.verb == "deletecollection" && write.reason.empty();
        if (!deletes || write.object != collection) continue;
        if (!last || last->when < write.began) last = {each.controller, record.key, write.began};
      }
    });
  }
  return last;
}

/// A line about an object that the server does not have.
std::string disappearance(const WhyAnswer& answer,
                          const std::optional<CollectionDeletion>& deletion) {
  if (answer.story.objects.front().is_deleted) return "davit deleted it";
  if (deletion) {
    return "davit deleted all " + answer.target.object.resource + " of its namespace at " +
           format_micro_time(answer.clock.wall(deletion->when)) + ": " + deletion->controller +
           ", sync of " + deletion->key;
  }
  std::string text = "the journal shows no deletion by davit";
  if (answer.reaches_back_to) {
    text += "; it reaches back to " + format_micro_time(answer.clock.wall(*answer.reaches_back_to));
  }
  return text;
}

}  // namespace

std::vector<ControllerRecords> WhyService::records(std::optional<Time>& reaches_back_to) const {
  std::vector<ControllerRecords> all;
  for (const std::string& name : sources_.journal.controllers()) {
    ControllerJournal::Snapshot taken = sources_.journal.find(name)->snapshot();
    if (taken.acts_since) {
      reaches_back_to = std::max(reaches_back_to.value_or(*taken.acts_since), *taken.acts_since);
    }
    all.push_back({name, each_of(std::move(taken.acts)), each_of(std::move(taken.idle))});
  }
  return all;
}

std::vector<std::string> WhyService::waits_of(const Story::Key& key,
                                              std::set<std::string>& silent) const {
  std::vector<std::string> lines;
  if (!sources_.controller_page || silent.contains(key.controller)) return lines;
  const Result<std::string> page = sources_.controller_page(key.controller, "waits/" + key.key,
                                                            sources_.clock.now() + kPageTimeout);
  if (!page) {
    silent.insert(key.controller);
    if (page.error().code() != Code::kNotFound) {
      lines.push_back("may wait for more: " + page.error().message());
    }
    return lines;
  }
  for (std::string_view rest = *page; !rest.empty() && lines.size() < kWaitsMax;) {
    const std::string_view line = take_until(rest, "\n");
    // Some controllers have one page for all paths.
    if (line.starts_with("waits ")) lines.emplace_back(line.substr(0, kWaitBytesMax));
  }
  return lines;
}

std::string WhyService::other_leader() const {
  return sources_.other_leader ? sources_.other_leader() : std::string();
}

void WhyService::add_keys(WhyAnswer& answer) const {
  const Time now = answer.clock.now();
  std::set<std::string> silent;  // Controllers without such pages, or that do not make them.
  const SetState set = sources_.serving.state();
  const auto state_of = [&](const std::string& controller) -> std::string {
    for (const PluginState& plugin : set.plugins) {
      for (const ControllerState& each : plugin.controllers) {
        if (each.name == controller) return each.state;
      }
    }
    return "off";
  };
  for (const Story::Key& key : answer.story.keys) {
    const StoryObject& object = answer.story.objects[key.object];
    if (object.is_deleted) continue;
    const auto say = [&](std::string text) {
      answer.now.push_back({key.controller + " " + key.key, std::move(text), object.depth});
    };
    const std::string state = state_of(key.controller);
    if (state != "running") {
      const std::string leader = state == "standby" ? other_leader() : std::string();
      say("the controller does not sync: it is " + state +
          (leader.empty() ? "" : "; the leader is " + leader));
    }
    for (std::string& each : waits_of(key, silent)) say(std::move(each));
    const std::optional<ServingPlugins::Guarded> guarded = sources_.serving.guard(key.controller);
    if (!guarded) continue;
    ControllerAbi& abi = guarded->host->abi();
    bool is_idle = true;
    for (const auto& running : sources_.journal.find(key.controller)->snapshot().running) {
      if (running.is_timer || running.key != key.key) continue;
      say(running_text(running, abi.requests.waiting_for_rate(), now));
      is_idle = false;
    }
    const std::string failure = last_failure(answer.story, key);
    std::string waits;
    bool is_queued = false;
    for (const ControllerWork::QueuedKey& each : abi.work.find_key(key.key)) {
      is_queued = is_queued || each.state.state || each.state.due || each.state.held_until;
      if (std::string text = queued_text(each.state, failure, now); !text.empty()) waits = text;
    }
    const std::uint32_t failures = failures_in_a_row(answer.story, key);
    if (is_idle && !is_queued && failures > 0) waits = dropped_text(failures, failure);
    if (waits.empty()) waits = queued_text({}, failure, now);
    if (!waits.empty()) {
      say(waits);
    } else if (is_idle && state == "running") {
      const auto last = std::find_if(
          answer.story.last.begin(), answer.story.last.end(), [&](const StoryEntry& each) {
            return each.controller == key.controller && each.record.key == key.key;
          });
      say(last == answer.story.last.end()
              ? "has nothing to do and waits for a change"
              : "found nothing to do " + short_time(now - last->record.began) +
                    " ago and waits for a change");
    }
  }
}

void WhyService::add_owners(WhyAnswer& answer, const Json& object,
                            const ApiCatalog& catalog) const {
  Json child = object;
  while (answer.story.owners.size() < kLiveOwnersMax) {
    const Json* const reference = controller_reference(child);
    if (reference == nullptr) return;
    const std::string& kind = reference->get("kind").text();
    const ResourceInfo* const info =
        info_of_kind(catalog, split_api_version(reference->get("apiVersion").text()).group, kind);
    StoryObject owner{.object = {"", "", "", reference->get("name").text()}, .kind = kind};
    if (info != nullptr) {
      owner.object = {info->group, info->resource,
                      info->scope == Scope::kCluster ? "" : answer.target.object.ns,
                      owner.object.name};
    }
    answer.story.owners.push_back(owner);
    if (info == nullptr) return;
    const ApiResponse response = sources_.reader.call(read_of(owner.object, *info));
    if (!response.status.ok()) return;
    Result<Json> read = parse_json(response.body);
    const bool is_same = read && read->text_at({"metadata", "uid"}) == reference->get("uid").text();
    if (!is_same) return;  // Another object has the owner's name now.
    child = *std::move(read);
  }
}

std::optional<bool> WhyService::add_present(WhyAnswer& answer, const ApiCatalog& catalog) const {
  std::optional<bool> has_target;
  std::size_t read = 0;
  // The target first, then what was made last.
  std::vector<const StoryObject*> order = {&answer.story.objects.front()};
  for (auto each = answer.story.objects.rbegin(); each + 1 != answer.story.objects.rend(); ++each) {
    if (!each->is_deleted) order.push_back(&*each);
  }
  for (const StoryObject* const each : order) {
    const ResourceInfo* const info = info_of(catalog, each->object.group, each->object.resource);
    if (info == nullptr || ++read > kReadMax) continue;
    const ApiResponse response = sources_.reader.call(read_of(each->object, *info));
    const bool is_target = each == order.front();
    const std::string subject = name_text(each->object);
    if (response.status.code() == Code::kNotFound) {
      if (is_target) {
        has_target = false;
        answer.now.push_back({subject, "does not exist", each->depth});
      }
      continue;
    }
    if (!response.status.ok()) {
      answer.now.push_back(
          {subject, "cannot be read now: " + response.status.message(), each->depth});
      if (!is_target) continue;
      if (response.http_status == 0) return has_target;  // The others would not respond, either.
      continue;
    }
    if (is_target) has_target = true;
    const Result<Json> object = parse_json(response.body);
    if (!object) continue;
    if (is_target && answer.story.owners.empty()) add_owners(answer, *object, catalog);
    for (std::string& line : hindrances(*object)) {
      answer.now.push_back({subject, std::move(line), each->depth});
    }
  }
  return has_target;
}

Result<WhyAnswer> WhyService::answer(const WhyRequest& request) const {
  if (sources_.journal.bytes_max() == 0) {
    return Status(Code::kUnsupported, "this host keeps no journal: journal.bytes is 0");
  }
  const Result<Catalog> catalog = sources_.discovery.catalog();
  if (!catalog) return catalog.error();
  const Result<ObjectArgument> resolved = resolve_object(request.object, **catalog);
  if (!resolved) return resolved.error();
  const ResourceInfo& info = resolved->resource;
  const JournalObject target{info.group, info.resource,
                             info.scope == Scope::kCluster ? "" : request.ns, resolved->name};
  WhyAnswer made{.target = {target, info.kind},
                 .story = {},
                 .now = {},
                 .reaches_back_to = {},
                 .clock = WallClockReading(sources_.clock)};
  const std::vector<ControllerRecords> all = records(made.reaches_back_to);
  made.story = tell_story(target, info.kind, all,
                          [&](const std::string& group, const std::string& resource) {
                            const ResourceInfo* const found = info_of(**catalog, group, resource);
                            return found == nullptr ? std::string() : found->kind;
                          });
  const std::optional<bool> exists = add_present(made, **catalog);
  const bool is_gone = exists.has_value() && !*exists;
  std::optional<CollectionDeletion> deletion;
  if (is_gone) {
    deletion = collection_deletion(target, all);
    made.now.push_back({name_text(target), disappearance(made, deletion), 0});
  }
  const bool is_known = !made.story.entries.empty() || !made.story.last.empty() || deletion;
  if (!is_known && !exists.value_or(false)) {
    std::string text = "nothing known of " + name_text(target) + "; ";
    text += made.reaches_back_to ? "the journal reaches back to " +
                                       format_micro_time(made.clock.wall(*made.reaches_back_to))
                                 : "no controller of this host has worked yet (it does not lead)";
    if (is_gone && made.reaches_back_to) text += " and shows no deletion by davit";
    if (const std::string leader = other_leader(); !leader.empty()) {
      text += "; the leader, " + leader + ", may know more";
    }
    return Status(Code::kNotFound, printable(text));
  }
  if (const std::string leader = other_leader(); !leader.empty()) {
    made.now.push_back({"this host", "does not lead; " + leader + " does, and knows more", 0});
  }
  add_keys(made);
  if (made.story.entries.size() > kEntriesMax) {
    made.left_out = made.story.entries.size() - kEntriesMax;
    made.story.entries.erase(
        made.story.entries.begin(),
        made.story.entries.begin() + static_cast<std::ptrdiff_t>(made.left_out));
  }
  return made;
}

Result<std::string> WhyService::respond(const WhyRequest& request) const {
  const Result<WhyAnswer> made = answer(request);
  if (!made) return made.error();
  switch (request.output) {
    case WhyRequest::Output::kJson:
      return to_json(*made);
    case WhyRequest::Output::kTimeline:
      return to_timeline(*made);
    case WhyRequest::Output::kText:
      break;
  }
  return to_text(*made);
}

Result<DebugResponse> WhyService::page(std::string_view query) const {
  constexpr int kBadRequest = 400;
  const WhyRequest request = why_request_of_query(query);
  const Result<std::string> answer = respond(request);
  DebugResponse page;
  if (!answer && answer.error().code() != Code::kInvalid) return answer.error();
  page.body = answer ? *answer : answer.error().message();
  page.body += "\n";
  if (!answer) page.http_status = kBadRequest;
  if (answer && request.output == WhyRequest::Output::kJson) page.content_type = "application/json";
  return page;
}

}  // namespace davit::host

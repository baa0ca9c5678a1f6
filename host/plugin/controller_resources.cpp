/// What a controller opens through the ABI: informers, queues, timers.
#include <algorithm>
#include <charconv>
#include <utility>

#include "host/object/abi.hpp"
#include "host/object/field_path.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// As many threads as a note or an operator may ask for.
constexpr std::uint32_t kWorkersMax = 1000;

/// Each renewal of a silent watch is a request, and a watch has whole seconds.
constexpr Duration kSilenceShortest = std::chrono::seconds(1);

/// What goes before an index's path to name it in the shared store: two controllers may give one
/// name to different paths. No path begins so, and no common index.
constexpr char kSharedPrefix = '.';

/// The indexes that every informer has; the empty name stands for all objects.
bool is_common_index(std::string_view name) {
  return name.empty() || name == DAVIT_INDEX_NAMESPACE || name == DAVIT_INDEX_CONTROLLER ||
         name == DAVIT_INDEX_LABEL;
}

}  // namespace

const DeclaredWatch* ControllerHost::find_watch(const davit_informer_options& options) const {
  for (const DeclaredWatch& watch : options_.declared.watches) {
    if (watch.group == view(options.group) && watch.version == view(options.version) &&
        watch.resource == view(options.resource) &&
        watch.label_selector == view(options.label_selector) &&
        watch.field_selector == view(options.field_selector)) {
      return &watch;
    }
  }
  return nullptr;
}

std::string ControllerHost::undeclared_watch_text(const davit_informer_options& options) const {
  JsonText wanted('{');
  wanted.text("group", view(options.group))
      .text("version", view(options.version))
      .text("resource", view(options.resource));
  const std::string_view fields = view(options.field_selector);
  const std::string_view labels = view(options.label_selector);
  if (!fields.empty()) wanted.text("fieldSelector", fields);
  if (!labels.empty()) wanted.text("labelSelector", labels);
  std::string out = "the note declares no watch of " + std::string(view(options.resource)) +
                    " with this group, version and selectors: \"watches\" of " + name() +
                    " needs an entry " + wanted.str();
  for (const DeclaredWatch& each : options_.declared.watches) {
    if (each.group != view(options.group) || each.resource != view(options.resource)) continue;
    out += "; it has one with version " + json_string(each.version) + ", fieldSelector " +
           json_string(each.field_selector) + " and labelSelector " +
           json_string(each.label_selector);
  }
  return out;
}

std::string ControllerHost::undeclared_read_text() const {
  const std::optional<UndeclaredRead>& read = undeclared_read();
  if (!read) return "";
  auto [root, path] = services_.space.whereabouts(read->at);
  if (!read->member().empty()) add_member(path, read->member());
  const std::string field = json_string(path);
  for (const std::unique_ptr<OpenedInformer>& each : informers_) {
    if (each->mask != root) continue;
    const std::string resource = each->resource.resource;
    if (path.empty()) {
      return "the whole object of " + resource + " was read: read its fields, or take " +
             "\"projection\" out of that watch in the note";
    }
    return "the note of " + name() + " lets it read no " + field + " of " + resource +
           ": add it to \"projection\" of that watch";
  }
  return "no projection allows to read " + field;
}

davit_code ControllerHost::open_informer(const davit_informer_options& options, davit_handle& out) {
  const DeclaredWatch* watch = find_watch(options);
  if (watch == nullptr) {
    return refuse(DAVIT_UNDECLARED, undeclared_watch_text(options));
  }
  informers_.reserve(informers_.size() + 1);  // What fails later would leave a handle of nothing.
  auto opened = std::make_unique<OpenedInformer>();
  opened->resource = ResourceId{watch->group, watch->version, watch->resource};
  opened->label_selector = watch->label_selector;
  opened->field_selector = watch->field_selector;
  if (!watch->projection.empty()) {
    opened->projection = watch->projection;
    Result<Mask> mask = services_.space.add_projection(watch->projection);
    if (!mask) {
      return refuse(static_cast<davit_code>(mask.error().code()), mask.error().message());
    }
    opened->mask = *mask;
  }
  opened->self = options.self;
  opened->on_event = options.on_event;
  out = informer_handles_.insert(opened.get());
  informers_.push_back(std::move(opened));
  return DAVIT_OK;
}

davit_code ControllerHost::add_index(davit_handle handle, std::string_view name,
                                     std::string_view path) {
  OpenedInformer* opened = informer_handles_.find(handle).value_or(nullptr);
  if (opened == nullptr) return DAVIT_STALE;
  if (is_common_index(name)) {
    return refuse(DAVIT_ALREADY_EXISTS, "every informer has an index of this name");
  }
  for (const OpenedInformer::Index& index : opened->indexes) {
    if (index.name == name) return index.path == path ? DAVIT_OK : DAVIT_ALREADY_EXISTS;
  }
  if (Result<FieldPath> parsed = FieldPath::parse(services_.space, path); !parsed) {
    return refuse(DAVIT_INVALID, parsed.error().message());
  }
  opened->indexes.push_back(
      {std::string(name), std::string(path), kSharedPrefix + std::string(path)});
  return DAVIT_OK;
}

davit_code ControllerHost::limit_silence(davit_handle handle, Duration longest) {
  OpenedInformer* opened = informer_handles_.find(handle).value_or(nullptr);
  if (opened == nullptr) return DAVIT_STALE;
  if (longest < kSilenceShortest) {
    return refuse(DAVIT_INVALID, "a watch may be silent for a second at least");
  }
  opened->silence_max = std::min(opened->silence_max, longest);
  return DAVIT_OK;
}

const ControllerHost::OpenedInformer* ControllerHost::informer(davit_handle handle) const {
  return informer_handles_.find(handle).value_or(nullptr);
}

Result<std::vector<ObjectRef>> ControllerHost::OpenedInformer::select(std::string_view name,
                                                                      std::string_view key) const {
  if (is_common_index(name)) return informer->store().select(name, key);
  for (const Index& index : indexes) {
    if (index.name == name) return informer->store().select(index.shared_name, key);
  }
  return Status(Code::kNotFound, "no index '" + std::string(name) + "'");
}

davit_code ControllerHost::open_queue(const davit_queue_options& options, davit_handle& out) {
  if (options.sync == nullptr) return DAVIT_MISUSE;
  ControllerQueueOptions queue;
  queue.name = view(options.name);
  // A queue that names a number needs it, for example to sync one key at a time.
  queue.workers = options.workers != 0 ? std::min(options.workers, kWorkersMax)
                                       : options_.workers.value_or(options_.declared.workers);
  if (options.base_ms != 0) queue.retry.base = milliseconds_of(options.base_ms);
  if (options.max_ms != 0) queue.retry.max = milliseconds_of(options.max_ms);
  queue.retries_max = options.retries_max;
  hosted_queues_.reserve(hosted_queues_.size() + 1);  // The runner keeps pointers to the entry.
  auto hosted = std::make_unique<HostedQueue>();
  HostedQueue* const entry = hosted.get();
  entry->name = queue.name;
  entry->self = options.self;
  entry->sync = options.sync;
  entry->writes = std::make_unique<WriteTracker>(
      WriteTrackerOptions{.on_ready = [this, entry](std::vector<std::string> keys) {
        for (const std::string& key : keys) (void)runner_->caught_up(entry->id, key);
      }});
  queue.sync = [this, entry](std::string_view key, std::stop_token cancelled) {
    return sync(*entry, key, std::move(cancelled));
  };
  queue.gate = [this, entry](std::string_view key) -> std::optional<Time> {
    if (entry->writes->ready(key, services_.clock.now())) return std::nullopt;
    return entry->writes->deadline(key);
  };
  entry->id = runner_->open_queue(std::move(queue));
  hosted_queues_.push_back(std::move(hosted));
  out = queues_.insert(entry->id);
  return DAVIT_OK;
}

SyncOutcome ControllerHost::sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled) {
  CallFrame frame(&handle_, Phase::kSync, key, std::move(cancelled));
  frame.track_writes(*queue.writes, key);
  davit_sync_result result{};
  result.size = sizeof(result);
  std::string thrown;
  SyncOutcome outcome;
  outcome.code = guarded([&] { return queue.sync(queue.self, lend_view(key), &result); },
                         davit_code{DAVIT_INTERNAL}, thrown);
  outcome.again = milliseconds_of(result.again_ms);
  outcome.cancelled = frame.was_cancelled();
  if (outcome.code == DAVIT_UNDECLARED) frame.note_refusal(undeclared_read_text());
  outcome.error = thrown.empty() ? frame.error() : thrown;
  if (writes_.mode() != IntendedWrites::Mode::kOff) writes_.note_sync(outcome.code, outcome.error);
  counter_.ended(outcome.code);
  return outcome;
}

davit_code ControllerHost::start_timer(const davit_timer_options& options, davit_handle& out) {
  if (options.fire == nullptr) return DAVIT_MISUSE;
  // The handle comes first, because the timer may fire before its number is known here.
  const davit_handle handle = timers_.insert(TimerId{});
  const std::string writer = std::to_string(handle);
  TimerOptions timer;
  // What it writes the next run reads, as with the syncs of a key.
  timer.gate = [this, writer]() -> std::optional<Time> {
    if (timer_writes_->ready(writer, services_.clock.now())) return std::nullopt;
    return timer_writes_->deadline(writer);
  };
  timer.first = milliseconds_of(options.first_ms);
  timer.period = milliseconds_of(options.period_ms);
  timer.fire = [this, handle, writer, fire = options.fire, self = options.self,
                once = options.period_ms == 0](std::stop_token cancelled) {
    CallFrame call(&handle_, Phase::kSync, {}, std::move(cancelled));
    if (!once) call.track_writes(*timer_writes_, writer);
    std::string error;
    (void)guarded([&] { return fire(self), 0; }, 0, error);
    if (!error.empty()) {
      counter_.threw();
      log_.error("A timer failed", {{"err", error}});
    }
    if (once) (void)timers_.erase(handle);
  };
  out = handle;
  (void)timers_.replace(handle, runner_->start_timer(std::move(timer)));
  return DAVIT_OK;
}

void ControllerHost::timers_caught_up(const std::vector<std::string>& writers) {
  for (const std::string& writer : writers) {
    davit_handle handle = 0;
    std::from_chars(writer.data(), writer.data() + writer.size(), handle);
    if (const auto timer = timers_.find(handle)) runner_->caught_up(*timer);
  }
}

davit_code ControllerHost::refuse(davit_code code, std::string_view why) {
  if (CallFrame* call = frame()) call->note_refusal(why);
  return code;
}

}  // namespace davit::host

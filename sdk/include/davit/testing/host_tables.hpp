/// The capability tables of the in-memory cluster.
#pragma once

#include <davit/testing/host_requests.hpp>
#include <davit/testing/state.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit::testing::detail {

/// Handles are positions, with what they mean in the upper half.
enum class HandleKind : std::uint32_t {
  kQueue = 1,
  kTimer = 2,
  kInformer = 3,
  kMetric = 4,
  kObject = 5
};

[[nodiscard]] inline davit_handle make_handle(HandleKind kind, std::size_t index) {
  return (static_cast<davit_handle>(kind) << 32) | static_cast<davit_handle>(index + 1);
}
/// Null for a handle of another kind and for one that never was.
template <typename Items>
[[nodiscard]] auto* find_handle(HandleKind kind, Items& items, davit_handle handle) {
  const auto index = static_cast<std::size_t>(handle & 0xffffffffU);
  const bool valid = handle >> 32 == static_cast<davit_handle>(kind) && index > 0;
  return valid && index <= items.size() ? &items[index - 1] : nullptr;
}

struct HostObjects {
  static davit_name name(davit_host* host, davit_str text) {
    return HostState::of(host).cluster.space.intern(from_c(text));
  }
  static davit_code parse(davit_host* host, davit_str json, davit_value* out) {
    HostState& state = HostState::of(host);
    *out = davit_value{};
    Result<Json> parsed = Json::parse(from_c(json));
    if (!parsed) {
      state.error_text = parsed.error().message();
      return DAVIT_INVALID;
    }
    *out = state.cluster.lend(std::make_shared<Document>(state.cluster.space, std::move(*parsed)),
                              Projections::kFull);
    return DAVIT_OK;
  }
  static davit_code retain(davit_host* host, davit_value value, davit_handle* out) {
    HostState& state = HostState::of(host);
    if (value.object == nullptr) return DAVIT_NOT_FOUND;
    *out = make_handle(HandleKind::kObject, static_cast<std::size_t>(state.last_retained++));
    state.retained[*out] = value;
    state.retained_documents[*out] = Document::of(value).shared_from_this();
    return DAVIT_OK;
  }
  static davit_code retained(davit_host* host, davit_handle handle, davit_value* out) {
    const auto& all = HostState::of(host).retained;
    const auto found = all.find(handle);
    *out = found == all.end() ? davit_value{} : found->second;
    return found == all.end() ? DAVIT_STALE : DAVIT_OK;
  }
  static davit_code release(davit_host* host, davit_handle handle) {
    HostState& state = HostState::of(host);
    state.retained_documents.erase(handle);
    return state.retained.erase(handle) == 0 ? DAVIT_STALE : DAVIT_OK;
  }
};

struct HostInformers {
  static davit_code open(davit_host* host, const davit_informer_options* options,
                         davit_handle* out) {
    HostState& state = HostState::of(host);
    if (state.caller != Caller::kInit) return HostRequests::misuse(state, "open after init");
    const std::string resource(from_c(options->resource));
    const Watched watched{from_c(options->group), from_c(options->version), resource};
    const Selectors selectors{from_c(options->label_selector), from_c(options->field_selector)};
    const auto declared = state.declaration.watch(watched, selectors);
    if (!declared) {
      state.refuse("watch of undeclared " + resource + ": \"watches\" need " +
                   watch_entry(watched, selectors));
      return DAVIT_UNDECLARED;
    }
    const std::uint32_t mask = declared->projected
                                   ? state.cluster.space.projections.add(declared->paths)
                                   : Projections::kFull;
    *out = make_handle(HandleKind::kInformer, state.subscriptions.size());
    state.subscriptions.push_back({qualified(watched.group, resource), std::string(selectors.label),
                                   std::string(selectors.field), options->self, options->on_event,
                                   mask});
    return DAVIT_OK;
  }
  static davit_code add_index(davit_host* host, davit_handle informer, davit_str name,
                              davit_str path) {
    HostState& state = HostState::of(host);
    Subscription* found = find_handle(HandleKind::kInformer, state.subscriptions, informer);
    if (found == nullptr) return DAVIT_STALE;
    found->indexes[std::string(from_c(name))] = from_c(path);
    return DAVIT_OK;
  }
  static davit_code get(davit_host* host, davit_handle informer, davit_str ns, davit_str name,
                        davit_value* out) {
    HostState& state = HostState::of(host);
    *out = davit_value{};
    Subscription* found = find_handle(HandleKind::kInformer, state.subscriptions, informer);
    if (found == nullptr) return DAVIT_STALE;
    if (!may_read(state)) return DAVIT_MISUSE;
    const Cache& cache = state.cluster.caches[found->resource];
    const auto object = cache.objects.find(Key{std::string(from_c(ns)), std::string(from_c(name))});
    if (object == cache.objects.end() || !state.cluster.sees(*found, *object->second)) {
      return DAVIT_NOT_FOUND;
    }
    *out = state.cluster.lend(object->second, found->mask);
    return DAVIT_OK;
  }
  static davit_code select(davit_host* host, davit_handle informer, davit_str index, davit_str key,
                           davit_list* out) {
    HostState& state = HostState::of(host);
    *out = davit_list{};
    Subscription* found = find_handle(HandleKind::kInformer, state.subscriptions, informer);
    if (found == nullptr) return DAVIT_STALE;
    if (!may_read(state)) return DAVIT_MISUSE;
    const std::string_view name = from_c(index);
    const bool built_in = name.empty() || name == DAVIT_INDEX_NAMESPACE ||
                          name == DAVIT_INDEX_CONTROLLER || name == DAVIT_INDEX_LABEL;
    if (!built_in && found->indexes.count(std::string(name)) == 0) return DAVIT_NOT_FOUND;
    std::vector<davit_value>& values = state.cluster.loans.lists.emplace_back();
    for (const auto& [each, object] : state.cluster.caches[found->resource].objects) {
      if (!state.cluster.sees(*found, *object)) continue;
      if (!name.empty()) {
        const auto keys = index_keys(*found, name, object->json());
        if (std::find(keys.begin(), keys.end(), from_c(key)) == keys.end()) continue;
      }
      values.push_back(state.cluster.lend(object, found->mask));
    }
    *out = {values.data(), values.size()};
    return DAVIT_OK;
  }

 private:
  /// The entry of the note that would declare a watch.
  static std::string watch_entry(const Watched& watched, const Selectors& selectors) {
    std::string out = "{";
    const auto add = [&out](std::string_view key, std::string_view value) {
      out.append(out.size() == 1 ? "\"" : ",\"").append(key).append("\":\"");
      out.append(value).append("\"");
    };
    add("group", watched.group);
    add("version", watched.version);
    add("resource", watched.resource);
    if (!selectors.field.empty()) add("fieldSelector", selectors.field);
    if (!selectors.label.empty()) add("labelSelector", selectors.label);
    return out + "}";
  }
  static bool may_read(HostState& state) {
    if (state.caller == Caller::kHandler || state.caller == Caller::kSync) return true;
    static_cast<void>(HostRequests::misuse(state, "a cache read outside handlers and syncs"));
    return false;
  }
};

struct HostQueues {
  static davit_code open(davit_host* host, const davit_queue_options* options, davit_handle* out) {
    HostState& state = HostState::of(host);
    if (state.caller != Caller::kInit) return HostRequests::misuse(state, "open after init");
    *out = make_handle(HandleKind::kQueue, state.queues.size());
    state.queues.emplace_back(*options);
    return DAVIT_OK;
  }
  static davit_code add(davit_host* host, davit_handle queue, davit_str key) {
    return with(host, queue, [&](WorkQueue& q) { q.add(std::string(from_c(key))); });
  }
  static davit_code add_sharded(davit_host* host, davit_handle queue, davit_str key, davit_str) {
    return add(host, queue, key);  // One key runs at a time anyway.
  }
  static davit_code add_after(davit_host* host, davit_handle queue, davit_str key,
                              std::uint64_t delay_ms) {
    const Time due = HostState::of(host).cluster.now + std::chrono::milliseconds(delay_ms);
    return with(host, queue, [&](WorkQueue& q) { q.add_at(std::string(from_c(key)), due); });
  }
  static davit_code add_rate_limited(davit_host* host, davit_handle queue, davit_str key) {
    const Time now = HostState::of(host).cluster.now;
    return with(host, queue, [&](WorkQueue& q) {
      const std::string text(from_c(key));
      q.add_at(text, now + q.back_off(text));
    });
  }
  static davit_code forget(davit_host* host, davit_handle queue, davit_str key) {
    return with(host, queue, [&](WorkQueue& q) { q.forget(std::string(from_c(key))); });
  }
  static std::uint32_t failures(davit_host* host, davit_handle queue, davit_str key) {
    std::uint32_t count = 0;
    static_cast<void>(with(
        host, queue, [&](const WorkQueue& q) { count = q.failures(std::string(from_c(key))); }));
    return count;
  }

 private:
  template <typename Action>
  static davit_code with(davit_host* host, davit_handle queue, const Action& action) {
    WorkQueue* found = find_handle(HandleKind::kQueue, HostState::of(host).queues, queue);
    if (found == nullptr) return DAVIT_STALE;
    action(*found);
    return DAVIT_OK;
  }
};

struct HostTimers {
  static davit_code start(davit_host* host, const davit_timer_options* options, davit_handle* out) {
    HostState& state = HostState::of(host);
    *out = make_handle(HandleKind::kTimer, state.timers.size());
    state.timers.push_back(
        {*options, state.cluster.now + std::chrono::milliseconds(options->first_ms)});
    return DAVIT_OK;
  }
  static davit_code stop(davit_host* host, davit_handle timer) {
    TestTimer* found = find_handle(HandleKind::kTimer, HostState::of(host).timers, timer);
    if (found == nullptr) return DAVIT_STALE;
    *found = TestTimer{};
    return DAVIT_OK;
  }
};

struct HostRecords {
  static davit_code event(davit_host* host, const davit_reference* about, davit_str type,
                          davit_str reason, davit_str message) {
    const auto text = [](davit_str raw) { return std::string(from_c(raw)); };
    HostState::of(host).cluster.events.push_back(
        {text(type), text(reason), text(message), text(about->api_version), text(about->kind),
         text(about->ns), text(about->name), text(about->uid)});
    return DAVIT_OK;
  }
  static void log(davit_host* host, std::int32_t level, davit_str message,
                  const davit_log_field* fields, std::size_t count) {
    LogRecord record{level, std::string(from_c(message)), {}};
    for (std::size_t i = 0; i < count; ++i) {
      record.fields.emplace_back(from_c(fields[i].key), from_c(fields[i].value));
    }
    HostState::of(host).cluster.log.push_back(std::move(record));
  }
  static std::int32_t log_enabled(davit_host*, std::int32_t) { return 1; }
  static davit_code open_metric(davit_host* host, const davit_metric_options* options,
                                davit_handle* out) {
    auto& metrics = HostState::of(host).metrics;
    *out = make_handle(HandleKind::kMetric, metrics.size());
    metrics.emplace_back(from_c(options->name));
    return DAVIT_OK;
  }
  static davit_code metric(davit_host* host, davit_handle metric, double value,
                           const davit_str* labels, std::size_t count) {
    HostState& state = HostState::of(host);
    const std::string* name = find_handle(HandleKind::kMetric, state.metrics, metric);
    if (name == nullptr) return DAVIT_STALE;
    MetricSample sample{*name, value, {}};
    for (std::size_t i = 0; i < count; ++i) sample.labels.emplace_back(from_c(labels[i]));
    state.cluster.metrics.push_back(std::move(sample));
    return DAVIT_OK;
  }
};

struct HostMisc {
  static std::int64_t monotonic_ns(davit_host* host) {
    return HostState::of(host).cluster.now.time_since_epoch().count();
  }
  static std::int64_t wall_ns(davit_host* host) {
    return HostState::of(host).cluster.wall_now().time_since_epoch().count();
  }
  /// SplitMix64.
  static std::uint64_t random(davit_host* host) {
    std::uint64_t z = HostState::of(host).cluster.random_state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  static davit_value config(davit_host* host) {
    const DocumentPtr& config = HostState::of(host).config;
    return config == nullptr ? davit_value{} : config->value(Projections::kFull);
  }
  static void error_text(davit_host* host, davit_str text) {
    HostState::of(host).error_text = from_c(text);
  }
  static const void* capability(davit_host* host, davit_str id);
};

/// The tables as capability() hands them out.
inline constexpr davit_object_v1 kObject = {sizeof(davit_object_v1), 0,
                                            &HostObjects::name,      &ObjectReads::kind,
                                            &ObjectReads::member,    &ObjectReads::lookup,
                                            &ObjectReads::path,      &ObjectReads::count,
                                            &ObjectReads::elements,  &ObjectReads::members,
                                            &ObjectReads::string,    &ObjectReads::integer,
                                            &ObjectReads::number,    &ObjectReads::boolean,
                                            &ObjectReads::equal,     &ObjectReads::hash,
                                            &ObjectReads::json,      &HostObjects::parse,
                                            &HostObjects::retain,    &HostObjects::retained,
                                            &HostObjects::release};
inline constexpr davit_informer_v1 kInformer = {
    sizeof(davit_informer_v1), 0,
    &HostInformers::open,      &HostInformers::add_index,
    &HostInformers::get,       &HostInformers::select};
inline constexpr davit_queue_v1 kQueue = {sizeof(davit_queue_v1),
                                          0,
                                          &HostQueues::open,
                                          &HostQueues::add,
                                          &HostQueues::add_sharded,
                                          &HostQueues::add_after,
                                          &HostQueues::add_rate_limited,
                                          &HostQueues::forget,
                                          &HostQueues::failures};
inline constexpr davit_client_v1 kClient = {sizeof(davit_client_v1), 0, &HostRequests::call,
                                            &HostRequests::batch, &HostRequests::resource_exists};
inline constexpr davit_timer_v1 kTimer = {sizeof(davit_timer_v1), 0, &HostTimers::start,
                                          &HostTimers::stop};
inline constexpr davit_event_v1 kEvent = {sizeof(davit_event_v1), 0, &HostRecords::event};
inline constexpr davit_log_v1 kLog = {sizeof(davit_log_v1), 0, &HostRecords::log,
                                      &HostRecords::log_enabled};
inline constexpr davit_clock_v1 kClock = {sizeof(davit_clock_v1), 0, &HostMisc::monotonic_ns,
                                          &HostMisc::wall_ns};
inline constexpr davit_random_v1 kRandom = {sizeof(davit_random_v1), 0, &HostMisc::random};
inline constexpr davit_metric_v1 kMetric = {sizeof(davit_metric_v1), 0, &HostRecords::open_metric,
                                            &HostRecords::metric};
inline constexpr davit_config_v1 kConfig = {sizeof(davit_config_v1), 0, &HostMisc::config};

/// Caches are current unless a test holds them.
struct HostFreshness {
  static davit_code limit_silence(davit_host* host, davit_handle informer,
                                  std::uint64_t longest_ms) {
    HostState& state = HostState::of(host);
    if (state.caller != Caller::kInit)
      return HostRequests::misuse(state, "limit_silence after init");
    if (cache_of(state, informer) == nullptr) return DAVIT_STALE;
    return longest_ms < 1000 ? DAVIT_INVALID : DAVIT_OK;
  }
  static davit_code read(davit_host* host, davit_handle informer, davit_freshness* out) {
    HostState& state = HostState::of(host);
    const Cache* cache = cache_of(state, informer);
    if (cache == nullptr) return DAVIT_STALE;
    const Time confirmed = cache->held ? cache->held_at : state.cluster.now;
    out->confirmed_ns = confirmed.time_since_epoch().count();
    out->followed_since_ns = cache->followed_since.time_since_epoch().count();
    return DAVIT_OK;
  }
  static davit_code verify(davit_host* host, davit_handle informer) {
    Cache* cache = cache_of(HostState::of(host), informer);
    if (cache == nullptr) return DAVIT_STALE;
    ++cache->verifications;
    return DAVIT_OK;
  }

 private:
  static Cache* cache_of(HostState& state, davit_handle informer) {
    const Subscription* found = find_handle(HandleKind::kInformer, state.subscriptions, informer);
    return found == nullptr ? nullptr : &state.cluster.caches[found->resource];
  }
};
inline constexpr davit_freshness_v1 kFreshness = {sizeof(davit_freshness_v1), 0,
                                                  &HostFreshness::limit_silence,
                                                  &HostFreshness::read, &HostFreshness::verify};

inline const void* HostMisc::capability(davit_host*, davit_str id) {
  struct Entry {
    std::string_view id;
    const void* table;
  };
  constexpr Entry kEntries[] = {
      {"davit.object/1", &kObject}, {"davit.informer/1", &kInformer},
      {"davit.queue/1", &kQueue},   {"davit.client/1", &kClient},
      {"davit.timer/1", &kTimer},   {"davit.event/1", &kEvent},
      {"davit.log/1", &kLog},       {"davit.clock/1", &kClock},
      {"davit.random/1", &kRandom}, {"davit.metric/1", &kMetric},
      {"davit.config/1", &kConfig}, {"davit.freshness/1", &kFreshness},
  };
  for (const Entry& each : kEntries) {
    if (each.id == from_c(id)) return each.table;
  }
  return nullptr;
}

}  // namespace davit::testing::detail

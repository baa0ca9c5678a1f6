/// "davit.object/1", "davit.informer/1" and "davit.freshness/1".
#include <algorithm>
#include <cstring>

#include "host/object/abi.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.object/1

davit_name object_name(davit_host* host, davit_str text) {
  return host == nullptr ? 0 : host->services.space.intern(view(text));
}

davit_code object_parse(davit_host* host, davit_str json, davit_value* out) {
  CallFrame* frame = enter(host, kAnyCall);
  if (frame == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  Result<ObjectRef> parsed = parse_object(host->services.space, view(json));
  if (!parsed) {
    frame->set_error(parsed.error().message());
    return static_cast<davit_code>(parsed.error().code());
  }
  *out = frame->lend(*parsed, kFullMask);
  return DAVIT_OK;
}

davit_code object_retain(davit_host* host, davit_value value, davit_handle* out) {
  if (enter(host, kAnyCall) == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = 0;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  *out = host->retained.insert({ObjectRef::from(value), value});
  return DAVIT_OK;
}

davit_code object_retained(davit_host* host, davit_handle handle, davit_value* out) {
  if (enter(host, kAnyCall) == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const auto found = host->retained.find(handle);
  if (!found) return DAVIT_STALE;
  *out = found->value;
  return DAVIT_OK;
}

davit_code object_release(davit_host* host, davit_handle handle) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  return host->retained.erase(handle) ? DAVIT_OK : DAVIT_STALE;
}

davit_object_v1 make_reads() {
  davit_object_v1 table{};
  table.size = sizeof(table);
  fill_object_table(table);
  return table;
}

const davit_object_v1& reads() {
  static const davit_object_v1 table = make_reads();
  return table;
}

/// A read that may need memory.
template <typename Read>
davit_code shielded_read(Read read) noexcept {
  return shielded(read, davit_code{DAVIT_INTERNAL}, [](std::string_view) {});
}

davit_code object_equal(davit_value a, davit_value b, std::int32_t* out) {
  return shielded_read([&] { return reads().equal(a, b, out); });
}

davit_code object_hash(davit_value value, std::uint64_t* out) {
  return shielded_read([&] { return reads().hash(value, out); });
}

davit_code object_json(davit_value value, davit_sink sink) {
  return shielded_read([&] { return reads().json(value, sink); });
}

davit_object_v1 make_object_table() {
  davit_object_v1 table = reads();
  table.equal = object_equal;
  table.hash = object_hash;
  table.json = object_json;
  table.name = host_function<object_name, davit_name{0}>;
  table.parse = host_function<object_parse>;
  table.retain = host_function<object_retain>;
  table.retained = host_function<object_retained>;
  table.release = host_function<object_release>;
  return table;
}

// ---- davit.informer/1

davit_code informer_open(davit_host* host, const davit_informer_options* options,
                         davit_handle* out) {
  if (enter(host, kInitCall) == nullptr || options == nullptr || out == nullptr) {
    return DAVIT_MISUSE;
  }
  return host->informers.open(received(options), *out);
}

davit_code informer_add_index(davit_host* host, davit_handle informer, davit_str name,
                              davit_str path) {
  if (enter(host, kInitCall) == nullptr) return DAVIT_MISUSE;
  return host->informers.add_index(informer, view(name), view(path));
}

davit_code informer_get(davit_host* host, davit_handle informer, davit_str ns, davit_str name,
                        davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  CallFrame* frame = enter(host, kHandlerCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  ObjectRef object = opened->informer->store().get(view(ns), view(name));
  if (!object) return DAVIT_NOT_FOUND;
  *out = frame->lend(std::move(object), opened->mask);
  return DAVIT_OK;
}

davit_code informer_select(davit_host* host, davit_handle informer, davit_str index, davit_str key,
                           davit_list* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_list{};
  CallFrame* frame = enter(host, kHandlerCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  Result<std::vector<ObjectRef>> found = opened->select(view(index), view(key));
  if (!found) return static_cast<davit_code>(found.error().code());
  *out = frame->lend(std::move(*found), opened->mask);
  return DAVIT_OK;
}

// ---- davit.freshness/1

davit_code freshness_limit_silence(davit_host* host, davit_handle informer,
                                   std::uint64_t longest_ms) {
  if (enter(host, kInitCall) == nullptr) return DAVIT_MISUSE;
  return host->informers.limit_silence(informer, milliseconds_of(longest_ms));
}

davit_code freshness_read(davit_host* host, davit_handle informer, davit_freshness* out) {
  if (enter(host, kHandlerCall | kSyncCall) == nullptr || out == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  const Freshness known = opened->informer->freshness();
  if (!known.confirmed) return DAVIT_NOT_FOUND;
  davit_freshness made{};
  made.confirmed_ns =
      std::max(*known.confirmed, known.verified.value_or(Time::min())).time_since_epoch().count();
  made.followed_since_ns =
      known.followed_since.value_or(*known.confirmed).time_since_epoch().count();
  made.size = std::min<std::uint32_t>(out->size, sizeof(made));
  std::memcpy(out, &made, made.size);
  return DAVIT_OK;
}

davit_code freshness_verify(davit_host* host, davit_handle informer) {
  if (enter(host, kHandlerCall | kSyncCall) == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  opened->informer->verify(host->services.clock.now());
  return DAVIT_OK;
}

}  // namespace

const davit_object_v1& object_table() {
  static const davit_object_v1 table = make_object_table();
  return table;
}

constexpr davit_informer_v1 kInformerTable =
    table_of<davit_informer_v1>(host_function<informer_open>, host_function<informer_add_index>,
                                host_function<informer_get>, host_function<informer_select>);

constexpr davit_freshness_v1 kFreshnessTable =
    table_of<davit_freshness_v1>(freshness_limit_silence, freshness_read, freshness_verify);

}  // namespace davit::host

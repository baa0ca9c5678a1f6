/// "davit.object/1", "davit.informer/1" and "davit.freshness/1".
#include <algorithm>

#include "host/object/abi.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.object/1

davit_name object_name(CallFrame& frame, davit_str text) {
  return frame.controller().services.space.intern(view(text));
}

davit_code object_parse(CallFrame& frame, davit_str json, davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  std::uint64_t mistake_at = 0;
  Result<ObjectRef> parsed = parse_value(frame.controller().services.space, view(json),
                                         ParseOptions{.mistake_at = &mistake_at});
  if (!parsed) return frame.fail_at(parsed.error(), mistake_at);
  *out = frame.lend(*parsed, kFullMask);
  return DAVIT_OK;
}

davit_code object_retain(CallFrame& frame, davit_value value, davit_handle* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = 0;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  ControllerAbi::RetainedObject object{ObjectRef::from(value), value};
  // First, so that the sum is never below zero.
  frame.controller().retained_bytes.fetch_add(object.object.bytes(), std::memory_order_relaxed);
  *out = frame.controller().retained.insert(std::move(object));
  return DAVIT_OK;
}

davit_code object_retained(CallFrame& frame, davit_handle handle, davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const auto found = frame.controller().retained.find(handle);
  if (!found) return DAVIT_STALE;
  *out = found->value;
  return DAVIT_OK;
}

davit_code object_release(CallFrame& frame, davit_handle handle) {
  const auto object = frame.controller().retained.erase(handle);
  if (!object) return DAVIT_STALE;
  frame.controller().retained_bytes.fetch_sub(object->object.bytes(), std::memory_order_relaxed);
  return DAVIT_OK;
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

davit_code object_json(davit_value value, const davit_sink* sink) {
  return shielded_read([&] { return reads().json(value, sink); });
}

davit_object_v1 make_object_table() {
  davit_object_v1 table = reads();
  table.equal = object_equal;
  table.hash = object_hash;
  table.json = object_json;
  table.name = host_function<object_name, kAnyCall>;
  table.parse = host_function<object_parse, kAnyCall>;
  table.retain = host_function<object_retain, kAnyCall>;
  table.retained = host_function<object_retained, kAnyCall>;
  table.release = host_function<object_release, kAnyCall>;
  return table;
}

// ---- davit.informer/1

davit_code informer_open(CallFrame& frame, const davit_informer_options* options,
                         davit_handle* out) {
  if (options == nullptr || out == nullptr) return DAVIT_MISUSE;
  return frame.controller().informers.open(frame, received(options), *out);
}

davit_code informer_add_index(CallFrame& frame, davit_handle informer, davit_str name,
                              davit_str path) {
  return frame.controller().informers.add_index(frame, informer, view(name), view(path));
}

davit_code informer_get(CallFrame& frame, davit_handle informer, davit_str ns, davit_str name,
                        davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const auto* opened = frame.controller().informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  ObjectRef object = opened->informer->store().get(view(ns), view(name));
  if (!object) return DAVIT_NOT_FOUND;
  *out = frame.lend(std::move(object), opened->mask);
  return DAVIT_OK;
}

davit_code informer_select(CallFrame& frame, davit_handle informer, davit_str index, davit_str key,
                           davit_list* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_list{};
  const auto* opened = frame.controller().informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  Result<std::vector<ObjectRef>> found = opened->select(view(index), view(key));
  if (!found) return frame.fail(found.error());
  *out = frame.lend(std::move(*found), opened->mask);
  return DAVIT_OK;
}

// ---- davit.freshness/1

davit_code freshness_limit_silence(CallFrame& frame, davit_handle informer,
                                   std::uint64_t longest_ms) {
  return frame.controller().informers.limit_silence(frame, informer, milliseconds_of(longest_ms));
}

davit_code freshness_read(CallFrame& frame, davit_handle informer, davit_freshness* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  const auto* opened = frame.controller().informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  const Freshness known = opened->informer->freshness();
  if (!known.confirmed) return DAVIT_NOT_FOUND;
  davit_freshness made{};
  made.confirmed_ns =
      std::max(*known.confirmed, known.verified.value_or(Time::min())).time_since_epoch().count();
  made.followed_since_ns =
      known.followed_since.value_or(*known.confirmed).time_since_epoch().count();
  if (known.verified) made.verified_ns = known.verified->time_since_epoch().count();
  put(made, out);
  return DAVIT_OK;
}

davit_code freshness_verify(CallFrame& frame, davit_handle informer) {
  const auto* opened = frame.controller().informers.find(informer);
  if (opened == nullptr) return DAVIT_STALE;
  opened->informer->verify(frame.controller().services.clock.now());
  return DAVIT_OK;
}

}  // namespace

const void* host_table(Capability<davit_object_v1>) {
  static const davit_object_v1 table = make_object_table();
  return &table;
}

const void* host_table(Capability<davit_informer_v1>) {
  static constexpr davit_informer_v1 kTable = table_of<davit_informer_v1>(
      host_function<informer_open, kInitCall>, host_function<informer_add_index, kInitCall>,
      host_function<informer_get, kReadCall>, host_function<informer_select, kReadCall>);
  return &kTable;
}

const void* host_table(Capability<davit_freshness_v1>) {
  static constexpr davit_freshness_v1 kTable = table_of<davit_freshness_v1>(
      host_function<freshness_limit_silence, kInitCall>, host_function<freshness_read, kReadCall>,
      host_function<freshness_verify, kReadCall>);
  return &kTable;
}

}  // namespace davit::host

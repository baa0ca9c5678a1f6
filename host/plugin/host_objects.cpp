/// "davit.object/1" and "davit.informer/1".
#include "host/object/abi.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.object/1

davit_name object_name(davit_host* host, davit_str text) {
  return host == nullptr ? 0 : host->controller->services().space.intern(view(text));
}

davit_code object_parse(davit_host* host, davit_str json, davit_value* out) {
  CallFrame* frame = enter(host, kAnyCall);
  if (frame == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  Result<ObjectRef> parsed = parse_object(host->controller->services().space, view(json));
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
  *out = host->controller->retained().insert({ObjectRef::from(value), value});
  return DAVIT_OK;
}

davit_code object_retained(davit_host* host, davit_handle handle, davit_value* out) {
  if (enter(host, kAnyCall) == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const auto found = host->controller->retained().find(handle);
  if (!found) return DAVIT_STALE;
  *out = found->value;
  return DAVIT_OK;
}

davit_code object_release(davit_host* host, davit_handle handle) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  return host->controller->retained().erase(handle) ? DAVIT_OK : DAVIT_STALE;
}

davit_object_v1 make_object_table() {
  davit_object_v1 table{};
  table.size = sizeof(table);
  fill_object_table(table);
  table.name = object_name;
  table.parse = object_parse;
  table.retain = object_retain;
  table.retained = object_retained;
  table.release = object_release;
  return table;
}

// ---- davit.informer/1

davit_code informer_open(davit_host* host, const davit_informer_options* options,
                         davit_handle* out) {
  if (enter(host, kInitCall) == nullptr || options == nullptr || out == nullptr) {
    return DAVIT_MISUSE;
  }
  return host->controller->open_informer(received(options), *out);
}

davit_code informer_add_index(davit_host* host, davit_handle informer, davit_str name,
                              davit_str path) {
  if (enter(host, kInitCall) == nullptr) return DAVIT_MISUSE;
  return host->controller->add_index(informer, view(name), view(path));
}

davit_code informer_get(davit_host* host, davit_handle informer, davit_str ns, davit_str name,
                        davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  CallFrame* frame = enter(host, kHandlerCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->controller->informer(informer);
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
  const auto* opened = host->controller->informer(informer);
  if (opened == nullptr) return DAVIT_STALE;
  Result<std::vector<ObjectRef>> found = opened->select(view(index), view(key));
  if (!found) return static_cast<davit_code>(found.error().code());
  *out = frame->lend(std::move(*found), opened->mask);
  return DAVIT_OK;
}

}  // namespace

const davit_object_v1& object_table() {
  static const davit_object_v1 table = make_object_table();
  return table;
}

constexpr davit_informer_v1 kInformerTable =
    table_of<davit_informer_v1>(informer_open, informer_add_index, informer_get, informer_select);

}  // namespace davit::host

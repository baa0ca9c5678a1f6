/// "davit.informer/2".
#include <vector>

#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

constexpr unsigned kOpenCall = kInitCall | kHandlerCall | kSyncCall;
constexpr unsigned kReadCall = kHandlerCall | kSyncCall;

davit_code dynamic_open(davit_host* host, const davit_informer_options_v2* from,
                        davit_handle* out) {
  CallFrame* const frame = enter(host, kOpenCall);
  if (frame == nullptr || from == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = 0;
  const auto options = received(from);
  if (!is_there(options.projection, options.projection_count) ||
      !is_there(options.indexes, options.index_count)) {
    return DAVIT_MISUSE;
  }
  ControllerQueue* queue = nullptr;
  if (options.wake_queue != 0) {
    queue = host->work.queue(options.wake_queue);
    if (queue == nullptr) return DAVIT_STALE;
  }
  const Result<davit_handle> opened = host->dynamic.open(options, queue);
  if (opened) {
    *out = *opened;
    return DAVIT_OK;
  }
  frame->note_refusal(opened.error().message());
  if (opened.error().code() == Code::kUndeclared) host->observe_refusal(opened.error().message());
  return static_cast<davit_code>(opened.error().code());
}

davit_code dynamic_close(davit_host* host, davit_handle handle) {
  if (enter(host, kOpenCall) == nullptr) return DAVIT_MISUSE;
  return host->dynamic.close(handle) ? DAVIT_OK : DAVIT_STALE;
}

davit_code dynamic_synced(davit_host* host, davit_handle handle) {
  CallFrame* const frame = enter(host, kReadCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const DynamicInformers::Entry entry = host->dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  const Status synced = entry->synced();
  if (!synced.ok()) frame->set_error(synced.message());
  return static_cast<davit_code>(synced.code());
}

davit_code dynamic_get(davit_host* host, davit_handle handle, davit_str ns, davit_str name,
                       davit_value* out) {
  CallFrame* const frame = enter(host, kReadCall);
  if (frame == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const DynamicInformers::Entry entry = host->dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  if (entry->opened.informer == nullptr) return DAVIT_NOT_FOUND;
  ObjectRef object = entry->opened.informer->store().get(view(ns), view(name));
  if (!object) return DAVIT_NOT_FOUND;
  *out = frame->lend(std::move(object), entry->opened.mask);
  return DAVIT_OK;
}

davit_code dynamic_select(davit_host* host, davit_handle handle, davit_str index,
                          const davit_str* values, std::size_t count, davit_list* out) {
  CallFrame* const frame = enter(host, kReadCall);
  if (frame == nullptr || out == nullptr || !is_there(values, count)) return DAVIT_MISUSE;
  *out = davit_list{};
  const DynamicInformers::Entry entry = host->dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  if (entry->opened.informer == nullptr) return DAVIT_OK;
  std::vector<std::string_view> key;
  for (std::size_t i = 0; i < count; ++i) key.push_back(view(values[i]));
  Result<std::vector<ObjectRef>> found = entry->select(view(index), key);
  if (!found) {
    frame->set_error(found.error().message());
    return static_cast<davit_code>(found.error().code());
  }
  *out = frame->lend(*std::move(found), entry->opened.mask);
  return DAVIT_OK;
}

}  // namespace

constexpr davit_informer_v2 kDynamicInformerTable = table_of<davit_informer_v2>(
    host_function<dynamic_open>, host_function<dynamic_close>, host_function<dynamic_synced>,
    host_function<dynamic_get>, host_function<dynamic_select>);

}  // namespace davit::host

/// "davit.informer/2".
#include <vector>

#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

constexpr unsigned kOpenCall = kInitCall | kHandlerCall | kSyncCall;

davit_code dynamic_open(CallFrame& frame, const davit_informer_options_v2* from,
                        davit_handle* out) {
  if (from == nullptr || out == nullptr) return DAVIT_MISUSE;
  *out = 0;
  const auto options = received(from);
  if (!is_there(options.projection, options.projection_count) ||
      !is_there(options.indexes, options.index_count) || options.form < DAVIT_FORM_OBJECT ||
      options.form > DAVIT_FORM_METADATA) {
    return DAVIT_MISUSE;
  }
  ControllerQueue* queue = nullptr;
  if (options.wake_queue != 0) {
    queue = frame.controller().work.queue(options.wake_queue);
    if (queue == nullptr) return DAVIT_STALE;
  }
  const Result<davit_handle> opened = frame.controller().dynamic.open(options, queue);
  if (opened) {
    *out = *opened;
    return DAVIT_OK;
  }
  if (opened.error().code() == Code::kUndeclared) {
    frame.controller().observe_refusal(opened.error().message());
  }
  return frame.refuse(opened.error());
}

davit_code dynamic_close(CallFrame& frame, davit_handle handle) {
  return frame.controller().dynamic.close(handle) ? DAVIT_OK : DAVIT_STALE;
}

davit_code dynamic_synced(CallFrame& frame, davit_handle handle) {
  const DynamicInformers::Entry entry = frame.controller().dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  const Status synced = frame.controller().dynamic.synced(*entry);
  return synced.ok() ? DAVIT_OK : frame.fail(synced);
}

davit_code dynamic_get(CallFrame& frame, davit_handle handle, davit_str ns, davit_str name,
                       davit_value* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = davit_value{};
  const DynamicInformers::Entry entry = frame.controller().dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  if (entry->opened.informer == nullptr) return DAVIT_NOT_FOUND;
  if (Status s = frame.controller().dynamic.readable(*entry); !s.ok()) return frame.fail(s);
  ObjectRef object = entry->opened.informer->store().get(view(ns), view(name));
  if (!object) return DAVIT_NOT_FOUND;
  *out = frame.lend(std::move(object), entry->opened.mask);
  return DAVIT_OK;
}

davit_code dynamic_select(CallFrame& frame, davit_handle handle, davit_str index,
                          const davit_str* values, std::size_t count, davit_list* out) {
  if (out == nullptr || !is_there(values, count)) return DAVIT_MISUSE;
  *out = davit_list{};
  const DynamicInformers::Entry entry = frame.controller().dynamic.find(handle);
  if (entry == nullptr) return DAVIT_STALE;
  if (entry->opened.informer == nullptr) return DAVIT_OK;
  if (Status s = frame.controller().dynamic.readable(*entry); !s.ok()) return frame.fail(s);
  std::vector<std::string_view> key;
  for (std::size_t i = 0; i < count; ++i) key.push_back(view(values[i]));
  Result<std::vector<ObjectRef>> found = entry->select(view(index), key);
  if (!found) return frame.fail(found.error());
  *out = frame.lend(*std::move(found), entry->opened.mask);
  return DAVIT_OK;
}

}  // namespace

const void* host_table(Capability<davit_informer_v2>) {
  static constexpr davit_informer_v2 kTable = table_of<davit_informer_v2>(
      host_function<dynamic_open, kOpenCall>, host_function<dynamic_close, kOpenCall>,
      host_function<dynamic_synced, kReadCall>, host_function<dynamic_get, kReadCall>,
      host_function<dynamic_select, kReadCall>);
  return &kTable;
}

}  // namespace davit::host

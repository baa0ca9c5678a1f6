#include "host/plugin/call_frame.hpp"

#include <utility>

#include "host/object/abi.hpp"

namespace davit::host {
namespace {

/// The innermost call into a plugin that this thread is in. A thread-local rather than an argument
/// because the C ABI gives the host no other way to identify the caller's thread.
thread_local CallFrame* current_frame = nullptr;

}  // namespace

CallFrame::CallFrame(const davit_host* controller, Phase phase, std::string_view key,
                     std::stop_token stop)
    : controller_(controller),
      phase_(phase),
      key_(key),
      stop_(std::move(stop)),
      outer_(std::exchange(current_frame, this)) {
  forget_undeclared_read();
}

CallFrame::~CallFrame() { current_frame = outer_; }

CallFrame* CallFrame::current(const davit_host* controller) {
  CallFrame* frame = current_frame;
  return frame != nullptr && frame->controller_ == controller ? frame : nullptr;
}

davit_value CallFrame::lend(ObjectRef object, Mask mask) {
  objects_.push_back(std::move(object));
  return objects_.back().root(mask).raw;
}

davit_list CallFrame::lend(std::vector<ObjectRef> objects, Mask mask) {
  lists_.push_front(std::move(objects));
  std::vector<davit_value> roots;
  roots.reserve(lists_.front().size());
  for (const ObjectRef& each : lists_.front()) roots.push_back(each.root(mask).raw);
  roots_.push_front(std::move(roots));
  return davit_list{roots_.front().data(), roots_.front().size()};
}

davit_str CallFrame::lend(std::string text) {
  texts_.push_front(std::move(text));
  return lend_view(texts_.front());
}

}  // namespace davit::host

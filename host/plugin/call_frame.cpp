#include "host/plugin/call_frame.hpp"

#include <utility>

#include "host/object/abi.hpp"

namespace davit::host {
namespace {

std::int32_t is_cancelled(const davit_call* call) noexcept {
  const CallFrame* const frame = CallFrame::find(call).frame;
  return frame == nullptr || frame->stop().stop_requested() ? 1 : 0;
}

}  // namespace

std::string joined_causes(const ApiDetail& detail) {
  std::string out;
  for (const std::string& cause : detail.causes) {
    if (!out.empty()) out += ',';
    out += cause;
  }
  return out;
}

CallFrame::CallFrame(ControllerAbi& controller, Phase phase, CallDetails details)
    : slot_(call_slots().take()),
      controller_(controller),
      phase_(phase),
      stop_(std::move(details.stop)) {
  davit_call& call = slot_.call;  // But its `host`, which other threads may read.
  call.size = sizeof(call);
  call.kind = static_cast<std::int32_t>(phase);
  call.source = details.source;
  call.key = lend_view(details.key);
  call.deadline_ns = details.deadline.time_since_epoch().count();
  call.attempt = details.attempt;
  call.cancelled = is_cancelled;
  slot_.frame = this;
  slot_.owner.store(this_thread(), std::memory_order_relaxed);
  forget_undeclared_read();
}

CallFrame::~CallFrame() {
  slot_.owner.store(nullptr, std::memory_order_relaxed);
  slot_.frame = nullptr;
  slot_.call.key = {};
  call_slots().give_back(slot_);
}

davit_code CallFrame::fail(const Status& why) { return fail_at(why, 0); }

davit_code CallFrame::fail_at(const Status& why, std::uint64_t position) {
  set_error(why.message());
  failure_ = Failure::of(why, position);
  return failure_.code;
}

davit_code CallFrame::refuse(const Status& why) {
  note_refusal(why.message());
  failure_ = Failure::of(why);
  return failure_.code;
}

void CallFrame::note_failure(davit_code code) {
  if (!failure_.is_new) failure_ = Failure{};
  failure_.code = code;
  failure_.is_new = false;
}

davit_error CallFrame::last_error() {
  davit_error out{};
  out.size = sizeof(out);
  out.code = failure_.code;
  out.message = lend(std::string(failure_.status.message()));
  out.position = failure_.position;
  if (const ApiDetail* const detail = failure_.status.detail()) {
    out.http_status = detail->http_status;
    out.retry_after_ms = detail->retry_after_ms;
    out.reason = lend(detail->reason);
    out.causes = lend(joined_causes(*detail));
  }
  return out;
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

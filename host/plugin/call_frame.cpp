#include "host/plugin/call_frame.hpp"

#include <algorithm>
#include <utility>

#include "host/cache/change.hpp"
#include "host/cache/resource_id.hpp"
#include "host/journal/controller_journal.hpp"
#include "host/object/abi.hpp"
#include "host/object/lent_memory.hpp"
#include "host/object/metadata.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/guard.hpp"

namespace davit::host {
namespace {

std::int32_t is_cancelled(const davit_call* call) noexcept {
  const CallFrame* const frame = CallFrame::find(call).frame;
  if (frame == nullptr || frame->stop().stop_requested()) return 1;
  return frame->controller().hold.token().stop_requested() ? 1 : 0;
}

Wake::Kind kind_of(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded:
      return Wake::Kind::kAdded;
    case ChangeType::kUpdated:
      return Wake::Kind::kUpdated;
    case ChangeType::kDeleted:
      break;
  }
  return Wake::Kind::kDeleted;
}

std::int32_t leads(const davit_call* call) noexcept {
  const CallFrame* const frame = CallFrame::find(call).frame;
  if (frame == nullptr) return 0;
  // The text of a refusal needs memory.
  return shielded([frame] { return frame->controller().may_act() ? 1 : 0; }, 0,
                  [](std::string_view) {});
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
      stop_(std::move(details.stop)),
      trace_(details.trace),
      journal_(details.journal),
      resource_(details.resource),
      change_(details.change) {
  davit_call& call = slot_.call;  // But its `host`, which other threads may read.
  call.size = sizeof(call);
  call.kind = static_cast<std::int32_t>(phase);
  call.source = details.source;
  const bool poisons = controller.services.space.lent_memory() != nullptr;
  call.key = poisons ? lend(std::string(details.key)) : lend_view(details.key);
  if (trace_ != nullptr) {
    const std::string& id = trace_->context().trace_id;
    call.trace_id = poisons ? lend(id) : lend_view(id);
  }
  call.deadline_ns = details.deadline.time_since_epoch().count();
  call.attempt = details.attempt;
  call.cancelled = is_cancelled;
  call.leads = leads;
  slot_.author.store(&controller.author, std::memory_order_relaxed);
  slot_.frame = this;
  slot_.owner.store(this_thread(), std::memory_order_relaxed);
  forget_undeclared_read();
}

CallFrame::~CallFrame() {
  slot_.owner.store(nullptr, std::memory_order_relaxed);
  slot_.frame = nullptr;
  slot_.call.key = {};
  slot_.call.trace_id = {};
  call_slots().give_back(slot_);
}

void CallFrame::add_trace(std::vector<LogPair>& fields) const {
  if (trace_ == nullptr || !trace_->context().is_sampled()) return;
  fields.emplace_back(kTraceIdField, trace_->context().trace_id);
}

void CallFrame::note_wake(davit_handle queue, std::string_view key) const {
  ControllerJournal* const journal = controller_.journal;
  if (journal == nullptr || !journal->is_active() || controller_.is_shadow()) return;
  WakeNote wake;
  if (change_ != nullptr) {
    // With the first content of the caches every key is added.
    if (change_->initial) return;
    const Metadata meta = metadata(*change_->current);
    wake = {kind_of(change_->type), resource_->group, resource_->resource, meta.ns, meta.name,
            meta.resource_version};
  } else if (phase_ == Phase::kSync || phase_ == Phase::kTimer) {
    wake.kind = phase_ == Phase::kSync ? Wake::Kind::kSync : Wake::Kind::kTimer;
    wake.name = view(slot_.call.key);
  } else {
    return;
  }
  journal->woke(queue, key, wake, controller_.services.clock.now());
}

void CallFrame::note_wrong_phase() const { controller_.author.refused(Refusal::kPhase); }

davit_value CallFrame::config() {
  if (!config_) config_ = controller_.config.object();
  return config_->root().raw;
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

void CallFrame::log_refusal(const Logger& log, const Status& why) {
  // More would be a loop over many objects: its first refusals show what is missing.
  constexpr std::size_t kUnloggedMax = 16;
  const auto same = std::find(unlogged_.begin(), unlogged_.end(), why.message());
  if (same == unlogged_.end() && unlogged_.size() < kUnloggedMax) {
    unlogged_.emplace_back(why.message());
  }
  if (phase_ != Phase::kSync && phase_ != Phase::kTimer) log_refusals(log, {});
}

void CallFrame::log_refusals(const Logger& log, std::string_view said) {
  for (const std::string& each : std::exchange(unlogged_, {})) {
    if (said.find(each) != std::string_view::npos) continue;
    std::vector<LogPair> fields = {{"err", each}};
    add_trace(fields);
    log.write(Severity::kWarning, 0, "A request was refused before it was sent", fields);
  }
}

void CallFrame::note_failure(davit_code code, std::string_view function) {
  if (!failure_.is_new) failure_ = Failure{};
  failure_.code = code;
  if (code == DAVIT_MISUSE || code == DAVIT_STALE) {
    controller_.observe_misuse(function, code, failure_.status.message());
  }
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

ObjectRef CallFrame::for_this_call(ObjectRef object) const {
  LentMemory* const memory = controller_.services.space.lent_memory();
  return memory == nullptr ? std::move(object) : object.lent_copy(*memory);
}

davit_value CallFrame::show(const ObjectRef& object, Mask mask) {
  if (!object || controller_.services.space.lent_memory() == nullptr) return object.root(mask).raw;
  return lend(object, mask);
}

davit_value CallFrame::lend(ObjectRef object, Mask mask) {
  objects_.push_back(for_this_call(std::move(object)));
  return objects_.back().root(mask).raw;
}

davit_list CallFrame::lend(std::vector<ObjectRef> objects, Mask mask) {
  for (ObjectRef& each : objects) each = for_this_call(std::move(each));
  lists_.push_front(std::move(objects));
  std::vector<davit_value> roots;
  roots.reserve(lists_.front().size());
  for (const ObjectRef& each : lists_.front()) roots.push_back(each.root(mask).raw);
  roots_.push_front(std::move(roots));
  return davit_list{roots_.front().data(), roots_.front().size()};
}

davit_str CallFrame::lend(std::string text) {
  if (LentMemory* const memory = controller_.services.space.lent_memory()) {
    if (void* const copy = memory->take(text.size())) {
      std::copy(text.begin(), text.end(), static_cast<char*>(copy));
      const auto give_back = [memory, size = text.size()](const void* used) {
        memory->give_back(const_cast<void*>(used), size);
      };
      keep(std::shared_ptr<const void>(copy, give_back));
      return {static_cast<const char*>(copy), text.size()};
    }
  }
  texts_.push_front(std::move(text));
  return lend_view(texts_.front());
}

}  // namespace davit::host

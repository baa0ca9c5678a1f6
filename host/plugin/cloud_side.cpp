#include "host/plugin/cloud_side.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <stop_token>
#include <string>
#include <utility>

#include "host/plugin/cloud_exchange.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/received.hpp"
#include "host/run/code_name.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

/// The text of an answer; it ends before the first byte beyond the limit.
struct AnswerText {
  std::size_t bytes_max = 0;
  std::string text{};
  bool is_written = false;
  bool is_too_long = false;

  /// `self` is the slot of the call, which is never freed: a provider may keep the sink.
  static davit_code write(void* self, davit_str chunk) {
    const CallSlot& slot = *static_cast<CallSlot*>(self);
    const ThreadId owner = slot.owner.load(std::memory_order_relaxed);
    if ((owner != this_thread() || slot.answer == nullptr) && !mutant("late-answer")) {
      CallAuthor* const author = slot.author.load(std::memory_order_relaxed);
      const bool is_over = owner == nullptr || owner == this_thread();
      if (author != nullptr) author->refused(is_over ? Refusal::kEnded : Refusal::kThread);
      return DAVIT_MISUSE;
    }
    auto& me = *static_cast<AnswerText*>(slot.answer);
    me.is_written = true;
    me.is_too_long = me.is_too_long || chunk.size > me.bytes_max - me.text.size();
    if (me.is_too_long) return DAVIT_INVALID;
    return shielded([&] { return me.text.append(view(chunk)), DAVIT_OK; }, DAVIT_UNAVAILABLE,
                    [](std::string_view) {});
  }
};

/// Lets the sink of a call write to a text, while it lives.
class AnswerPlace {
 public:
  AnswerPlace(CallSlot& slot, AnswerText& text) : slot_(slot) { slot_.answer = &text; }
  AnswerPlace(const AnswerPlace&) = delete;
  AnswerPlace& operator=(const AnswerPlace&) = delete;
  ~AnswerPlace() { slot_.answer = nullptr; }

 private:
  CallSlot& slot_;
};

/// kInvalid: one of the classes is none that a Service can have. Rule: docs/spec/cloud.md, E6.
Status read_classes(std::string_view text, std::string& out) {
  // A provider has one class, or a few; each loop compares all of them with each Service.
  constexpr std::size_t kBytesMax = 4096;
  bool is_valid = text.size() <= kBytesMax;
  for (std::string_view rest = text; !rest.empty() && is_valid;) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    is_valid = check_qualified_name(name).empty();
  }
  if (!is_valid) {
    return {Code::kInvalid, "the provider's classes are not valid: \"" +
                                std::string(text.substr(0, kBytesMax)) +
                                "\" is not a list of names such as example.com/internal"};
  }
  out = text;
  return {};
}

}  // namespace

Status CloudSide::open() {
  CloudExchange* const exchange = abi_.services.cloud;
  const std::optional<davit_cloud_provider_v1> side = plugin_.cloud_provider();
  if (!side || exchange == nullptr || abi_.is_shadow()) return {};
  // A part of which a function is missing is not offered: a loop that could make something and not
  // remove it would leak it.
  if (side->load_balancers != nullptr) {
    const davit_load_balancers& table = tables_.load_balancers = received(side->load_balancers);
    const bool is_whole = table.get != nullptr && table.ensure != nullptr &&
                          table.update != nullptr && table.remove != nullptr;
    if (is_whole) scope_.parts |= DAVIT_CLOUD_LOAD_BALANCERS;
  }
  if (side->instances != nullptr) {
    const davit_instances& table = tables_.instances = received(side->instances);
    const bool is_whole =
        table.exists != nullptr && table.shutdown != nullptr && table.metadata != nullptr;
    if (is_whole) scope_.parts |= DAVIT_CLOUD_INSTANCES;
  }
  if (side->routes != nullptr) {
    const davit_routes& table = tables_.routes = received(side->routes);
    const bool is_whole =
        table.list != nullptr && table.create != nullptr && table.remove != nullptr;
    if (is_whole) scope_.parts |= DAVIT_CLOUD_ROUTES;
  }
  if (Status s = read_classes(view(side->classes), scope_.classes); !s.ok()) return s;
  scope_.only_classes = side->only_classes != 0;
  is_offered_ = true;
  return exchange->offer(*this);
}

void CloudSide::lead() {
  if (is_offered_) abi_.services.cloud->serve(*this);
}

bool CloudSide::end(const Quiesce& wait) {
  if (!is_offered_) return true;
  abi_.services.cloud->withdraw(*this);
  if (wait_idle(std::min(wait.cancel_at, wait.give_up_at))) return true;
  abi_.hold.hold();
  abi_.requests.hold();
  abi_.http.hold();
  return wait_idle(wait.give_up_at);
}

davit_value CloudSide::shown(davit_value object, std::string_view resource) const {
  const std::vector<const OpenedInformer*> own = abi_.informers.of({}, resource);
  // The loop watches all objects, and its cache lacks fields that only narrower watches declare.
  const auto same = std::ranges::find_if(own, [](const OpenedInformer* each) {
    return each->label_selector.empty() && each->field_selector.empty() && each->ns.empty() &&
           each->form == ObjectForm::kWhole;
  });
  if (same != own.end()) {
    object.mask = (*same)->mask;
  } else if (!abi_.options.declared.is_unlimited) {
    object.mask = kNothingMask;
  }
  return object;
}

CloudSide::Answer CloudSide::call(const CallFrame& loop, const CallOptions& options,
                                  const Function& function) {
  Answer answer;
  if (is_broken_.load(std::memory_order_relaxed)) {
    answer.status = {Code::kUnavailable, this->name() + " has failed: swap or restart it"};
    return answer;
  }
  // It ends with the loop's call, and when a swap waits for either side.
  std::stop_source ended;
  const std::stop_callback stops(loop.stop(), [&ended] { ended.request_stop(); });
  const std::stop_callback holds(loop.controller().hold.token(),
                                 [&ended] { ended.request_stop(); });
  // Taken now: a swap that gives up while the provider answers releases what it has held.
  const std::stop_token held = abi_.hold.token();
  AnswerText text{.bytes_max = options.bytes_max};
  answer.flags.size = sizeof(davit_cloud_answer);
  PluginController::Provided provided =
      plugin_.provide(options.name,
                      {.key = view(loop.call()->key),
                       .deadline = abi_.services.clock.now() + abi_.options.sync_limit,
                       .stop = ended.get_token(),
                       .trace = loop.trace()},
                      [&](void* self, const davit_call* call) {
                        // The slot of the call that begins, which is this thread's.
                        CallSlot& slot = *static_cast<CallSlot*>(const_cast<void*>(call->host));
                        slot.sink.write = &AnswerText::write;
                        const AnswerPlace place(slot, text);
                        return function(self, call, answer.flags, slot.sink);
                      });
  answer.status = std::move(provided.status);
  if (provided.has_thrown) is_broken_.store(true, std::memory_order_relaxed);
  answer.flags.retry_after_ms =
      std::min<std::uint64_t>(answer.flags.retry_after_ms, DAVIT_CLOUD_RETRY_AFTER_MS_MAX);
  if (text.is_too_long) {
    answer.status = {Code::kInvalid, "the provider's answer is not valid: it has more than " +
                                         std::to_string(options.bytes_max >> 20) + " MiB"};
  }
  if (!answer.status.ok()) {
    const bool had_to_end =
        ended.stop_requested() || held.stop_requested() || !loop.controller().may_act();
    answer.is_cut = had_to_end && !provided.has_thrown;
    if (answer.is_cut) {
      answer.status = {Code::kCancelled, answer.status.message()};
    } else if (answer.status.code() == Code::kCancelled && !mutant("cancelled-by-the-provider")) {
      // The loops excuse a call that was cut, without a line and for ever.
      answer.status = {Code::kUnavailable, answer.status.message()};
    }
    answer.is_missing = answer.status.code() == Code::kNotFound;
    answer.flags.exists = answer.flags.elsewhere = 0;
    return answer;
  }
  answer.flags.retry_after_ms = 0;
  answer.is_written = text.is_written;
  answer.text = std::move(text.text);
  return answer;
}

}  // namespace davit::host

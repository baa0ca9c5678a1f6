#include "host/isolation/isolated_swap.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <davit/mutant.hpp>
#include <map>
#include <utility>

#include "lib/base/printable.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host {
namespace {

constexpr std::uint16_t kOk = 200;
constexpr std::uint16_t kNoContent = 204;
constexpr std::uint16_t kNotFound = 404;
/// The time for write() and read() of a state, as in the host's process.
constexpr Duration kStateMax = std::chrono::seconds(10);
constexpr Duration kResumeMax = std::chrono::seconds(10);
constexpr std::size_t kStateBytes = DAVIT_STATE_BYTES_MAX;

/// The reason that the body of an answer is, in one line.
std::string reason_of(const Answered& answer) {
  return printable(utf8_prefix(answer.body, kReasonBytesMax));
}

Status refuse(const std::string& controller, const std::string& why) {
  return {Code::kUnavailable, "controller " + controller + ": " + why};
}

class IsolatedSwap {
 public:
  IsolatedSwap(IsolatedPlugin& from, IsolatedPlugin& to, const IsolatedSwapTerms& terms)
      : from_(from), to_(to), terms_(terms) {}

  [[nodiscard]] IsolatedSwapReport run() {
    if (!to_.await_running(now() + IsolatedProcess::kStartMax)) {
      const std::string why = to_.state().process.why_ended;
      return fail({Code::kUnavailable, "the new build does not serve: " +
                                           (why.empty() ? "its caches are not filled" : why)});
    }
    if (Status s = write_states(); !s.ok()) return resume(s);
    if (Status s = read_states(); !s.ok()) return resume(s);
    from_.drain(terms_.drain);
    from_.stop();
    to_.begin();
    return std::move(report_);
  }

 private:
  [[nodiscard]] Time now() const { return terms_.clock.now(); }

  IsolatedSwapReport fail(Status why) {
    report_.status = std::move(why);
    return std::move(report_);
  }
  IsolatedSwapReport resume(Status why) {
    (void)from_.ask({.kind = AskKind::kResume, .answer_bytes_max = kReasonBytesMax},
                    now() + kResumeMax);
    return fail(std::move(why));
  }

  [[nodiscard]] Status write_states() {
    for (const std::string& each : terms_.controllers) {
      Result<Answered> state =
          from_.ask({.kind = AskKind::kWriteState, .text = each, .answer_bytes_max = kStateBytes},
                    now() + terms_.drain + kStateMax);
      if (!state) return refuse(each, "the old build: " + state.error().message());
      if (state->status == kNotFound) continue;
      if (state->status != kOk) return refuse(each, "the old build: " + reason_of(*state));
      states_.emplace(each, *std::move(state));
    }
    return {};
  }

  [[nodiscard]] Status read_states() {
    if (mutant("isolated-state")) return {};
    for (auto& [controller, state] : states_) {
      const std::size_t size = state.body.size();
      const Result<Answered> read = to_.ask({.kind = AskKind::kReadState,
                                             .text = controller,
                                             .form = state.form,
                                             .bytes = std::move(state.body),
                                             .answer_bytes_max = kReasonBytesMax},
                                            now() + kStateMax);
      if (!read) return refuse(controller, "the new build: " + read.error().message());
      if (read->status == kNoContent) {
        report_.state_left.push_back(controller);
      } else if (read->status == kOk) {
        report_.state_bytes += size;
      } else {
        return refuse(controller, "the new build: " + reason_of(*read));
      }
    }
    return {};
  }

  IsolatedPlugin& from_;
  IsolatedPlugin& to_;
  const IsolatedSwapTerms& terms_;
  IsolatedSwapReport report_;
  std::map<std::string, Answered> states_;
};

}  // namespace

IsolatedSwapReport swap_processes(IsolatedPlugin& from, IsolatedPlugin& to,
                                  const IsolatedSwapTerms& terms) {
  return IsolatedSwap(from, to, terms).run();
}

}  // namespace davit::host

#include "host/plugin/host_abi.hpp"

#include <tuple>

#include "host/loading/capabilities.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

const void* context_capability(CallFrame&, davit_str id) { return host_capability(view(id)); }

void context_error_text(CallFrame& frame, davit_str text) { frame.set_error(view(text)); }

davit_code context_last_error(CallFrame& frame, davit_error* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  put(frame.last_error(), out);
  return DAVIT_OK;
}

}  // namespace

void refuse_phase(CallFrame& frame, std::string_view function) {
  const Status why(Code::kMisuse, "a call from a thread or phase in which abi.h does not allow it");
  frame.note_wrong_phase();
  frame.controller().observe_refusal(why.message());
  frame.keep_failure(why);
  frame.note_failure(DAVIT_MISUSE, function);
}

void note_stray_call(const davit_call* call, davit_code code) noexcept {
  CallAuthor* author = nullptr;
  if (call != nullptr && call->host != nullptr) {
    author = static_cast<const CallSlot*>(call->host)->author.load(std::memory_order_relaxed);
  } else {
    // Whose it is cannot be known. The nameless author is made when it is needed first.
    author = shielded([] { return &call_slots().author({}, {}); },
                      static_cast<CallAuthor*>(nullptr), [](std::string_view) {});
  }
  if (author == nullptr) return;
  author->refused(code == DAVIT_STALE ? Refusal::kEnded : Refusal::kThread);
}

const void* host_capability(std::string_view id) {
  const void* table = nullptr;
  std::apply(
      [&](const auto&... each) {
        static_cast<void>(((each.id == id && (table = host_table(each)) != nullptr) || ...));
      },
      kCapabilities);
  return table;
}

davit_context make_context(std::string_view controller) {
  return {.size = sizeof(davit_context),
          .abi_major = DAVIT_ABI_MAJOR,
          .abi_minor = DAVIT_ABI_MINOR,
          .controller = lend_view(controller),
          .capability = host_function<context_capability, kAnyCall>,
          .error_text = host_function<context_error_text, kAnyCall>,
          .last_error = host_function<context_last_error, kAnyCall>};
}

}  // namespace davit::host

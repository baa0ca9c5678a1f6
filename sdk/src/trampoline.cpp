#include <cstdio>
#include <davit/trampoline.hpp>
#include <exception>
#include <string>

namespace davit::detail {
namespace {

inline constexpr std::string_view kUndeclaredText =
    "read a field outside the projection that the plugin declares";

/// The failure of a call that the result of its body does not show; ok if there is none.
Status unreported_failure() {
  if (current_call.read_undeclared) {
    return Status(Code::kUndeclared, std::string(kUndeclaredText));
  }
  if (current_call.refused == DAVIT_OK) return {};
  return Status(from_c(current_call.refused),
                "the host refused to " + std::string(current_call.refused_what));
}

/// The failure of a body, for the one who reports it.
struct Failure {
  enum class By { kResult, kException };
  By by;
  Code code;
  std::string_view text;
};

/// Runs `body`, and `report(failure)` if it fails. `report` must not throw.
template <typename Report>
davit_code run_guarded(const Body& body, const Report& report) noexcept {
  const auto fail = [&report](Failure::By by, Code code, std::string_view text) {
    report(Failure{by, code, text});
    return to_c(code);
  };
  try {
    Status status = body();
    if (current_call.read_undeclared || status.ok()) status = unreported_failure();
    if (status.ok()) return DAVIT_OK;
    return fail(Failure::By::kResult, status.code(), status.message());
  } catch (const std::exception& error) {
    return fail(Failure::By::kException, Code::kInternal, error.what());
  } catch (...) {
    return fail(Failure::By::kException, Code::kInternal,
                "the controller threw something that is not a std::exception");
  }
}

}  // namespace

void note_refusal(davit_code code, const char* what) {
  if (current_call.raw == nullptr) {
    std::fprintf(stderr, "davit: refused to %s outside a call of the host: use a Waker\n", what);
  } else if (current_call.refused == DAVIT_OK) {
    current_call.refused = code;
    current_call.refused_what = what;
  }
}

davit_code guarded_body(const Api& api, const davit_call* call, const Body& body) noexcept {
  const CallScope scope(call);
  return run_guarded(body, [&](const Failure& failure) {
    api.error_text(call, to_c(failure.text));
    if (failure.by != Failure::By::kException || call == nullptr) return;
    if (call->kind != DAVIT_CALL_PROBE) return;
    const davit_log_field fields[] = {{to_c("where"), to_c("a probe")},
                                      {to_c("error"), to_c(failure.text)}};
    api.log->write(call, DAVIT_LOG_ERROR, to_c("controller code failed"), fields, 2);
  });
}

davit_code guarded_init(const davit_context& context, const davit_call* call,
                        const Body& body) noexcept {
  const CallScope scope(call);
  return run_guarded(body,
                     [&](const Failure& failure) { context.error_text(call, to_c(failure.text)); });
}

void guarded_handler_body(const Api& api, const davit_call* call, std::string_view where,
                          davit_value object, const Body& body) noexcept {
  const CallScope scope(call);
  static_cast<void>(run_guarded(body, [&](const Failure& failure) {
    const auto member = [&](davit_value of, Name name) {
      davit_value out{};
      static_cast<void>(api.object->member(of, name.id, &out));
      return out;
    };
    const auto text = [&](davit_value of, Name name) {
      davit_str out{};
      static_cast<void>(api.object->string(member(of, name), &out));
      return out;
    };
    const davit_value metadata = member(object, api.names.metadata);
    const davit_log_field fields[] = {{to_c("where"), to_c(where)},
                                      {to_c("error"), to_c(failure.text)},
                                      {to_c("namespace"), text(metadata, api.names.ns)},
                                      {to_c("name"), text(metadata, api.names.name)}};
    api.log->write(call, DAVIT_LOG_ERROR, to_c("controller code failed"), fields, 4);
  }));
}

davit_code Thrown::keep(const void* body, davit_code (*run)(const void* body)) noexcept {
  try {
    return run(body);
  } catch (...) {
    kept_ = std::current_exception();
    return DAVIT_INTERNAL;
  }
}

void Thrown::rethrow() const {
  if (kept_) std::rethrow_exception(kept_);
}

}  // namespace davit::detail

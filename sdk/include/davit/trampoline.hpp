/// The only place in the SDK that catches: what controllers throw must not cross the C boundary.
#pragma once

#include <davit/api.hpp>
#include <exception>
#include <string>
#include <string_view>

namespace davit::detail {

inline constexpr std::string_view kUndeclaredText =
    "read a field outside the projection that the plugin declares";

/// Runs `body`, a callable that returns Status, as the call, and passes its error to the host.
template <typename Body>
davit_code guarded(const Api& api, const davit_call* call, const Body& body) noexcept {
  const CallScope scope(call);
  const auto fail = [&](Code code, std::string_view message) {
    api.error_text(call, to_c(message));
    return to_c(code);
  };
  try {
    const Status status = body();
    if (current_call.read_undeclared) return fail(Code::kUndeclared, kUndeclaredText);
    if (status.ok()) return DAVIT_OK;
    return fail(status.code(), status.message());
  } catch (const std::exception& error) {
    return fail(Code::kInternal, error.what());
  } catch (...) {
    return fail(Code::kInternal, "the controller threw something that is not a std::exception");
  }
}

/// The same for calls without a result: an error becomes a log line.
template <typename Body>
void guarded_logged(const Api& api, const davit_call* call, std::string_view where,
                    const Body& body) noexcept {
  const CallScope scope(call);
  std::string_view why;
  const auto log = [&] {
    const davit_log_field fields[] = {{to_c("where"), to_c(where)}, {to_c("error"), to_c(why)}};
    api.log->write(call, DAVIT_LOG_ERROR, to_c("controller code failed"), fields, 2);
  };
  try {
    body();
    if (!current_call.read_undeclared) return;
    why = kUndeclaredText;
    log();
  } catch (const std::exception& error) {
    why = error.what();
    log();
  } catch (...) {
    why = "the controller threw something that is not a std::exception";
    log();
  }
}

}  // namespace davit::detail

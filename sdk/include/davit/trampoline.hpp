/// The only place in the SDK that catches: what controllers throw must not cross the C boundary.
#pragma once

#include <davit/api.hpp>
#include <exception>
#include <string>
#include <string_view>

namespace davit::detail {

/// Runs `body`, a callable that returns Status, and hands its error to the host.
template <typename Body>
davit_code guarded(const Api& api, const Body& body) noexcept {
  const auto fail = [&api](Code code, std::string_view message) {
    api.error_text(api.host, to_c(message));
    return to_c(code);
  };
  try {
    const Status status = body();
    if (api.read_undeclared.exchange(false, std::memory_order_relaxed)) {
      return fail(Code::kUndeclared,
                  "read a field outside the projection that the plugin declares");
    }
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
void guarded_logged(const Api& api, std::string_view where, const Body& body) noexcept {
  std::string_view why;
  const auto log = [&] {
    const davit_log_field fields[] = {{to_c("where"), to_c(where)}, {to_c("error"), to_c(why)}};
    api.log->write(api.host, DAVIT_LOG_ERROR, to_c("controller code failed"), fields, 2);
  };
  try {
    body();
    if (!api.read_undeclared.exchange(false, std::memory_order_relaxed)) return;
    why = "read a field outside the projection that the plugin declares";
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

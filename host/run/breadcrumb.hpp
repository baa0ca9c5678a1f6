/// Records the plugin code that a thread is in, for crash reports.
#pragma once

#include <cstdint>
#include <string_view>

namespace davit::host {

/// One call into a plugin. The views live as long as the call.
struct Breadcrumb {
  std::string_view plugin;
  std::string_view build_id;
  std::uint64_t generation = 0;
  std::string_view controller;
  std::string_view activity;  ///< "open", "init", "on_event", "sync", "timer", "health", ...
  std::string_view key;       ///< The sync's key; else empty.
};

/// The innermost call that this thread is in, or null. Safe in a signal handler.
[[nodiscard]] const Breadcrumb* current_breadcrumb() noexcept;

/// Marks a call for as long as it lives. On the stack only; scopes nest. The thread's first one
/// gives it an alternate stack for the handler of a crash.
class BreadcrumbScope {
 public:
  explicit BreadcrumbScope(const Breadcrumb& crumb) noexcept;
  ~BreadcrumbScope();
  BreadcrumbScope(const BreadcrumbScope&) = delete;
  BreadcrumbScope& operator=(const BreadcrumbScope&) = delete;

 private:
  const Breadcrumb crumb_;
  const Breadcrumb* const outer_;
};

}  // namespace davit::host

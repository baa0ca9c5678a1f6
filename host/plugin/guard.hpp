/// The host's own catch around calls into plugins. The SDK catches before; this is for plugins that
/// do not.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace davit::host {

/// Calls `call`, which runs plugin code. An exception is a breach of the contract: it becomes
/// `fallback`, and its text goes to `error`. With C++ plugins this works because both sides share
/// one unwinder; nothing of the exception object is kept, because its code may be unloaded.
template <typename Call, typename Fallback>
auto guarded(Call&& call, Fallback fallback, std::string& error) noexcept -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& thrown) {
    error = std::string("the plugin threw an exception: ") + thrown.what();
  } catch (...) {
    error = "the plugin threw an exception that is no std::exception";
  }
  return fallback;
}

}  // namespace davit::host

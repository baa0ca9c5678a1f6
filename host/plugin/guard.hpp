/// The host's own catches where it meets plugins: around its calls into them (the SDK catches
/// before; this is for plugins that do not), and around the functions that they call.
#pragma once

#include <exception>
#include <string>
#include <string_view>
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
    error = "the plugin threw an exception that is not a std::exception";
  }
  return fallback;
}

/// Runs `call`, the body of a function that plugins call. Nothing may be thrown across the C ABI:
/// what the system refuses (memory, a thread) becomes `fallback`, after `note(why)`, which may fail
/// as well.
template <typename Call, typename Fallback, typename Note>
auto shielded(Call&& call, Fallback fallback, Note&& note) noexcept -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& thrown) {
    try {
      note(std::string_view(thrown.what()));
    } catch (...) {
    }
  } catch (...) {
  }
  return fallback;
}

}  // namespace davit::host

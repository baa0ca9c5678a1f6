/// The window into a status that `davit top` shows: keys scroll and sort it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/status_text.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

enum class TopKey { kQuit, kSort, kUp, kDown, kPageUp, kPageDown, kFirst, kLast };

/// Turns the bytes of a terminal into keys. Pure.
class TopKeyDecoder {
 public:
  /// The keys that end in `bytes`; the beginning of a key's sequence waits for the next call. Keys
  /// without a meaning are left out.
  [[nodiscard]] std::vector<TopKey> read(std::string_view bytes);

 private:
  std::string pending_;  // The beginning of an escape sequence.
};

/// The window. The first line of the status stays, the others scroll. Pure.
class TopView {
 public:
  /// Applies a key that scrolls or sorts; kQuit is the caller's.
  void press(TopKey key);
  /// As many lines as `terminal` has at most, the last one with the keys. All lines if it has no
  /// limit.
  [[nodiscard]] std::string frame(const Json& status, StatusTextOptions terminal);

 private:
  std::string_view sort_by_;     // See StatusTextOptions.
  std::size_t skipped_ = 0;      // Lines above the window.
  std::size_t page_ = 1;         // Lines of the last window,
  std::size_t skipped_max_ = 0;  // and how far it could scroll.
};

}  // namespace davit::host

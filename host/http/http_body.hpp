/// A response's body that goes on, and what a fault may do to a response.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Pulled, never pushed, so that a slow client costs no memory. Read, asked and destroyed on the
/// server's thread.
class HttpBodyStream {
 public:
  enum class State {
    kOpen,   ///< More will come: wait for `ready` or for next_read().
    kEnded,  ///< That was all; the body ends properly.
    kCut,    ///< The connection is to be closed without a proper end.
  };

  HttpBodyStream() = default;
  HttpBodyStream(const HttpBodyStream&) = delete;
  HttpBodyStream& operator=(const HttpBodyStream&) = delete;
  virtual ~HttpBodyStream() = default;

  /// Appends what there is to `out`, about `bytes_max` at most. kOpen with nothing appended:
  /// nothing to read now.
  [[nodiscard]] virtual State read(std::string& out, std::size_t bytes_max) = 0;
  /// `ready` may be called on any thread, but not any more once the stream is destroyed.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// On the machine's monotonic clock: when read() has something to do although nothing arrives.
  [[nodiscard]] virtual Time next_read() const = 0;
};

/// A fault injected into a response on its way out. By default none.
struct HttpFault {
  Duration delay{0};  ///< Before the first byte.
  std::optional<std::size_t> cut_after =
      {};  ///< The connection ends after so many bytes of the body.
  /// The connection is reset: at once, or after `cut_after` bytes of the body.
  bool reset = false;
  std::size_t bytes_per_second = 0;  ///< 0: as fast as possible.
};

}  // namespace davit::host

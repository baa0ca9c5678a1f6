/// A connection to a server, as an injected seam: bytes in both directions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace davit {

/// A connection that is made, used and ended in the background: no call blocks. Thread-safe. Its
/// end closes the connection.
class ByteConnection {
 public:
  enum class State {
    kOpen,   ///< It is being made, or open.
    kEnded,  ///< It could not be made, or has ended on either side, and everything has been read.
  };

  ByteConnection() = default;
  ByteConnection(const ByteConnection&) = delete;
  ByteConnection& operator=(const ByteConnection&) = delete;
  virtual ~ByteConnection() = default;

  /// Appends what has come, `bytes_max` at most.
  [[nodiscard]] virtual State read(std::string& out, std::size_t bytes_max) = 0;
  /// Sends all of `bytes` in time.
  virtual void write(std::string_view bytes) = 0;
  /// False while so much waits to be sent that the caller should wait for `ready`.
  [[nodiscard]] virtual bool wants_more() const = 0;
  /// Ends the connection once everything has been sent.
  virtual void end() = 0;
  /// Sets the function that is called, on any thread and outside every lock, when read() or
  /// wants_more() may have news; never after this is destroyed.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// After kEnded: why there was no connection, or why it broke; empty: it ended properly.
  [[nodiscard]] virtual std::string fault() const = 0;
};

}  // namespace davit

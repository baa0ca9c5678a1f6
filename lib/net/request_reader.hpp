/// Parses bytes into requests with an HTTP/1.1 parser, within limits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lib/net/http_server.hpp"

namespace davit {

/// "Not Found"; "Unknown" for a number that is not a status.
[[nodiscard]] std::string_view reason_phrase(int status);

/// Reads one request. Boost.Beast parses, and stores nothing: its containers of headers throw at
/// 64 KiB. The rules about framing that keep requests of one connection apart are Go's where Beast
/// is more tolerant.
class RequestReader {
 public:
  enum class State {
    kHead,      ///< Needs more of the head.
    kBody,      ///< Has the head, needs more of the body.
    kDone,      ///< take() has it.
    kTooLarge,  ///< The body is beyond the limit; take() has the rest.
    kBad,       ///< No request: see refusal().
  };

  explicit RequestReader(const HttpServerOptions& options);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Reads on, and takes out of `in` what it used; what follows the request stays.
  State read(std::string& in);

  [[nodiscard]] State state() const { return state_; }
  /// The status that says what is wrong with it.
  [[nodiscard]] int refusal() const { return refusal_; }
  /// From kBody on: the client waits for "100 Continue".
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] bool keep_alive() const;
  /// HTTP/1.0, which has no chunks.
  [[nodiscard]] bool old_version() const;
  [[nodiscard]] HttpServerRequest take();

 private:
  class Parser;
  State bad(int status);
  State check_head();
  [[nodiscard]] std::size_t window(std::string_view rest) const;

  const std::size_t header_bytes_max_;
  std::size_t head_bytes_ = 0;  // Read of the head so far.
  const std::size_t body_bytes_max_;
  const std::unique_ptr<Parser> parser_;
  State state_ = State::kHead;
  int refusal_ = 0;
  bool keep_alive_ = false;
};

}  // namespace davit

/// Encodes HTTP/1.1 requests and decodes responses. Internal to host/api. Beast's headers are only
/// included in the source.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "lib/net/transport.hpp"

namespace davit::host {

/// Counts the headers of a response, or its trailers, however they arrive.
class HeadLimit {
 public:
  /// Takes note of a header; false beyond kHttpFieldsMax or kHttpHeadBytesMax.
  [[nodiscard]] bool add(std::string_view name, std::string_view value);

 private:
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
};

/// The head and body of `request` as they are sent. `host` is the value of the Host header,
/// `prefix` the path below which the server's paths begin. kMisuse when a part of it would end its
/// line or is too long.
[[nodiscard]] Result<std::string> http1_request(const HttpRequest& request, std::string_view host,
                                                std::string_view prefix);

/// kMisuse when method, target or a header would end its line, or a header is too long
/// (kHeaderBytesMax). The message names the header and never contains a value.
[[nodiscard]] Status check_request_lines(const HttpRequest& request);

/// Whether a response may have a body; a response to HEAD never has one, regardless of its
/// Content-Length.
enum class ResponseBody { kPossible, kNever };

/// Reads one final response from the bytes of a connection, and hands it to a ResponseReader.
/// Informational responses before it are skipped.
class Http1Response {
 public:
  /// `reader` must outlive this, and must not pause.
  Http1Response(ResponseReader& reader, ResponseBody body);
  ~Http1Response();
  Http1Response(const Http1Response&) = delete;
  Http1Response& operator=(const Http1Response&) = delete;

  enum class State {
    kMore,    ///< The response continues.
    kDone,    ///< It is complete.
    kBroken,  ///< It is not HTTP, or ended too early; see end().
  };
  /// Takes what the connection brought.
  State feed(std::string_view bytes);
  /// The peer has closed: that is how some responses end.
  State finish();

  /// Whether the connection may carry another request. Valid once the response is complete.
  [[nodiscard]] bool keeps_connection() const;
  /// Whether any byte has come.
  [[nodiscard]] bool began() const { return began_; }
  /// Whether the final response's head has come.
  [[nodiscard]] bool has_head() const;
  /// Why the response is kBroken.
  [[nodiscard]] const TransportEnd& end() const { return end_; }

 private:
  class Parser;
  State broken(Break kind, std::string message);
  State restart_after_informational();

  ResponseReader& reader_;
  const ResponseBody body_;
  std::unique_ptr<Parser> parser_;
  std::string unread_;  // Came, and does not make a whole element of the protocol yet.
  bool began_ = false;
  int informational_ = 0;
  TransportEnd end_;
};

}  // namespace davit::host

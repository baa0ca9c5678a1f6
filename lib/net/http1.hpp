/// Encodes HTTP/1.1 requests and decodes responses. Beast's headers are only included in the
/// source.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/net/transport.hpp"

namespace davit {

/// Counts the headers of a response, or its trailers, however they arrive.
class HeadLimit {
 public:
  /// Takes note of a header; false beyond kHttpFieldsMax or kHttpHeadBytesMax.
  [[nodiscard]] bool add(std::string_view name, std::string_view value);

 private:
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
};

/// The parts of a head that depend on the way to the server and not on the request.
struct Http1Route {
  std::string host;  ///< The value of the Host header.
  /// Written before the request's target: the path below which the server's paths begin. A proxy
  /// gets the absolute form (RFC 9112, section 3.2.2): "http://10.0.0.1:8080/prefix".
  std::string prefix{};
  std::string proxy{};  ///< The URL of the proxy that reads the head, for messages; "": the server.
  std::string proxy_authorization{};  ///< Added as a header unless it is empty.
};

/// The head and body of `request` as they are sent. kMisuse when a part of it would end its line or
/// is too long.
[[nodiscard]] Result<std::string> http1_request(const HttpRequest& request,
                                                const Http1Route& route);

/// kMisuse when method, target or a header would end its line, or a header is too long
/// (kHeaderBytesMax). The message names the header and never contains a value.
[[nodiscard]] Status check_request_lines(const HttpRequest& request);

/// Whether a response may have a body; a response to HEAD never has one, regardless of its
/// Content-Length.
enum class ResponseBody { kPossible, kNever };

/// Whether the request asks for another protocol, which a response with status 101 begins.
enum class ProtocolSwitch { kRefused, kWanted };

/// Reads one final response from the bytes of a connection, and hands it to a ResponseReader.
/// Informational responses before it are skipped. If a switch of the protocol is wanted, a response
/// with status 101 is a final one, without a body; take_rest() then begins with the other protocol.
class Http1Response {
 public:
  /// `reader` and `route`, the request's, must outlive this.
  Http1Response(ResponseReader& reader, ResponseBody body, const Http1Route& route,
                ProtocolSwitch protocol_switch = ProtocolSwitch::kRefused);
  ~Http1Response();
  Http1Response(const Http1Response&) = delete;
  Http1Response& operator=(const Http1Response&) = delete;

  enum class State {
    kMore,    ///< The response continues.
    kPaused,  ///< The reader pauses: call resume() before anything else.
    kDone,    ///< It is complete.
    kBroken,  ///< It is not HTTP, or ended too early; see end().
  };
  /// Takes what the connection brought.
  State feed(std::string_view bytes);
  /// Offers the reader again the bytes that it refused, before any later ones.
  State resume();
  /// The peer has closed: that is how some responses end.
  State finish();

  /// Whether the connection may carry another request. Valid once the response is complete.
  [[nodiscard]] bool keeps_connection() const;
  /// The bytes behind the complete response.
  [[nodiscard]] std::string take_rest() { return std::move(unread_); }
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
  /// Parses unread_.
  State proceed();

  ResponseReader& reader_;
  const ResponseBody body_;
  const Http1Route& route_;
  const ProtocolSwitch switch_;
  std::unique_ptr<Parser> parser_;
  std::string unread_;  // Came, and does not make a whole element of the protocol yet.
  bool began_ = false;
  int informational_ = 0;
  TransportEnd end_;
};

}  // namespace davit

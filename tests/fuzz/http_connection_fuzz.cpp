/// Any bytes on a connection are answered alike however they are cut into pieces, every response is
/// whole, and the connection always has an end: an action or a deadline.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/net/http_connection.hpp"

namespace {
using namespace davit;
using SocketAction = HttpConnection::SocketAction;

/// Small enough that most inputs reach them; those of davit's ports; or of heads that are longer
/// than sixteen bits can say.
enum class Limits { kSmall, kServed, kLong };

Limits limits_of(std::uint8_t first) {
  if (first < 0x80) return Limits::kSmall;
  return first < 0xc0 ? Limits::kServed : Limits::kLong;
}

HttpServerOptions with(Limits limits) {
  HttpServerOptions options;
  if (limits == Limits::kSmall) {
    options.header_bytes_max = 512;
    options.header_fields_max = 16;
  } else if (limits == Limits::kLong) {
    options.header_bytes_max = std::size_t{128} << 10U;
  }
  options.body_bytes_max = 64;
  options.large_body = LargeBody::kPassToHandler;
  return options;
}

/// Says what it was asked.
HttpServerResponse echo(const HttpServerRequest& request) {
  HttpServerResponse response;
  response.headers.emplace_back("X-Target", request.target);
  response.body = request.method + ' ' + request.target + ' ' + std::string(request.path()) + ' ' +
                  std::string(request.query()) + (request.body_too_large ? " large " : " ") +
                  request.body;
  for (const auto& [name, value] : request.headers) response.body += '\n' + name + '=' + value;
  return response;
}

struct Outcome {
  std::string sent;
  SocketAction action;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

class Conversation {
 public:
  explicit Conversation(Limits limits)
      : options_(with(limits)),
        connection_(
            options_, handler_, [] {}, Time{}) {}

  void say(std::string_view bytes) {
    connection_.receive(bytes, Time{});
    take();
  }
  /// With nothing more to come it ends by itself.
  Outcome end() {
    const SocketAction action = connection_.action();
    connection_.receive_end();
    take();
    constexpr int kStepsMax = 8;
    for (int i = 0; i < kStepsMax && connection_.action() == SocketAction::kOpen; ++i) {
      DAVIT_ASSERT(connection_.deadline() < Time::max());
      connection_.tick(connection_.deadline());
      take();
    }
    DAVIT_ASSERT(connection_.action() != SocketAction::kOpen);
    return {sent_, action};
  }

 private:
  void take() {
    for (std::string piece = connection_.output(Time{}); !piece.empty();
         piece = connection_.output(Time{})) {
      sent_ += piece;
      connection_.sent(Time{});
    }
  }

  const HttpServerOptions options_;
  const HttpConnection::Handler handler_ = echo;
  HttpConnection connection_;
  std::string sent_;
};

Outcome converse(std::string_view bytes, std::size_t piece, Limits limits) {
  Conversation conversation(limits);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    conversation.say(bytes.substr(at, piece));
  }
  return conversation.end();
}

/// "100 Continue" depends on how much had come when it was asked for; which of several mistakes a
/// refusal names, too.
std::string comparable(std::string text) {
  for (const char* refusal : {"HTTP/1.1 4", "HTTP/1.1 5"})
    text.erase(std::min(text.find(refusal), text.size()));
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (std::size_t at = text.find(kContinue); at != std::string::npos; at = text.find(kContinue)) {
    text.erase(at, kContinue.size());
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  // Errors in a head are found at its end at the latest, and sometimes before.
  bytes += "\r\n\r\n";
  const Limits limits = limits_of(data[0]);
  // A head is read again with each piece of it.
  const std::size_t unit = limits == Limits::kSmall ? 1 : 509;
  Outcome whole = converse(bytes, bytes.size() + 1, limits);
  Outcome pieces = converse(bytes, (std::size_t{data[0]} % 67 + 1) * unit, limits);
  whole.sent = comparable(std::move(whole.sent));
  pieces.sent = comparable(std::move(pieces.sent));
  DAVIT_ASSERT(whole == pieces);
  DAVIT_ASSERT(whole.sent.empty() || whole.sent.starts_with("HTTP/1.1 200 "));
  return 0;
}

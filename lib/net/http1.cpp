#include "lib/net/http1.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "lib/base/header_value.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/printable.hpp"
#include "lib/net/http_tunnel.hpp"

namespace davit {
namespace {

namespace http = boost::beast::http;

// API servers read so much of a head (net/http.DefaultMaxHeaderBytes).
constexpr std::size_t kRequestHeadBytesMax = std::size_t{1} << 20U;
// So much of a header's name goes into messages.
constexpr std::size_t kNameBytesShown = 64;
constexpr int kStatusMin = 100;
// net/http's limit of 1xx responses before the final one.
constexpr int kInformationalMax = 5;
// A larger buffer is not kept while nothing comes, as on most watches.
constexpr std::size_t kUnreadKeptMax = 1024;
constexpr const char* kEnough = "its reader takes no more of it";

bool is_token(std::string_view text) {
  constexpr std::string_view kOther = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOther.find(c) != kOther.npos;
  });
}

std::string_view plain(boost::string_view text) { return {text.data(), text.size()}; }

std::string shown(std::string_view name) {
  return printable(name.substr(0, kNameBytesShown)) + (name.size() > kNameBytesShown ? "..." : "");
}

}  // namespace

bool HeadLimit::add(std::string_view name, std::string_view value) {
  constexpr std::size_t kBetween = 4;  // ": " and the line's end.
  bytes_ += name.size() + value.size() + kBetween;
  return ++fields_ <= kHttpFieldsMax && bytes_ <= kHttpHeadBytesMax;
}

Status check_request_lines(const HttpRequest& request) {
  if (!is_token(request.method)) return {Code::kMisuse, "the method is not one word"};
  if (!is_header_value(request.target) ||
      request.target.find_first_of(" \t") != std::string::npos) {
    return {Code::kMisuse, "the request's target contains a blank or a control character"};
  }
  for (const auto& [name, value] : request.headers) {
    const std::string fault =
        is_token(name) ? header_fault(value, name.size()) : "has a name that is not one word";
    if (!fault.empty()) return {Code::kMisuse, "the header " + shown(name) + " " + fault};
  }
  return {};
}

Result<std::string> http1_request(const HttpRequest& request, const Http1Route& route) {
  if (Status s = check_request_lines(request); !s.ok()) return s;
  if (const std::string fault = header_fault(route.host); !fault.empty()) {
    return Status(Code::kMisuse, "the header Host " + fault);
  }
  std::string out;
  out.reserve(1024 + route.prefix.size() + request.target.size() + request.body.size());
  out.append(request.method).append(" ").append(route.prefix).append(request.target);
  out.append(" HTTP/1.1\r\nHost: ").append(route.host).append("\r\n");
  if (!route.proxy_authorization.empty()) {
    out.append("Proxy-Authorization: ").append(route.proxy_authorization).append("\r\n");
  }
  for (const auto& [name, value] : request.headers) {
    out.append(name).append(": ").append(value).append("\r\n");
  }
  // RFC 9110, 8.6: also without a body, where the method gives it a meaning.
  const bool needs_no_body =
      request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
  if (!request.body.empty() || !needs_no_body) {
    out.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  out.append("\r\n");
  if (out.size() > kRequestHeadBytesMax) {
    return Status(Code::kMisuse, "target and headers have " + std::to_string(out.size()) +
                                     " bytes; a server reads at most 1 MiB");
  }
  return out.append(request.body);
}

/// Passes the parts of one head and its body to the reader, and drops informational responses.
class Http1Response::Parser final : public http::basic_parser<false> {
 public:
  Parser(ResponseReader& reader, ResponseBody body, const Http1Route& route,
         ProtocolSwitch protocol_switch)
      : reader_(reader), is_of_proxy_(!route.proxy.empty()), switch_(protocol_switch) {
    header_limit(static_cast<std::uint32_t>(kHttpHeadBytesMax));
    body_limit(std::numeric_limits<std::uint64_t>::max());  // The reader has a limit of its own.
    eager(true);
    skip(body == ResponseBody::kNever);
  }

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] bool is_final() const {
    return status_ >= 200 || (switch_ == ProtocolSwitch::kWanted && status_ == kSwitchingProtocols);
  }
  [[nodiscard]] bool has_enough() const { return enough_; }
  [[nodiscard]] bool is_refused_by_proxy() const { return refused_; }
  [[nodiscard]] bool is_paused() const { return !held_.empty(); }

  /// Offers the reader again what it did not take.
  void resume() {
    const std::string held = std::exchange(held_, {});
    Error unused;
    take({held.data(), held.size()}, unused);
  }

 private:
  using Error = boost::beast::error_code;
  using Text = boost::string_view;

  void on_request_impl(http::verb, Text, Text, int, Error&) override {}
  // RFC 9110, 15: a lower status has no meaning, and could come with a body before any head.
  void on_response_impl(int code, Text, int, Error& error) override {
    status_ = code;
    if (code < kStatusMin) error = http::error::bad_status;
  }
  void on_field_impl(http::field, Text name, Text value, Error& error) override {
    if (!limit_.add(plain(name), plain(value))) {
      error = http::error::header_limit;
      return;
    }
    if (is_header_done()) return;  // Trailers.
    headers_.emplace_back(lower_case(std::string(plain(name))), plain(value));
  }
  void on_header_impl(Error& error) override {
    // Only a proxy sends this status: the server has not seen the request.
    refused_ = is_of_proxy_ && status_ == 407;
    if (refused_) {
      error = http::error::bad_status;
      return;
    }
    if (is_final()) reader_.on_head(status_, headers_);
    headers_ = {};
    limit_ = {};
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error& error) override { return take(body, error); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error& error) override {
    return take(body, error);
  }
  void on_finish_impl(Error&) override {}

  // While the reader pauses, the rest of what was received waits with what it did not take.
  std::size_t take(Text body, Error& error) {
    if (body.empty()) return 0;
    const auto flow = is_paused() ? ResponseReader::Flow::kPause : reader_.on_body(plain(body));
    if (flow == ResponseReader::Flow::kPause) held_.append(body.data(), body.size());
    enough_ = flow == ResponseReader::Flow::kEnough;
    if (enough_) error = http::error::body_limit;
    return body.size();
  }

  ResponseReader& reader_;
  const bool is_of_proxy_;
  const ProtocolSwitch switch_;
  HttpHeaders headers_;
  HeadLimit limit_;  // Counts the head, then the trailers.
  int status_ = 0;
  bool enough_ = false;
  bool refused_ = false;
  std::string held_;  // Not empty: the reader pauses.
};

Http1Response::Http1Response(ResponseReader& reader, ResponseBody body, const Http1Route& route,
                             ProtocolSwitch protocol_switch)
    : reader_(reader),
      body_(body),
      route_(route),
      switch_(protocol_switch),
      parser_(std::make_unique<Parser>(reader, body, route, protocol_switch)) {}

Http1Response::~Http1Response() = default;

Http1Response::State Http1Response::broken(Break kind, std::string message) {
  end_ = {kind, std::move(message)};
  return State::kBroken;
}

bool Http1Response::has_head() const { return parser_->is_header_done() && parser_->is_final(); }

bool Http1Response::keeps_connection() const { return unread_.empty() && parser_->keep_alive(); }

// One with status 101 changes the protocol, which this request does not want.
Http1Response::State Http1Response::restart_after_informational() {
  if (parser_->status() == kSwitchingProtocols || ++informational_ > kInformationalMax) {
    return broken(Break::kOther, "the server sends informational responses only");
  }
  parser_ = std::make_unique<Parser>(reader_, body_, route_, switch_);
  return State::kMore;
}

Http1Response::State Http1Response::feed(std::string_view bytes) {
  began_ = began_ || !bytes.empty();
  unread_.append(bytes);
  return proceed();
}

Http1Response::State Http1Response::resume() {
  parser_->resume();
  if (parser_->has_enough()) return broken(Break::kReader, kEnough);
  if (parser_->is_paused()) return State::kPaused;
  return parser_->is_done() ? State::kDone : proceed();
}

Http1Response::State Http1Response::proceed() {
  while (!unread_.empty()) {
    // Beast 1.74 asserts five bytes when it reads the line of a last chunk for the second time.
    // These four never end a response, so they can wait.
    const bool in_chunks = parser_->is_header_done() && parser_->chunked();
    if (in_chunks && unread_.size() == 4 && unread_.starts_with("0\r\n")) return State::kMore;
    boost::beast::error_code error;
    const std::size_t used =
        parser_->put(boost::asio::const_buffer(unread_.data(), unread_.size()), error);
    unread_.erase(0, used);
    if (error == http::error::need_more) {
      // An endless line of a chunk, or endless trailers: a head has a limit in Beast.
      if (unread_.size() <= kHttpHeadBytesMax) return State::kMore;
      error = http::error::header_limit;
    }
    if (parser_->has_enough()) return broken(Break::kReader, kEnough);
    if (parser_->is_refused_by_proxy()) {
      return broken(Break::kRefused,
                    "the proxy " + route_.proxy +
                        " refuses the request: HTTP 407, it requires credentials" +
                        (route_.proxy_authorization.empty() ? "" : " other than those of its URL"));
    }
    if (parser_->is_paused()) return State::kPaused;
    if (error) {
      return has_head() ? broken(Break::kReset, "the body is malformed: " + error.message())
                        : broken(Break::kOther,
                                 "the server does not respond in HTTP/1.1: " + error.message());
    }
    if (!parser_->is_done()) {
      if (used == 0) return State::kMore;
      continue;
    }
    if (parser_->is_final()) return State::kDone;
    if (restart_after_informational() == State::kBroken) return State::kBroken;
  }
  if (unread_.capacity() > kUnreadKeptMax) unread_.shrink_to_fit();
  return State::kMore;
}

Http1Response::State Http1Response::finish() {
  if (!began_ || !parser_->got_some()) {
    return broken(Break::kReset, "the server closed the connection without a response");
  }
  boost::beast::error_code error;
  parser_->put_eof(error);
  if (!error && parser_->is_done() && parser_->is_final()) return State::kDone;
  return broken(Break::kReset, "the server closed the connection before its response was complete");
}

}  // namespace davit

#include "host/api/http1.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/serializer.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "lib/base/lower_case.hpp"

namespace davit::host {
namespace {

namespace http = boost::beast::http;

// The limit for all heads of a response; net/http takes 10 MiB, API servers send less than 1 % of
// it.
constexpr std::uint32_t kHeadBytesMax = 64 * 1024;
// net/http's limit of 1xx responses before the final one.
constexpr int kInformationalMax = 5;
// A larger buffer is not kept while nothing comes, as on most watches.
constexpr std::size_t kUnreadKeptMax = 1024;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  });
}

bool is_token(std::string_view text) {
  constexpr std::string_view kOther = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOther.find(c) != kOther.npos;
  });
}

boost::string_view boosted(std::string_view text) { return {text.data(), text.size()}; }
std::string_view plain(boost::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Status check_request_lines(const HttpRequest& request) {
  if (!is_token(request.method)) return {Code::kMisuse, "the method is not one word"};
  if (has_control(request.target) || request.target.find_first_of(" \t") != std::string::npos) {
    return {Code::kMisuse, "the request's target contains a blank or a control character"};
  }
  for (const auto& [name, value] : request.headers) {
    if (is_token(name) && !has_control(value)) continue;
    return {Code::kMisuse, "the header " + name + " contains a control character"};
  }
  return {};
}

Result<std::string> http1_request(const HttpRequest& request, std::string_view host,
                                  std::string_view prefix) {
  if (Status s = check_request_lines(request); !s.ok()) return s;
  http::request<http::empty_body> head;
  head.version(11);
  head.method_string(boosted(request.method));
  std::string target(prefix);
  head.target(target += request.target);
  head.set(http::field::host, boosted(host));
  for (const auto& [name, value] : request.headers) head.insert(name, value);
  // RFC 9110, 8.6: also without a body, where the method gives it a meaning.
  const bool needs_no_body =
      request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
  if (!request.body.empty() || !needs_no_body) {
    head.set(http::field::content_length, std::to_string(request.body.size()));
  }
  std::string out;
  out.reserve(1024 + request.body.size());
  http::request_serializer<http::empty_body> serializer(head);
  boost::beast::error_code error;
  while (!serializer.is_done() && !error) {
    serializer.next(error, [&](boost::beast::error_code&, const auto& buffers) {
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        out.append(static_cast<const char*>(piece.data()), piece.size());
      }
      serializer.consume(boost::beast::buffer_bytes(buffers));
    });
  }
  return out.append(request.body);
}

/// Passes the parts of one head and its body to the reader, and drops informational responses.
class Http1Response::Parser final : public http::basic_parser<false> {
 public:
  Parser(ResponseReader& reader, ResponseBody body) : reader_(reader) {
    header_limit(kHeadBytesMax);
    body_limit(std::numeric_limits<std::uint64_t>::max());  // The reader has a limit of its own.
    eager(true);
    skip(body == ResponseBody::kNever);
  }

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] bool is_final() const { return status_ >= 200; }
  [[nodiscard]] bool has_enough() const { return enough_; }

 private:
  using Error = boost::beast::error_code;
  using Text = boost::string_view;

  void on_request_impl(http::verb, Text, Text, int, Error&) override {}
  void on_response_impl(int code, Text, int, Error&) override { status_ = code; }
  void on_field_impl(http::field, Text name, Text value, Error&) override {
    headers_.emplace_back(lower_case(std::string(plain(name))), plain(value));
  }
  void on_header_impl(Error&) override {
    if (is_final()) reader_.on_head(status_, headers_);
    headers_.clear();  // Later fields are trailers.
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error& error) override { return take(body, error); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error& error) override {
    return take(body, error);
  }
  void on_finish_impl(Error&) override {}

  std::size_t take(Text body, Error& error) {
    if (!body.empty() && reader_.on_body(plain(body)) == ResponseReader::Flow::kEnough) {
      enough_ = true;
      error = http::error::body_limit;
    }
    return body.size();
  }

  ResponseReader& reader_;
  HttpHeaders headers_;
  int status_ = 0;
  bool enough_ = false;
};

Http1Response::Http1Response(ResponseReader& reader, ResponseBody body)
    : reader_(reader), body_(body), parser_(std::make_unique<Parser>(reader, body)) {}

Http1Response::~Http1Response() = default;

Http1Response::State Http1Response::broken(Break kind, std::string message) {
  end_ = {kind, std::move(message)};
  return State::kBroken;
}

bool Http1Response::has_head() const { return parser_->is_header_done() && parser_->is_final(); }

bool Http1Response::keeps_connection() const { return unread_.empty() && parser_->keep_alive(); }

// Only 101 changes the protocol, and we never request that.
Http1Response::State Http1Response::restart_after_informational() {
  if (parser_->status() == 101 || ++informational_ > kInformationalMax) {
    return broken(Break::kOther, "the server sends informational responses only");
  }
  parser_ = std::make_unique<Parser>(reader_, body_);
  return State::kMore;
}

Http1Response::State Http1Response::feed(std::string_view bytes) {
  began_ = began_ || !bytes.empty();
  unread_.append(bytes);
  while (!unread_.empty()) {
    boost::beast::error_code error;
    const std::size_t used =
        parser_->put(boost::asio::const_buffer(unread_.data(), unread_.size()), error);
    unread_.erase(0, used);
    if (error == http::error::need_more) return State::kMore;
    if (parser_->has_enough()) return broken(Break::kReader, "its reader takes no more of it");
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

}  // namespace davit::host

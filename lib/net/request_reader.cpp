#include "lib/net/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <limits>
#include <utility>

namespace davit {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string text(boost::beast::string_view view) { return {view.data(), view.size()}; }

/// A path of absolute-form ("http://host/path") as origin-form; "" when it is neither.
std::string origin_form(std::string target) {
  if (target.starts_with('/') || target == "*") return target;
  const std::size_t scheme = target.find("://");
  if (scheme == std::string::npos) return "";
  const std::size_t path = target.find_first_of("/?", scheme + 3);
  if (path == std::string::npos) return "/";
  return target[path] == '?' ? "/" + target.substr(path) : target.substr(path);
}

}  // namespace

std::string_view reason_phrase(int status) {
  const auto phrase = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return phrase.empty() ? std::string_view("Unknown")
                        : std::string_view(phrase.data(), phrase.size());
}

struct RequestReader::Parser {
  http::request_parser<http::string_body> http;
};

RequestReader::RequestReader(const HttpServerOptions& options)
    : header_bytes_max_(options.header_bytes_max),
      body_bytes_max_(options.body_bytes_max),
      parser_(std::make_unique<Parser>()) {
  parser_->http.header_limit(static_cast<std::uint32_t>(header_bytes_max_));
  // The limit is ours, because what is beyond it has a response. Not boost::none, which Beast 1.74
  // compares as less than every Content-Length.
  parser_->http.body_limit(std::numeric_limits<std::uint64_t>::max());
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::bad(int status) {
  refusal_ = status;
  return state_ = State::kBad;
}

/// Checks the head before the first byte of the body is requested.
RequestReader::State RequestReader::check_head() {
  const auto& head = parser_->http.get();
  for (const auto& field : head) {
    headers_.emplace_back(text(field.name_string()), text(field.value()));
  }
  keep_alive_ = head.keep_alive();
  const auto hosts = head.count(http::field::host);
  if (head.version() != 10 && head.version() != 11) return bad(505);
  if (hosts > 1 || (hosts == 0 && head.version() == 11)) return bad(400);
  // Framing that two readers may read in two ways is how requests are smuggled.
  if (head.count(http::field::transfer_encoding) > 0) {
    if (!beast::iequals(head[http::field::transfer_encoding], "chunked")) return bad(501);
    if (head.count(http::field::transfer_encoding) > 1) return bad(400);
    if (head.count(http::field::content_length) > 0 || head.version() == 10) return bad(400);
  }
  if (head.count(http::field::expect) > 0 &&
      !beast::iequals(head[http::field::expect], "100-continue")) {
    return bad(417);
  }
  if (origin_form(text(head.target())).empty()) return bad(400);
  const auto length = parser_->http.content_length();
  if (length && *length > body_bytes_max_) return state_ = State::kTooLarge;
  // Beast takes a chunk's size off its limit each time it reads the line again.
  if (parser_->http.chunked()) parser_->http.body_limit(boost::none);
  parser_->http.eager(true);
  return state_ = parser_->http.is_done() ? State::kDone : State::kBody;
}

/// The number of bytes of `rest` that the parser may see now; 0 if it has to wait for more.
std::size_t RequestReader::window(std::string_view rest) const {
  if (state_ == State::kHead) return rest.size();
  // Beast 1.74 asserts five bytes when it reads the line of a last chunk for the second time. These
  // four never end a request, so they can wait.
  if (parser_->http.chunked() && rest.size() == 4 && rest.starts_with("0\r\n")) return 0;
  return std::min(rest.size(), header_bytes_max_);
}

RequestReader::State RequestReader::read(std::string& in) {
  std::size_t used = 0;
  while ((state_ == State::kHead || state_ == State::kBody) && used < in.size()) {
    const std::size_t seen = window(std::string_view(in).substr(used));
    if (seen == 0) break;
    const bool seen_all = used + seen == in.size();
    beast::error_code error;
    const std::size_t n = parser_->http.put(boost::asio::buffer(in.data() + used, seen), error);
    used += n;
    if (state_ == State::kHead) head_bytes_ += n;
    // Comes before errors: the bytes of an error behind the limit may arrive later.
    if (state_ == State::kBody && parser_->http.get().body().size() > body_bytes_max_) {
      state_ = State::kTooLarge;
      break;
    }
    const bool starved = error == http::error::need_more;
    if (error == http::error::header_limit) bad(431);
    if (error == http::error::bad_version) bad(505);
    if (error && !starved && state_ != State::kBad) bad(400);
    // The line of a chunk, or the trailers, do not end within the limit.
    if (state_ == State::kBody && starved && n == 0 && seen == header_bytes_max_) bad(431);
    if (state_ == State::kHead && parser_->http.is_header_done()) {
      // Beast leaves the first line out of its count when it comes with the rest.
      head_bytes_ > header_bytes_max_ ? bad(431) : check_head();
    }
    if (state_ == State::kBody && parser_->http.is_done()) state_ = State::kDone;
    if (starved && seen_all) break;
  }
  in.erase(0, used);
  if (in.size() > header_bytes_max_ && state_ == State::kHead) bad(431);  // An endless line.
  return state_;
}

bool RequestReader::expects_continue() const {
  return parser_->http.get().version() == 11 && parser_->http.get().count(http::field::expect) > 0;
}

bool RequestReader::keep_alive() const { return keep_alive_; }

bool RequestReader::old_version() const { return parser_->http.get().version() == 10; }

HttpServerRequest RequestReader::take() {
  auto& message = parser_->http.get();
  HttpServerRequest request;
  request.method = text(message.method_string());
  request.target = origin_form(text(message.target()));
  request.headers = std::move(headers_);
  request.body_too_large = state_ == State::kTooLarge;
  if (!request.body_too_large) request.body = std::move(message.body());
  return request;
}

}  // namespace davit

#include "lib/net/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace davit {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

using Text = beast::string_view;

std::string text(Text view) { return {view.data(), view.size()}; }

std::size_t count(const HttpHeaders& headers, Text name) {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(),
                    [&](const auto& each) { return beast::iequals(each.first, name); }));
}

bool is(std::string_view value, Text wanted) {
  return beast::iequals(Text(value.data(), value.size()), wanted);
}

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

/// Keeps the request, and counts its headers.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(const HttpServerOptions& options) : fields_max_(options.header_fields_max) {
    header_limit(static_cast<std::uint32_t>(options.header_bytes_max));
    // The limit is ours, because what is beyond it has a response. Not boost::none, which Beast
    // 1.74 compares as less than every Content-Length.
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  std::size_t parse(std::string_view bytes, beast::error_code& error) {
    seen_ = bytes;
    return put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  }

  HttpServerRequest request;
  int version = 0;  // 10 or 11; 0 before the first line.

 private:
  using Error = beast::error_code;

  void on_request_impl(http::verb, Text method, Text target, int number, Error&) override {
    request.method = text(method);
    request.target = text(target);
    version = number;
  }
  void on_response_impl(int, Text, int, Error&) override {}
  void on_field_impl(http::field, Text name, Text value, Error& error) override {
    if (++fields_ > fields_max_) {
      error = http::error::header_limit;
    } else if (is_folded(name, value)) {
      error = http::error::bad_value;
    } else if (!is_header_done()) {  // Trailers are not headers.
      request.headers.emplace_back(text(name), text(value));
    }
  }
  void on_header_impl(Error&) override { fields_ = 0; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error&) override { return take(body); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error&) override { return take(body); }
  void on_finish_impl(Error&) override {}

  /// Nothing is reserved: a length that the client announces costs nothing.
  std::size_t take(Text body) {
    request.body.append(body.data(), body.size());
    return body.size();
  }

  /// Whether the value continues on a further line (RFC 9112, 5.2: a server refuses that, because
  /// two readers may read it in two ways). Beast joins the lines in a buffer of its own, or begins
  /// the value behind the line's end.
  [[nodiscard]] bool is_folded(Text name, Text value) const {
    const char* const end = seen_.data() + seen_.size();
    const char* const from = name.data() + name.size();
    const std::less<> before;
    if (before(value.data(), from) || before(end, value.data())) return true;
    return std::find(from, value.data(), '\n') != value.data();
  }

  const std::size_t fields_max_;
  std::size_t fields_ = 0;  // Counts the head, then the trailers.
  std::string_view seen_;   // Holds the bytes that the parser reads now.
};

RequestReader::RequestReader(const HttpServerOptions& options)
    : header_bytes_max_(options.header_bytes_max),
      body_bytes_max_(options.body_bytes_max),
      parser_(std::make_unique<Parser>(options)) {}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::bad(int status) {
  refusal_ = status;
  return state_ = State::kBad;
}

/// Checks the head before the first byte of the body is requested.
RequestReader::State RequestReader::check_head() {
  const HttpServerRequest& head = parser_->request;
  const int version = parser_->version;
  keep_alive_ = parser_->keep_alive();
  const std::size_t hosts = count(head.headers, "Host");
  const std::size_t encodings = count(head.headers, "Transfer-Encoding");
  if (version != 10 && version != 11) return bad(505);
  if (hosts > 1 || (hosts == 0 && version == 11)) return bad(400);
  // Framing that two readers may read in two ways is how requests are smuggled.
  if (encodings > 0) {
    if (!is(head.header("Transfer-Encoding"), "chunked")) return bad(501);
    if (encodings > 1) return bad(400);
    if (count(head.headers, "Content-Length") > 0 || version == 10) return bad(400);
  }
  if (count(head.headers, "Expect") > 0 && !is(head.header("Expect"), "100-continue")) {
    return bad(417);
  }
  if (origin_form(head.target).empty()) return bad(400);
  const auto length = parser_->content_length();
  if (length && *length > body_bytes_max_) return state_ = State::kTooLarge;
  // Beast takes a chunk's size off its limit each time it reads the line again.
  if (parser_->chunked()) parser_->body_limit(boost::none);
  parser_->eager(true);
  return state_ = parser_->is_done() ? State::kDone : State::kBody;
}

/// The number of bytes of `rest` that the parser may see now; 0 if it has to wait for more.
std::size_t RequestReader::window(std::string_view rest) const {
  if (state_ == State::kHead) return rest.size();
  // Beast 1.74 asserts five bytes when it reads the line of a last chunk for the second time. These
  // four never end a request, so they can wait.
  if (parser_->chunked() && rest.size() == 4 && rest.starts_with("0\r\n")) return 0;
  return std::min(rest.size(), header_bytes_max_);
}

RequestReader::State RequestReader::read(std::string& in) {
  std::size_t used = 0;
  while ((state_ == State::kHead || state_ == State::kBody) && used < in.size()) {
    const std::size_t seen = window(std::string_view(in).substr(used));
    if (seen == 0) break;
    const bool seen_all = used + seen == in.size();
    beast::error_code error;
    const std::size_t n = parser_->parse(std::string_view(in).substr(used, seen), error);
    used += n;
    if (state_ == State::kHead) head_bytes_ += n;
    // Comes before errors: the bytes of an error behind the limit may arrive later.
    if (state_ == State::kBody && parser_->request.body.size() > body_bytes_max_) {
      state_ = State::kTooLarge;
      break;
    }
    const bool starved = error == http::error::need_more;
    if (error == http::error::header_limit) bad(431);
    if (error == http::error::bad_version) bad(505);
    if (error && !starved && state_ != State::kBad) bad(400);
    // The line of a chunk, or the trailers, do not end within the limit.
    if (state_ == State::kBody && starved && n == 0 && seen == header_bytes_max_) bad(431);
    if (state_ == State::kHead && parser_->is_header_done()) {
      // Beast counts neither the first line nor headers that it has read before.
      head_bytes_ > header_bytes_max_ ? bad(431) : check_head();
    }
    if (state_ == State::kBody && parser_->is_done()) state_ = State::kDone;
    if (starved && seen_all) break;
  }
  in.erase(0, used);
  // It will be too long, however its rest is cut.
  if (state_ == State::kHead && head_bytes_ + in.size() > header_bytes_max_) bad(431);
  return state_;
}

bool RequestReader::expects_continue() const {
  return parser_->version == 11 && count(parser_->request.headers, "Expect") > 0;
}

bool RequestReader::keep_alive() const { return keep_alive_; }

bool RequestReader::old_version() const { return parser_->version == 10; }

HttpServerRequest RequestReader::take() {
  HttpServerRequest request = std::move(parser_->request);
  request.target = origin_form(std::move(request.target));
  request.body_too_large = state_ == State::kTooLarge;
  if (request.body_too_large) request.body.clear();
  return request;
}

}  // namespace davit

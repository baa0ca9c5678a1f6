#include "host/api/curl_transfer.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";  // A line of the header has its end, too.

}  // namespace

CurlTransfer::CurlTransfer(std::uint64_t id, HttpRequest request,
                           std::shared_ptr<const TlsMaterial> tls, ResponseReader& reader)
    : id_(id), request_(std::move(request)), tls_(std::move(tls)), reader_(reader) {}

CurlTransfer& CurlTransfer::of(CURL* handle) {
  char* self = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *static_cast<CurlTransfer*>(static_cast<void*>(self));
}

void CurlTransfer::configure(CurlEasy easy, const CurlSettings& settings) {
  easy_ = std::move(easy);
  set_option(handle(), CURLOPT_PRIVATE, static_cast<void*>(this));
  set_option(handle(), CURLOPT_ERRORBUFFER, error_);
  set_connection_options(handle(), settings, *tls_, connect_to_);
  set_url(settings);
  set_request();
  set_callbacks();
  if (!settings.host_header.empty()) append_line(header_list_, settings.host_header);
  append_line(header_list_, "Expect:");  // Saves a round trip before large bodies.
  bool has_type = false;
  for (const auto& [name, value] : request_.headers) {
    has_type = has_type || lower_case(name) == "content-type";
    // libcurl reads "Name:" as the wish to leave the header out.
    append_line(header_list_, value.empty() ? name + ';' : name + ": " + value);
  }
  // libcurl would call any other body a form.
  if (!has_type) append_line(header_list_, "Content-Type:");
  set_option(handle(), CURLOPT_HTTPHEADER, header_list_.get());
}

void CurlTransfer::set_url(const CurlSettings& settings) {
  CURL* const h = handle();
  set_option(h, CURLOPT_URL, (settings.base_url + request_.target).c_str());
  set_option(h, CURLOPT_PATH_AS_IS, 1L);
  // Requests that shared a connection of HTTP/2 with many others stood still for up to 90 s
  // (decision 008).
  set_option(h, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
}

void CurlTransfer::set_request() {
  CURL* const h = handle();
  if (request_.timeout > Duration::zero()) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(request_.timeout).count();
    set_option(h, CURLOPT_TIMEOUT_MS, static_cast<long>(ms));
  }
  if (request_.method == "HEAD") set_option(h, CURLOPT_NOBODY, 1L);
  // A body makes a POST of a GET that is not named.
  if (request_.method != "GET" || !request_.body.empty()) {
    set_option(h, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  if (request_.body.empty()) return;
  set_option(h, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  set_option(h, CURLOPT_POSTFIELDS, request_.body.data());  // Not copied; this object keeps it.
}

void CurlTransfer::set_callbacks() {
  CURL* const h = handle();
  void* const self = this;
  set_option(h, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set_option(h, CURLOPT_HEADERDATA, self);
  set_option(h, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set_option(h, CURLOPT_WRITEDATA, self);
  set_option(h, CURLOPT_PREREQFUNCTION, &CurlTransfer::before_request);
  set_option(h, CURLOPT_PREREQDATA, self);
}

CurlEasy CurlTransfer::release() {
  curl_easy_reset(handle());
  return std::move(easy_);
}

// The connection is there and nothing of the request has been sent: the last moment at which
// leadership can be checked. libcurl repeats a request by itself if a kept connection turns out to
// be closed. That is right for reads only: a write may have been carried out before the connection
// went down, and a second POST would make a second object.
int CurlTransfer::before_request(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.request_.gate) {
    if (const Status open = transfer.request_.gate(); !open.ok()) {
      transfer.refused_ = open.message();
      return CURL_PREREQFUNC_ABORT;
    }
  }
  const bool repeat = transfer.times_sent_++ > 0;
  return repeat && transfer.request_.method != "GET" ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t CurlTransfer::on_header(char* line, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.take_header(trimmed({line, size}, kBlanks));
  return transfer.has_long_head_ ? 0 : size;  // 0 ends the transfer.
}

void CurlTransfer::take_header(std::string_view line) {
  if (line.substr(0, 5) == "HTTP/" && !head_delivered_) {
    head_.clear();
    limit_ = {};
    const std::size_t space = line.find(' ');
    const std::string_view code = space == line.npos ? "" : line.substr(space + 1, 3);
    status_ = 0;
    std::from_chars(code.data(), code.data() + code.size(), status_);
    return;
  }
  if (line.empty()) {
    if (head_delivered_ || status_ < 200) return;  // Behind 1xx, another head follows.
    head_delivered_ = true;
    reader_.on_head(status_, head_);
    head_ = {};
    limit_ = {};
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  const std::string_view value = trimmed(line.substr(colon + 1), kBlanks);
  has_long_head_ = !limit_.add(line.substr(0, colon), value);
  if (has_long_head_ || head_delivered_) return;  // Trailers are not headers.
  head_.emplace_back(lower_case(std::string(line.substr(0, colon))), value);
}

std::size_t CurlTransfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  switch (transfer.reader_.on_body({data, size})) {
    case ResponseReader::Flow::kPause:
      return CURL_WRITEFUNC_PAUSE;
    case ResponseReader::Flow::kEnough:
      transfer.has_enough_ = true;
      return 0;  // Ends the transfer.
    case ResponseReader::Flow::kMore:
      break;
  }
  return size;
}

TransportEnd CurlTransfer::end_of(CURLcode code) const {
  if (code == CURLE_OK) {
    if (head_delivered_) return {};
    return {Break::kReset, "the server closed the connection without a response"};
  }
  if (refused_) return {Break::kGate, *refused_};
  if (has_enough_) return {Break::kReader, "its reader takes no more of it"};
  if (has_long_head_) return {Break::kOther, "the head of its response is too long"};
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return {Break::kReset,
            "the server closed the connection before it responded; a write is not repeated"};
  }
  return {break_of(code), error_[0] != '\0' ? error_ : curl_easy_strerror(code)};
}

}  // namespace davit::host

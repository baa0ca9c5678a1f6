#include "host/api/curl_transfer.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <string>
#include <utility>

#include "host/base/assert.hpp"
#include "host/base/lower_case.hpp"

namespace davit::host {
namespace {

// k8s.io/client-go: 30 s to connect plus 10 s for the handshake, idle connections for 90 s.
constexpr long kConnectMs = 40'000;
constexpr long kIdleSeconds = 90;
// A peer that says nothing is probed after 15 s and every 10 s, and given up once nothing came back
// for 35 s: at the latest 45 s after the last sign of life, as upstream's HTTP/2 pings would.
// libcurl 7.88 sends none.
constexpr long kKeepIdleSeconds = 15;
constexpr long kKeepIntervalSeconds = 10;
constexpr unsigned kUserTimeoutMs = 35'000;
constexpr std::size_t kHeaderBytesMax = 64 * 1024;

template <typename T>
void set(CURL* handle, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(handle, option, value);
  DAVIT_ASSERT(code == CURLE_OK);  // All options are constants that this libcurl knows.
}

void append(CurlList& list, const std::string& line) {
  curl_slist* grown = curl_slist_append(list.get(), line.c_str());
  DAVIT_ASSERT(grown != nullptr);
  list.release();
  list.reset(grown);
}

Break kind_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Break::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Break::kResolve;
    case CURLE_COULDNT_CONNECT:
      return Break::kRefused;
    case CURLE_OPERATION_TIMEDOUT:
      return Break::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Break::kTls;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_ABORTED_BY_CALLBACK:  // See before_request().
      return Break::kReset;
    default:
      return Break::kOther;
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

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
  set(handle(), CURLOPT_PRIVATE, static_cast<void*>(this));
  set(handle(), CURLOPT_ERRORBUFFER, error_);
  set(handle(), CURLOPT_NOSIGNAL, 1L);
  set_url(settings);
  set_request();
  set_tls(settings);
  set_callbacks();
  if (!settings.host_header.empty()) append(header_list_, settings.host_header);
  append(header_list_, "Expect:");  // No round trip before large bodies.
  for (const auto& [name, value] : request_.headers) append(header_list_, name + ": " + value);
  set(handle(), CURLOPT_HTTPHEADER, header_list_.get());
}

void CurlTransfer::set_url(const CurlSettings& settings) {
  CURL* const h = handle();
  set(h, CURLOPT_URL, (settings.base_url + request_.target).c_str());
  set(h, CURLOPT_PATH_AS_IS, 1L);
  set(h, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!settings.proxy.empty()) set(h, CURLOPT_PROXY, settings.proxy.c_str());
  if (settings.no_proxy) set(h, CURLOPT_NOPROXY, settings.no_proxy->c_str());
  set(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!settings.connect_to.empty()) {
    append(connect_to_, settings.connect_to);
    set(h, CURLOPT_CONNECT_TO, connect_to_.get());
  }
  // Only the lease lane, which has one request at a time: requests that shared a connection with
  // many others stood still for up to 90 s (decision 008).
  const bool http2 = settings.protocol == CurlSettings::Protocol::kHttp2 &&
                     request_.lane == Lane::kLease && request_.sharing == Sharing::kShared &&
                     settings.base_url.compare(0, 6, "https:") == 0;
  set(h, CURLOPT_HTTP_VERSION,
      static_cast<long>(http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  set(h, CURLOPT_PIPEWAIT, http2 ? 1L : 0L);
  set(h, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  set(h, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  set(h, CURLOPT_TCP_KEEPALIVE, 1L);
  set(h, CURLOPT_TCP_KEEPIDLE, kKeepIdleSeconds);
  set(h, CURLOPT_TCP_KEEPINTVL, kKeepIntervalSeconds);
}

void CurlTransfer::set_request() {
  CURL* const h = handle();
  if (request_.timeout > Duration::zero()) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(request_.timeout).count();
    set(h, CURLOPT_TIMEOUT_MS, static_cast<long>(ms));
  }
  if (request_.method != "GET") set(h, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  if (request_.body.empty()) return;
  set(h, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  set(h, CURLOPT_POSTFIELDS, request_.body.data());  // Not copied; this object keeps it.
}

void CurlTransfer::set_tls(const CurlSettings& settings) {
  CURL* const h = handle();
  set(h, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (settings.verify == CurlSettings::Verify::kNothing) {
    set(h, CURLOPT_SSL_VERIFYPEER, 0L);
    set(h, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  const auto blob = [h](CURLoption option, const std::string& pem) {
    curl_blob view{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    set(h, option, &view);
  };
  if (tls_->roots == TlsMaterial::Roots::kGiven) {
    blob(CURLOPT_CAINFO_BLOB, tls_->ca);
    set<const char*>(h, CURLOPT_CAPATH, nullptr);  // Only the given roots, not the system's too.
  }
  if (!tls_->cert.empty()) {
    blob(CURLOPT_SSLCERT_BLOB, tls_->cert);
    blob(CURLOPT_SSLKEY_BLOB, tls_->key);
  }
}

void CurlTransfer::set_callbacks() {
  CURL* const h = handle();
  void* const self = this;
  set(h, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(h, CURLOPT_HEADERDATA, self);
  set(h, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(h, CURLOPT_WRITEDATA, self);
  set(h, CURLOPT_PREREQFUNCTION, &CurlTransfer::before_request);
  set(h, CURLOPT_PREREQDATA, self);
  set(h, CURLOPT_SOCKOPTFUNCTION, &CurlTransfer::on_socket);
}

CurlEasy CurlTransfer::release() {
  curl_easy_reset(handle());
  return std::move(easy_);
}

// libcurl repeats a request by itself when a kept connection turns out to be closed. That is right
// for reads only: a write may have been carried out before the connection went down, and a second
// POST would make a second object.
int CurlTransfer::before_request(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const bool repeat = transfer.times_sent_++ > 0;
  return repeat && transfer.request_.method != "GET" ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

int CurlTransfer::on_socket(void*, curl_socket_t socket, curlsocktype) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
  return CURL_SOCKOPT_OK;  // Without it a dead connection is found later; no reason to fail.
}

std::size_t CurlTransfer::on_header(char* line, std::size_t, std::size_t size, void* self) {
  static_cast<CurlTransfer*>(self)->take_header(trim({line, size}));
  return size;
}

void CurlTransfer::take_header(std::string_view line) {
  if (head_told_) return;  // Trailers.
  if (line.substr(0, 5) == "HTTP/") {
    head_.clear();
    const std::size_t space = line.find(' ');
    const std::string_view code = space == line.npos ? "" : line.substr(space + 1, 3);
    status_ = 0;
    std::from_chars(code.data(), code.data() + code.size(), status_);
    return;
  }
  if (line.empty()) {
    if (status_ < 200) return;  // 1xx: another head follows.
    head_told_ = true;
    reader_.on_head(status_, head_);
    head_ = {};
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos || head_.size() > kHeaderBytesMax / 64) return;
  head_.emplace_back(lower_case(std::string(line.substr(0, colon))), trim(line.substr(colon + 1)));
}

std::size_t CurlTransfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  const ResponseReader::Flow flow = static_cast<CurlTransfer*>(self)->reader_.on_body({data, size});
  return flow == ResponseReader::Flow::kPause ? CURL_WRITEFUNC_PAUSE : size;
}

TransportEnd CurlTransfer::end_of(CURLcode code) const {
  if (code == CURLE_OK) {
    if (head_told_) return {};
    return {Break::kReset, "the server closed the connection without an answer"};
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return {Break::kReset,
            "the server closed the connection before it answered; a write is not repeated"};
  }
  return {kind_of(code), error_[0] != '\0' ? error_ : curl_easy_strerror(code)};
}

}  // namespace davit::host

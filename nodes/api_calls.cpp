#include "nodes/api_calls.hpp"

#include <charconv>
#include <utility>

#include "host/api/response_check.hpp"
#include "lib/base/take_until.hpp"

namespace davit::sandbox {
namespace {

/// Longer than any server lets a request run, so that none hangs for ever.
constexpr Duration kTimeout = std::chrono::seconds(90);
constexpr std::size_t kTextMax = 300;

/// The request in the terms by which its response is judged. The nodes write no name that needs an
/// escape.
host::ApiRequest request_of(const ApiCall& call) {
  host::ApiRequest out;
  out.verb = call.method == "POST"     ? host::Verb::kCreate
             : call.method == "PUT"    ? host::Verb::kUpdate
             : call.method == "PATCH"  ? host::Verb::kPatch
             : call.method == "DELETE" ? host::Verb::kDelete
                                       : host::Verb::kGet;
  std::string_view path = call.target;
  path = take_until(path, "?").substr(1);
  if (take_until(path, "/") == "apis") out.path.group = take_until(path, "/");
  out.path.version = take_until(path, "/");
  out.path.resource = take_until(path, "/");
  out.path.name = take_until(path, "/");
  if (out.path.resource == "namespaces" && !path.empty()) {
    out.path.ns = std::exchange(out.path.name, {});
    out.path.resource = take_until(path, "/");
    out.path.name = take_until(path, "/");
  }
  out.path.subresource = path;
  return out;
}

Duration retry_after(const HttpHeaders& headers) {
  for (const auto& [name, value] : headers) {
    if (name != "retry-after") continue;
    int seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    return std::chrono::seconds(seconds);
  }
  return Duration{0};
}

}  // namespace

std::string ApiResponse::text() const {
  return http_status == 0 ? broken : std::to_string(http_status) + " " + body.substr(0, kTextMax);
}

std::optional<TransportEnd> ApiStream::read(std::string& out) {
  bool resume = false;
  std::optional<TransportEnd> ended;
  {
    MutexLock lock(mutex_);
    out += unread_;
    unread_.clear();
    resume = std::exchange(paused_, false);
    ended = ended_;
  }
  if (resume) call_->resume();
  return ended;
}

int ApiStream::http_status() {
  MutexLock lock(mutex_);
  return status_;
}

void ApiStream::on_head(int status, const HttpHeaders&) {
  MutexLock lock(mutex_);
  status_ = status;
}

ApiStream::Flow ApiStream::on_body(std::string_view chunk) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    if (unread_.size() >= kUnreadBytesMax) {
      paused_ = true;
      return Flow::kPause;
    }
    first = unread_.empty();
    unread_ += chunk;
  }
  if (first) loop_.post(0);
  return Flow::kMore;
}

void ApiStream::on_end(const TransportEnd& end) {
  {
    MutexLock lock(mutex_);
    ended_ = end;
  }
  loop_.post(0);
}

/// One call in progress. The transport fills the response, on its own thread if it has one; once it
/// has posted the id, the owner's thread reads it.
class ApiCalls::Flight final : public ResponseReader {
 public:
  Flight(ApiCalls& calls, std::uint64_t id, const ApiCall& call, Then then)
      : calls_(calls),
        id_(id),
        asked_(request_of(call)),
        sent_(call.body),
        then_(std::move(then)) {}

  void on_head(int status, const HttpHeaders& headers) override {
    response_.http_status = status;
    response_.retry_after = retry_after(headers);
  }
  Flow on_body(std::string_view chunk) override {
    response_.body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override {
    if (end.kind != Break::kNone) {
      response_.http_status = 0;
      response_.broken = end.message;
    }
    calls_.post(id_);
  }

  void hold(std::unique_ptr<davit::Call> call) { call_ = std::move(call); }
  void finish() {
    const Status wrong = response_.ok() ? check_response(asked_, sent_, response_.body) : Status();
    if (!wrong.ok()) {
      response_.http_status = 0;
      response_.broken = wrong.message();
    }
    then_(response_);
  }

 private:
  ApiCalls& calls_;
  const std::uint64_t id_;
  const host::ApiRequest asked_;
  const std::string sent_;
  const Then then_;
  ApiResponse response_;
  std::unique_ptr<davit::Call> call_;
};

ApiCalls::ApiCalls(Transport& transport, RequestLoop& loop, std::string user_agent)
    : transport_(transport), loop_(loop), user_agent_(std::move(user_agent)) {}

ApiCalls::~ApiCalls() = default;

void ApiCalls::send(ApiCall call, Then then) {
  if (flights_.size() < kInFlightMax) {
    start(std::move(call), std::move(then));
  } else {
    waiting_.push_back({std::move(call), std::move(then)});
  }
}

void ApiCalls::start(ApiCall call, Then then) {
  const std::uint64_t id = ++last_id_;
  Flight& flight = *flights_.emplace(id, std::make_unique<Flight>(*this, id, call, std::move(then)))
                        .first->second;
  HttpRequest request;
  request.method = std::move(call.method);
  request.target = std::move(call.target);
  request.headers = {{"User-Agent", user_agent_}, {"Accept", "application/json"}};
  if (!call.body.empty()) request.headers.emplace_back("Content-Type", call.content_type);
  request.body = std::move(call.body);
  request.timeout = kTimeout;
  request.loop = &loop_;
  flight.hold(transport_.start(std::move(request), flight));
}

std::unique_ptr<ApiStream> ApiCalls::open(std::string_view target) {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  request.headers = {{"User-Agent", user_agent_}, {"Accept", "application/json"}};
  request.purpose = ConnectionPurpose::kWatch;
  request.sharing = Sharing::kAlone;
  request.loop = &loop_;
  auto stream = std::make_unique<ApiStream>(loop_);
  stream->call_ = transport_.start(std::move(request), *stream);
  return stream;
}

void ApiCalls::post(std::uint64_t id) {
  {
    MutexLock lock(mutex_);
    done_.push_back(id);
  }
  loop_.post(0);
}

bool ApiCalls::deliver() {
  std::vector<std::uint64_t> done;
  {
    MutexLock lock(mutex_);
    done.swap(done_);
  }
  for (const std::uint64_t id : done) {
    const auto found = flights_.extract(id);
    found.mapped()->finish();
  }
  while (!waiting_.empty() && flights_.size() < kInFlightMax) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(next.call), std::move(next.then));
  }
  return !done.empty();
}

}  // namespace davit::sandbox

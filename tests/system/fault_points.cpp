#include "tests/system/fault_points.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "lib/base/take_until.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/rest/url.hpp"
#include "testing/explore/faulty_reply.hpp"

namespace davit::test {
namespace {

using explore::Choice;

constexpr char kExecVersion[] = "client.authentication.k8s.io/v1";

std::optional<Choice> choice_of(const std::string& fault) {
  for (const Choice each : explore::choices_at(explore::Point::kRequest)) {
    if (explore::to_text(each) == fault) return each;
  }
  return std::nullopt;
}

/// "create pods"; empty for what is no request of a controller.
std::string kind_of(const HttpRequest& request) {
  if (request.purpose != ConnectionPurpose::kWrite) return "";
  const auto url = sandbox::parse_url(request.target);
  const bool is_own =
      !url || !url->is_resource || url->resource == "events" || url->resource == "leases";
  if (is_own) return "";
  std::string out(to_text(sandbox::verb_of(request.method, *url)));
  out += " " + url->resource;
  if (!url->subresource.empty()) out += "/" + url->subresource;
  return out;
}

std::unique_ptr<davit::Call> broken(ResponseReader& reader) {
  reader.on_end({Break::kReset, "the connection broke"});
  return std::make_unique<EndedCall>();
}

/// Takes a response that arrives while start() runs.
class Collected final : public ResponseReader {
 public:
  void on_head(int status, const HttpHeaders& headers) override {
    response.status = status;
    response.headers = headers;
  }
  Flow on_body(std::string_view chunk) override {
    response.body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override { ended = end; }

  HttpServerResponse response;
  std::optional<TransportEnd> ended;
};

/// `response` has its Content-Type among its headers already.
std::unique_ptr<davit::Call> deliver(const HttpServerResponse& response, ResponseReader& reader) {
  reader.on_head(response.status, response.headers);
  if (!response.body.empty()) static_cast<void>(reader.on_body(response.body));
  reader.on_end({});
  return std::make_unique<EndedCall>();
}

}  // namespace

// ---- Points ----

std::string to_text(const FaultPoint& point) {
  return point.request + "#" + std::to_string(point.number) + "=" + point.fault;
}

Result<FaultPoint> parse_fault_point(std::string_view line) {
  FaultPoint out;
  out.request = take_until(line, "#");
  const std::string number(take_until(line, "="));
  out.number = std::atoi(number.c_str());
  out.fault = line;
  const auto has = [&](const std::vector<std::string>& faults) {
    return std::ranges::find(faults, out.fault) != faults.end();
  };
  if (out.number < 1 || (!has(request_faults()) && !has(exec_faults()))) {
    return Status(Code::kInvalid, "a point is a request, # and its number, = and a fault");
  }
  return out;
}

std::vector<std::string> request_faults() {
  std::vector<std::string> out;
  for (const Choice each : explore::choices_at(explore::Point::kRequest)) {
    out.emplace_back(explore::to_text(each));
  }
  out.insert(out.end(), {"shutdown", "swap"});
  return out;
}

std::vector<std::string> exec_faults() { return {"exec-fails", "exec-garbage", "exec-hangs"}; }

// ---- The program ----

CredentialProgram::CredentialProgram(const std::string& token) {
  const std::string folder = directory_.path().string();
  EXPECT_EQ(::mkfifo((folder + "/go").c_str(), 0600), 0);
  const std::string name = "cd " + folder + "\n";
  directory_.script("login",
                    name +
                        "if mv exec-fails used 2>/dev/null; then exit 1; fi\n"
                        "if mv exec-garbage used 2>/dev/null; then echo 'not { JSON'; exit 0; fi\n"
                        "if mv exec-hangs used 2>/dev/null; then read line < go; exit 1; fi\n"
                        R"(printf '%s' '{"kind":"ExecCredential","apiVersion":")" +
                        kExecVersion + R"(","status":{"token":")" + token + "\"}}'\n");
}

host::ConnectionConfig CredentialProgram::config() const {
  host::ConnectionConfig out;
  out.server = "https://sandbox";
  out.exec.emplace();
  out.exec->command = (directory_.path() / "login").string();
  out.exec->api_version = kExecVersion;
  return out;
}

void CredentialProgram::misbehave(const std::string& fault) const { directory_.write(fault, ""); }

void CredentialProgram::let_go() const { std::ofstream(directory_.path() / "go") << "on\n"; }

// ---- The chooser ----

class Chooser::Way final : public Transport {
 public:
  Way(Chooser& chooser, std::unique_ptr<Transport> next, host::Credentials* credentials,
      const CredentialProgram* program)
      : chooser_(chooser), next_(std::move(next)), credentials_(credentials), program_(program) {}

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override {
    const std::string kind = kind_of(request);
    const bool is_chosen = !kind.empty() && chooser_.pass(kind);
    if (is_chosen) return misbehave(std::move(request), reader);
    if (chooser_.is_out_of_reach(request)) return broken(reader);
    return forward(std::move(request), reader);
  }
  [[nodiscard]] bool is_ready() override { return next_->is_ready(); }
  [[nodiscard]] Status prepare() override {
    if (program_ == nullptr) return next_->prepare();
    chooser_.count_program(1);
    Status prepared = next_->prepare();
    chooser_.count_program(-1);
    return prepared;
  }
  [[nodiscard]] std::string_view server() const override { return next_->server(); }

 private:
  std::unique_ptr<davit::Call> forward(HttpRequest request, ResponseReader& reader) {
    if (program_ == nullptr) return next_->start(std::move(request), reader);
    chooser_.count_program(1);
    std::unique_ptr<davit::Call> call = next_->start(std::move(request), reader);
    chooser_.count_program(-1);
    return call;
  }

  std::unique_ptr<davit::Call> misbehave(HttpRequest request, ResponseReader& reader) {
    const std::string& fault = chooser_.point().fault;
    if (program_ != nullptr) {
      program_->misbehave(fault);
      if (const Result<host::Credential> used = credentials_->get(); used) {
        credentials_->rejected(*used);
      }
      if (fault == "exec-hangs") chooser_.program_hangs(true);
      return forward(std::move(request), reader);
    }
    const std::optional<Choice> choice = choice_of(fault);
    if (!choice || *choice == Choice::kSuspend) return forward(std::move(request), reader);
    return reply(*choice, std::move(request), reader);
  }

  std::unique_ptr<davit::Call> reply(Choice choice, HttpRequest request, ResponseReader& reader) {
    const bool is_lost = choice == Choice::kCrashBefore || choice == Choice::kTakeoverBefore;
    if (is_lost) return broken(reader);
    const auto url = sandbox::parse_url(request.target);
    if (choice == Choice::kConflict) {
      const HttpServerResponse conflict = explore::conflict_reply(*url);
      sandbox::deliver_head(conflict, reader);
      static_cast<void>(reader.on_body(conflict.body));
      reader.on_end({});
      return std::make_unique<EndedCall>();
    }
    Collected collected;
    static_cast<void>(next_->start(std::move(request), collected));
    if (!collected.ended || collected.ended->kind != Break::kNone) {
      reader.on_end(collected.ended.value_or(TransportEnd{Break::kOther, "a response that waits"}));
      return std::make_unique<EndedCall>();
    }
    const bool is_unanswered = choice == Choice::kCrashAfter || choice == Choice::kTakeoverAfter ||
                               choice == Choice::kLostResponse;
    if (is_unanswered) return broken(reader);
    return deliver(explore::faulty_reply(choice, *url, std::move(collected.response)), reader);
  }

  Chooser& chooser_;
  const std::unique_ptr<Transport> next_;
  host::Credentials* const credentials_;
  const CredentialProgram* const program_;
};

std::unique_ptr<Transport> Chooser::way(std::unique_ptr<Transport> next,
                                        host::Credentials* credentials,
                                        const CredentialProgram* program) {
  return std::make_unique<Way>(*this, std::move(next), credentials, program);
}

bool Chooser::pass(const std::string& kind) {
  MutexLock lock(mutex_);
  const bool is_point = ++passed_[kind] == point_.number && kind == point_.request;
  if (!is_point || phase_ != Phase::kBefore) return false;
  phase_ = Phase::kHolding;
  while (phase_ == Phase::kHolding) changed_.wait(mutex_);
  return true;
}

bool Chooser::is_holding() const {
  MutexLock lock(mutex_);
  return phase_ == Phase::kHolding;
}

bool Chooser::is_running_program() const {
  MutexLock lock(mutex_);
  return programs_ > 0 && !program_hangs_;
}

void Chooser::let_go() {
  MutexLock lock(mutex_);
  phase_ = Phase::kPassed;
  changed_.notify_all();
}

void Chooser::cut() {
  MutexLock lock(mutex_);
  is_cut_ = true;
}

void Chooser::hold_lease(bool held) {
  MutexLock lock(mutex_);
  is_lease_held_ = held;
}

bool Chooser::is_out_of_reach(const HttpRequest& request) const {
  MutexLock lock(mutex_);
  return is_cut_ || (is_lease_held_ && request.purpose == ConnectionPurpose::kLease);
}

std::map<std::string, int> Chooser::passed() const {
  MutexLock lock(mutex_);
  return passed_;
}

void Chooser::program_hangs(bool hangs) {
  MutexLock lock(mutex_);
  program_hangs_ = hangs;
}

void Chooser::count_program(int more) {
  MutexLock lock(mutex_);
  programs_ += more;
}

}  // namespace davit::test

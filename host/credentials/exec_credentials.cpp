#include "host/credentials/exec_credentials.hpp"

#include <utility>

#include "host/transport/tls_material.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";

}  // namespace

Result<std::unique_ptr<Credentials>> ExecCredentials::open(const ConnectionConfig& config,
                                                           Clock& clock, RestMetrics& metrics,
                                                           Logger log) {
  const ExecConfig& exec = *config.exec;
  if (exec.api_version != kV1 && exec.api_version != kV1Beta1) {
    return Status(Code::kInvalid, "exec plugin: invalid apiVersion \"" + exec.api_version + "\"");
  }
  if (exec.interactive_mode == ExecConfig::InteractiveMode::kAlways) {
    return Status(Code::kInvalid,
                  "exec plugin cannot support interactive mode: standard input is not a terminal");
  }
  return std::unique_ptr<Credentials>(
      std::make_unique<ExecCredentials>(exec, exec_info(config), clock, metrics, std::move(log)));
}

ExecCredentials::ExecCredentials(ExecConfig exec, std::string info, Clock& clock,
                                 RestMetrics& metrics, Logger log)
    : exec_(std::move(exec)),
      info_(std::move(info)),
      clock_(clock),
      metrics_(metrics),
      log_(std::move(log)) {}

Result<Credential> ExecCredentials::get() {
  {
    MutexLock lock(mutex_);
    const std::uint64_t runs_before = runs_;
    for (;;) {
      if (is_current()) return *current_;
      if (runs_ != runs_before && !failure_.ok()) return failure_;
      if (!running_) break;
      clock_.wait_until(ran_, mutex_, Time::max());
    }
    running_ = true;
  }
  Result<ExecCredential> fresh = run();
  MutexLock lock(mutex_);
  running_ = false;
  ++runs_;
  failure_ = fresh.error();
  ran_.notify_all();
  if (!fresh) return fresh.error();
  Credential next;
  if (!fresh->token.empty()) next.authorization = bearer_authorization(fresh->token);
  if (!fresh->cert.empty()) {
    if (certificate_since_) metrics_.exec_plugin_rotated(clock_.wall_now() - *certificate_since_);
    certificate_since_ = certificate_start(fresh->cert);
    next.certificate = std::make_shared<const ClientCertificate>(
        ClientCertificate{std::move(fresh->cert), std::move(fresh->key), ++certificates_});
  }
  expires_ = fresh->expires;
  current_ = std::move(next);
  if (expires_) metrics_.exec_plugin_expires(*expires_);
  return *current_;
}

bool ExecCredentials::is_ready() {
  MutexLock lock(mutex_);
  return is_current();
}

bool ExecCredentials::is_current() const {
  return current_ && (!expires_ || clock_.wall_now() <= *expires_);
}

// The 401 itself goes to the caller; the next request runs the plugin again.
void ExecCredentials::rejected(const Credential& used) {
  MutexLock lock(mutex_);
  const bool present = current_ && current_->authorization == used.authorization &&
                       current_->certificate == used.certificate;
  if (present) current_.reset();
}

Result<ExecCredential> ExecCredentials::run() const {
  const ProgramResult result = run_program(exec_, info_, kRunLimit);
  const std::string name = "exec: executable " + exec_.command;
  std::string failure;
  std::string_view call_status = "no_error";
  switch (result.end) {
    case ProgramResult::End::kExited:
      if (result.exit_code != 0) {
        failure = name + " failed with exit code " + std::to_string(result.exit_code);
        call_status = "plugin_execution_error";
      }
      break;
    case ProgramResult::End::kNotFound:
      failure = name + " not found";
      if (!exec_.install_hint.empty()) failure += "; " + exec_.install_hint;
      call_status = "plugin_not_found_error";
      break;
    case ProgramResult::End::kNotStarted:
      failure = name + " cannot be started: " + result.output;
      call_status = "client_internal_error";
      break;
    case ProgramResult::End::kTimedOut:
      failure = name + " did not finish within " +
                std::to_string(std::chrono::seconds(std::chrono::minutes(1)).count()) +
                " s and was stopped";
      call_status = "plugin_execution_error";
      break;
    case ProgramResult::End::kPrintedTooMuch:
      failure = name + " printed more than 1 MiB and was stopped";
      call_status = "plugin_execution_error";
      break;
  }
  metrics_.exec_plugin_called(result.exit_code, call_status);
  if (!failure.empty()) return Status(Code::kForbidden, failure);
  return parse_exec_credential(result.output, exec_.api_version);
}

}  // namespace davit::host

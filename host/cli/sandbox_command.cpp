#include "host/cli/sandbox_command.hpp"

#include <sys/resource.h>

#include <ostream>

#include "host/base/spdlog_sink.hpp"
#include "host/base/version.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/interruptions.hpp"
#include "host/cli/sandbox_process.hpp"
#include "host/config/kubeconfig.hpp"

namespace davit::host {
namespace {

/// Each watch of each client is a descriptor, and the usual limit is for programs with a few.
void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

int refuse(std::ostream& err, const Status& status) {
  err << "davit: " << status.message() << "\n";
  return status.code() == Code::kInvalid ? kExitMistakes : kExitFailed;
}

/// For a shell: quoted where it has to be.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string nodes_text(const SandboxSettings& settings) {
  const NodeFlags& nodes = settings.options.nodes;
  std::string out = "no nodes";
  if (settings.controllers.nodes && nodes.count > 0) {
    out = std::to_string(nodes.count) + (nodes.count == 1 ? " node" : " nodes");
    if (nodes.zones > 0) {
      const int zones = std::min(nodes.zones, nodes.count);
      out += " in " + std::to_string(zones) + (zones == 1 ? " zone" : " zones");
    }
  }
  return out + (settings.controllers.scheduler ? ", scheduler" : ", no scheduler");
}

void introduce(const SandboxSettings& settings, const SandboxProcess& process, std::ostream& out) {
  const SandboxOptions& options = settings.options;
  out << "davit " << kVersion << " sandbox on " << process.url() << ": " << nodes_text(settings)
      << ", " << (options.data_file.empty() ? "in memory" : "data in " + options.data_file) << ", "
      << (options.authorization == SandboxAuthorization::kRbac ? "RBAC" : "everything allowed")
      << "\n";
  if (options.access == SandboxAccess::kAnyAddress) {
    out << "Others can reach it. It is for trying things, not for secrets.\n";
  }
  out << "\n  export KUBECONFIG=" << shell_word(process.kubeconfig()) << "\n\n"
      << "Ctrl-C stops it.\n"
      << std::flush;
}

}  // namespace

int run_sandbox(const SandboxOptions& options, std::ostream& out, std::ostream& err) {
  const Result<SandboxSettings> settings = settle_sandbox(options, process_environment().variable);
  if (!settings) return refuse(err, settings.error());
  allow_many_connections();
  const Interruptions interruptions;
  const std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, options.verbosity);
  const std::unique_ptr<Clock> clock = make_system_clock();
  const std::unique_ptr<Random> random = make_system_random();
  Result<std::unique_ptr<SandboxProcess>> process =
      SandboxProcess::open(*settings, {*clock, *random, *sink});
  if (!process) return refuse(err, process.error());
  introduce(*settings, **process, out);
  constexpr std::chrono::hours kLook{1};  // Only bounds a wait that nothing ends.
  while (interruptions.wait(kLook) != Interruptions::What::kSignal) {
  }
  return kExitGood;
}

}  // namespace davit::host

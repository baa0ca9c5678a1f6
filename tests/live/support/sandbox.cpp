#include "tests/live/support/sandbox.hpp"

#include <algorithm>

#include "host/config/kubeconfig.hpp"
#include "tests/live/support/admin_client.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {

namespace {

host::ConnectionConfig connection(const std::string& kubeconfig) {
  host::KubeconfigOptions lookup;
  lookup.kubeconfig = kubeconfig;
  lookup.environment = host::process_environment();
  const Result<host::ConnectionConfig> config = host::load_connection(lookup);
  if (!config) give_up(config.error().message());
  return *config;
}

}  // namespace

Sandbox::Sandbox(const std::vector<std::string>& flags) {
  write_file(scratch_.path() / "tokens.csv",
             "admin-token,admin,admin,system:masters\nalice-token,alice,alice\n");
  argv_ = {DAVIT_PROGRAM, "sandbox", "--port=" + std::to_string(free_port()),
           "--kubeconfig=" + kubeconfig(),
           "--token-file=" + (scratch_.path() / "tokens.csv").string()};
  argv_.insert(argv_.end(), flags.begin(), flags.end());
  const bool chosen = std::ranges::any_of(
      flags, [](const std::string& flag) { return flag.starts_with("--controllers="); });
  if (!chosen) argv_.emplace_back("--controllers=*,-plugins");
  start();
}

void Sandbox::restart() {
  process_.reset();  // SIGKILL.
  start();
}

void Sandbox::start() {
  const std::string home = scratch_.path().string();
  process_ =
      std::make_unique<Process>(argv_, scratch_.path() / "sandbox.log",
                                std::vector<std::string>{"HOME=" + home, "XDG_STATE_HOME=" + home,
                                                         "XDG_RUNTIME_DIR=" + home});
  const auto serves = [this] {
    return !process_->running() || AdminClient::is_served(kubeconfig(), {"/readyz"});
  };
  if (!eventually(std::chrono::seconds(240), serves, std::chrono::milliseconds(250)) ||
      !process_->running()) {
    give_up("davit sandbox does not serve:\n" + process_->output());
  }
}

std::string Sandbox::server() const { return connection(kubeconfig()).server; }

std::string Sandbox::ca_file() {
  const host::ConnectionConfig config = connection(kubeconfig());
  if (!config.ca_file.empty()) return config.ca_file;
  const std::filesystem::path file = scratch_.path() / "ca.crt";
  write_file(file, config.ca_data);
  return file.string();
}

Outcome Sandbox::kubectl(const std::vector<std::string>& args, const std::string& input) const {
  std::vector<std::string> argv = {"kubectl", "--kubeconfig", kubeconfig()};
  argv.insert(argv.end(), args.begin(), args.end());
  return run(argv, input, {"HOME=" + scratch_.path().string()});
}

std::unique_ptr<Process> Sandbox::davit(const std::vector<std::string>& flags) {
  std::vector<std::string> argv = {DAVIT_PROGRAM, "run", "--kubeconfig", kubeconfig()};
  argv.insert(argv.end(), flags.begin(), flags.end());
  const bool has_port = std::ranges::any_of(
      flags, [](const std::string& flag) { return flag.starts_with("--port="); });
  if (!has_port) argv.emplace_back("--port=0");
  return std::make_unique<Process>(argv, scratch_.path() / "davit.log");
}

std::unique_ptr<Process> Sandbox::controller_manager(const std::string& controllers,
                                                     const std::vector<std::string>& flags) {
  std::vector<std::string> argv =
      controller_manager_command(kubeconfig(), controllers, scratch_.path() / "kcm");
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, scratch_.path() / "controller-manager.log");
}

}  // namespace davit::live

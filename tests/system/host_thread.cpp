#include "tests/system/host_thread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/options.hpp"
#include "cli/rbac_command.hpp"
#include "cli/run_command.hpp"
#include "host/control/control_request.hpp"
#include "host/control/control_service.hpp"
#include "lib/kube/strict_json.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/support/completed.hpp"

namespace davit::test {

namespace {

host::RunOptions run_options(const HostOptions& options) {
  host::RunOptions out;
  out.plugin_directories = options.plugin_directories;
  if (out.plugin_directories.empty()) {
    out.plugin_directories = {DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY,
                              DAVIT_ENDPOINT_DIRECTORY, DAVIT_NODELIFECYCLE_DIRECTORY};
  }
  out.controllers = options.controllers;
  out.leader_elect = options.election == HostOptions::Election::kOn;
  out.content_type = options.content_type;
  out.service_account_credentials = options.accounts == host::Accounts::kOneEach;
  out.port = 0;
  out.controller_start_interval = Duration{0};
  return out;
}

host::RunSettings settings(const HostOptions& options) {
  host::RunSettings out = host::merge_settings(run_options(options)).settings;
  if (options.configs.empty()) return out;
  out.manifest.plugins.emplace();
  for (const char* name : {"deployment", "replicaset", "endpoint", "nodelifecycle"}) {
    host::PluginSettings& plugin = out.manifest.plugins->emplace_back();
    plugin.name = name;
    for (const HostOptions::Config& each : options.configs) {
      if (each.plugin == name) plugin.controllers[each.controller].config = each.json;
    }
  }
  return out;
}

}  // namespace

std::vector<Json> printed_roles(const HostOptions& options) {
  const host::RunSettings merged = settings(options);
  std::ostringstream mistakes;
  std::optional<host::HostPlan> plan = host::HostPlan::make(merged, mistakes);
  EXPECT_TRUE(plan.has_value()) << mistakes.str();
  std::vector<host::DeclaredController> controllers;
  for (const host::PlannedController& each : plan->controllers()) {
    controllers.push_back(each.declared);
  }
  host::RbacOptions printed;
  printed.accounts = options.accounts;
  const std::string text = host::rbac_yaml(controllers, merged.manifest.leader_election, printed);
  std::vector<Json> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("---\n", begin), text.size());
    const YamlDocument document = parse_yaml(text.substr(begin, end - begin), "rbac");
    out.push_back(json_literal(to_json(document.root).value()));
    begin = end + 4;
  }
  return out;
}

HostThread::HostThread(const HostOptions& options, const host::HostSeams& seams) : seams_(seams) {
  const host::RunSettings merged = settings(options);
  std::ostringstream mistakes;
  plan_ = host::HostPlan::make(merged, mistakes);
  if (!plan_) {
    started_ = Status(Code::kInvalid, mistakes.str());
    ended_ = true;
    return;
  }
  host::HostSeams own = seams_;
  own.rights = options.rights;
  if (!options.state.empty()) {
    Result<host::LeaseHolders> holders =
        host::LeaseHolders::open(options.state, "kube-system.davit", "this-boot");
    EXPECT_TRUE(holders.has_value()) << holders.error().message();
    if (holders) own.lease_holders = &holders_.emplace(*std::move(holders));
  }
  Result<std::unique_ptr<host::HostProcess>> opened = host::HostProcess::open(
      merged.manifest, host::ConnectionConfig{}, plan_->controllers(), own, [] {});
  if (!opened) {
    started_ = opened.error();
    ended_ = true;
    return;
  }
  host_ = std::move(*opened);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

HostThread::~HostThread() = default;

void HostThread::run(const std::stop_token& stop) {
  // Every second in the program; what it does there is reports and tidying.
  constexpr Duration kTick = std::chrono::seconds(30);
  const Status status = host_->start(stop);
  {
    MutexLock lock(mutex_);
    started_ = status;
  }
  while (!stop.stop_requested()) {
    host_->tick();
    const Time next = seams_.clock.now() + kTick;
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && seams_.clock.now() < next) {
      seams_.clock.wait_until(stopping_, mutex_, next);
    }
  }
  const bool in_time = host_->stop();
  MutexLock lock(mutex_);
  ended_ = in_time;
}

std::optional<Status> HostThread::started() const {
  MutexLock lock(mutex_);
  return started_;
}

std::size_t HostThread::waiting() {
  std::size_t out = 0;
  for (const host::PluginState& plugin : host_->plugins().serving().state().plugins) {
    for (const host::ControllerState& each : plugin.controllers) out += each.waiting;
  }
  return out;
}

std::string HostThread::status() {
  host::ControlService service(host_->plugins(), host::control_hooks(*host_));
  host::ControlRequest request;
  request.command = "status";
  const Result<host::ControlResponse> response =
      host::parse_response(service.respond(host::to_line(request)));
  EXPECT_TRUE(response) << response.error().message();
  return response ? response->text : "";
}

std::string HostThread::page(const std::string& target) {
  HttpServerRequest request;
  request.method = "GET";
  request.target = target;
  return test::completed(host_->checks().respond(request)).body;
}

host::SwapReport HostThread::swap(const std::string& plugin) {
  return host_->plugins().swap({plugin, ""});
}

void HostThread::stop() {
  thread_.request_stop();
  MutexLock lock(mutex_);
  stopping_.notify_all();
}

std::optional<bool> HostThread::ended() const {
  MutexLock lock(mutex_);
  return ended_;
}

}  // namespace davit::test

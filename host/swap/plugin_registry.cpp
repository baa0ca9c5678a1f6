#include "host/swap/plugin_registry.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

bool is_named(const DeclaredController& declared, std::string_view name) {
  return declared.name == name || std::find(declared.aliases.begin(), declared.aliases.end(),
                                            name) != declared.aliases.end();
}

}  // namespace

std::vector<std::string> PluginSlot::controllers() const {
  std::vector<std::string> names;
  for (const auto& each : now.controllers) names.push_back(each->host->name());
  return names;
}

bool PluginSlot::is_paused(std::string_view controller) const {
  return std::find(paused.begin(), paused.end(), controller) != paused.end();
}

PluginSlot* PluginRegistry::find(std::string_view plugin) {
  for (const auto& slot : slots) {
    if (slot->name == plugin) return slot.get();
  }
  return nullptr;
}

PluginSlot* PluginRegistry::slot_of(std::string_view controller) {
  for (const auto& slot : slots) {
    if (slot->now.find(controller) != nullptr) return slot.get();
  }
  return nullptr;
}

Result<PluginRegistry::Declared> PluginRegistry::declaring(std::string_view controller) {
  std::vector<std::string> names;
  for (const auto& slot : slots) {
    for (const DeclaredController& each : slot->now.plugin->declaration().controllers) {
      if (is_named(each, controller)) return Declared{slot.get(), each.name};
      names.push_back(each.name);
      names.insert(names.end(), each.aliases.begin(), each.aliases.end());
    }
  }
  std::string text = "no loaded plugin has a controller " + std::string(controller);
  if (const std::string meant = nearest(controller, names); !meant.empty()) {
    text += "; did you mean " + meant + "?";
  }
  return Status(Code::kNotFound, std::move(text));
}

Result<PluginRegistry::Declared> PluginRegistry::running(std::string_view controller) {
  Result<Declared> declared = declaring(controller);
  if (!declared || declared->slot->now.find(declared->name) != nullptr) return declared;
  return Status(
      Code::kNotFound,
      declared->name + " is not running; start it with davit ctl enable " + declared->name);
}

std::optional<Time> PluginRegistry::beginning(ControllerHost& host, Time now) const {
  const bool is_migrated = host.abi().options.lease == ControllerLease::kMigration;
  const std::optional<Time> lease = is_migrated ? won_migrated : won;
  const std::optional<Time> since = host.declared().without_leadership ? started : lease;
  if (!since || mutant("begin-anew")) return since;
  return now;
}

void Beginning::carry_out() const {
  if (stays && leads) host->lead(as_of);
}

Beginning PluginRegistry::begin(const PluginSlot& slot, HostedController& controller,
                                std::optional<Time> as_of) {
  ControllerHost& host = *controller.host;
  // Under the lock, so that the operator's next command is not undone.
  if (slot.is_paused(host.name())) host.pause();
  controller.began = as_of;
  return {&host, controller.probes.enter(), as_of,
          host.declared().without_leadership || leads(host)};
}

std::vector<Beginning> PluginRegistry::lead(std::optional<Time> since, ControllerLease lease) {
  const bool is_migration = lease == ControllerLease::kMigration;
  (is_migration ? leading_migrated : leading) = true;
  (is_migration ? won_migrated : won) = since;
  std::vector<Beginning> out;
  for (const auto& slot : slots) {
    for (const auto& each : slot->now.controllers) {
      if (each->host->abi().options.lease != lease) continue;
      if (each->host->declared().without_leadership) continue;  // It has begun.
      each->began = since;
      out.push_back({each->host.get(), each->probes.enter(), since, true});
    }
  }
  return out;
}

void PluginRegistry::resume(const PluginSlot& slot) {
  for (const auto& each : slot.now.controllers) {
    if (!slot.is_paused(each->host->name())) each->host->runner().resume();
  }
}

ExclusiveOperation::ExclusiveOperation(PluginRegistry& registry, const Retirement& retirement,
                                       std::string what)
    : registry_(registry), retirement_(retirement) {
  MutexLock lock(registry_.mutex);
  if (registry_.stopping) {
    refused_ = SwapOutcome::kStopping;
    why_ = "the host is stopping";
  } else if (!registry_.busy.empty()) {
    refused_ = SwapOutcome::kBusy;
    why_ = registry_.busy + " is in progress: try again when it has finished";
  } else {
    registry_.busy = std::move(what);
  }
}

ExclusiveOperation::~ExclusiveOperation() {
  if (refused_ != SwapOutcome::kDone) return;
  std::vector<Resident> residents = retirement_.residents();
  MutexLock lock(registry_.mutex);
  registry_.residents = std::move(residents);
  // ServingPlugins::resume() leaves controllers alone during an operation, which may have drained
  // them.
  for (const auto& slot : registry_.slots) registry_.resume(*slot);
  registry_.busy.clear();
  registry_.idle.notify_all();
}

}  // namespace davit::host

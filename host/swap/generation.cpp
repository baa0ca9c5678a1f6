#include "host/swap/generation.hpp"

#include <algorithm>
#include <utility>

#include "host/loading/staging.hpp"

namespace davit::host {
namespace {

/// The result of reading and copying the file, apart from judging it.
SwapOutcome outcome_of(Code code) {
  switch (code) {
    case Code::kNotFound:
    case Code::kUnavailable:
    case Code::kInternal:
      return SwapOutcome::kNotStaged;
    case Code::kConflict:
      return SwapOutcome::kOtherPlugin;
    default:
      return SwapOutcome::kRefused;
  }
}

}  // namespace

HostedController* Generation::find(std::string_view controller) const {
  for (const auto& each : controllers) {
    if (each->host->name() == controller) return each.get();
  }
  return nullptr;
}

BuildName Generation::build() const {
  const PluginFile& file = plugin->file();
  return {file.declaration.version, file.digest, number};
}

GenerationBuilder::GenerationBuilder(BuildOrder order, const ControllerFactory& factory,
                                     Clock& clock)
    : order_(std::move(order)),
      factory_(factory),
      call_(std::make_unique<LimitedCall>(clock, [this] { build(); })) {
  if (call_->started()) return;
  fail(SwapOutcome::kInitFailed, "cannot start a thread to open the new build: try again");
}

void GenerationBuilder::fail(SwapOutcome outcome, std::string text) {
  built_.outcome = outcome;
  built_.text = std::move(text);
}

void GenerationBuilder::build() {
  built_.generation.number = order_.generation;
  if (!open()) return;
  const std::vector<DeclaredController>& declared =
      built_.generation.plugin->declaration().controllers;
  std::string lacking;
  for (const std::string& wanted : order_.controllers) {
    const auto found = std::find_if(declared.begin(), declared.end(),
                                    [&](const auto& each) { return each.name == wanted; });
    if (found == declared.end()) lacking += (lacking.empty() ? "" : ", ") + wanted;
  }
  if (!lacking.empty()) {
    return fail(SwapOutcome::kLacksController, "the new build has no controller " + lacking +
                                                   ", which is running: disable it first");
  }
  for (const DeclaredController& each : declared) {
    const bool wanted = order_.select == BuildOrder::Select::kOnByDefault
                            ? !each.off_by_default
                            : std::find(order_.controllers.begin(), order_.controllers.end(),
                                        each.name) != order_.controllers.end();
    if (wanted && !create(each)) return;
  }
}

Result<std::unique_ptr<LoadedPlugin>> GenerationBuilder::load(StagingDirectory& staging) const {
  if (order_.copy == nullptr) return load_plugin(staging, order_.file, order_.terms);
  const Result<TrustedFile> kept = order_.copy->read();
  if (!kept) return kept.error();
  LoadTerms terms = order_.terms;
  terms.pin = {};  // It served before.
  terms.trial.clear();
  return load_plugin(staging, order_.file, *kept, terms);
}

bool GenerationBuilder::open() {
  if (order_.loaded != nullptr) {
    built_.generation.plugin = order_.loaded;
    return true;
  }
  Result<StagingDirectory> staging = order_.staging.empty()
                                         ? StagingDirectory::create()
                                         : StagingDirectory::create_below(order_.staging);
  if (!staging) return fail(SwapOutcome::kNotStaged, staging.error().message()), false;
  Result<std::unique_ptr<LoadedPlugin>> loaded = load(*staging);
  if (!loaded) {
    return fail(outcome_of(loaded.error().code()), loaded.error().message()), false;
  }
  built_.generation.plugin = std::move(*loaded);
  return true;
}

bool GenerationBuilder::create(const DeclaredController& declared) {
  const LoadedPlugin& plugin = *built_.generation.plugin;
  auto made =
      std::make_unique<HostedController>(factory_(plugin, declared, built_.generation.number));
  if (order_.role == BuildOrder::Role::kShadow) {
    made->host->abi().intended.begin(IntendedWrites::Mode::kSimulate);
  }
  const InitResult result = made->host->init(plugin.init(declared.name));
  built_.generation.controllers.push_back(std::move(made));
  if (result.outcome == InitOutcome::kStarted) return true;
  const bool skipped = result.outcome == InitOutcome::kSkipped;
  built_.is_skipped = skipped;
  fail(SwapOutcome::kInitFailed, "controller " + declared.name +
                                     (skipped ? " will not run: " : " failed to start: ") +
                                     (result.reason.empty() ? "it gave no reason" : result.reason));
  return false;
}

}  // namespace davit::host

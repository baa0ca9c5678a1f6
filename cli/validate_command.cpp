#include "cli/validate_command.hpp"

#include <algorithm>
#include <ostream>

#include "cli/held_signals.hpp"
#include "cli/plugin_report.hpp"
#include "cli/validate/validator.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/random.hpp"

namespace davit::host {
namespace {

/// Short enough to be typed again.
constexpr std::uint64_t kSeedsMax = 1'000'000;

/// "passed  hostile  objects that no sane client would write"
std::string headline(std::string_view outcome, std::string_view name, std::string_view what) {
  constexpr std::size_t kOutcomeWidth = 8;
  constexpr std::size_t kNameWidth = 11;
  const auto padded = [](std::string_view text, std::size_t width) {
    std::string made(text);
    made.resize(std::max(width, made.size() + 1), ' ');
    return made;
  };
  return padded(outcome, kOutcomeWidth) + padded(name, kNameWidth) + std::string(what);
}

std::string json_of(const Validation& validation, const PluginValidateOptions& options,
                    std::uint64_t seed) {
  JsonText checks('[');
  for (const CheckResult& each : validation.checks) {
    checks.raw("", JsonText('{')
                       .text("name", each.name)
                       .text("outcome", to_string(each.outcome))
                       .texts("lines", each.lines)
                       .texts("output", each.output)
                       .number("milliseconds", each.time.count())
                       .str());
  }
  return JsonText('{')
      .boolean("ok", validation.ok())
      .text("file", options.file)
      .text("plugin", validation.plugin)
      .text("version", validation.version)
      .text("sha256", validation.digest)
      .text("grade", to_string(validation.grade))
      .number("seed", seed)
      .raw("checks", checks.str())
      .str();
}

/// The first check that there is not; empty when there are all.
std::string unknown_check(const PluginValidateOptions& options) {
  const std::vector<std::string> known = validation_checks();
  for (const std::string& each : options.checks) {
    if (std::find(known.begin(), known.end(), each) == known.end()) {
      return "there is no check " + each + "; there are " + joined(known, "");
    }
  }
  return "";
}

}  // namespace

void ValidationView::show(const CheckProgress& running) {
  const std::string progress = running.progress.empty() ? "" : ": " + running.progress;
  line_.show(headline("running", running.name, running.what) + progress, running.time);
}

void ValidationView::show(const CheckResult& result) {
  line_.clear();
  out_ << headline(to_string(result.outcome), result.name, result.what) << "\n";
  for (const std::string& line : result.lines) out_ << "          " << line << "\n";
  for (const std::string& line : result.output) out_ << "        | " << line << "\n";
  out_ << std::flush;
}

int run_plugin_validate(const PluginValidateOptions& options, std::ostream& out,
                        std::ostream& err) {
  if (const std::string mistake = unknown_check(options); !mistake.empty()) {
    err << "davit: " << mistake << "\n";
    return kExitMistakes;
  }
  const std::uint64_t seed = options.seed.value_or(make_system_random()->next() % kSeedsMax);
  const bool json = options.output == PluginValidateOptions::Output::kJson;
  const HeldSignals signals;
  const ValidationOptions wanted{.file = options.file,
                                 .seed = seed,
                                 .limit = std::chrono::seconds(options.limit_seconds),
                                 .checks = options.checks,
                                 .configs = options.configs,
                                 .definitions = options.definitions,
                                 .objects = options.objects,
                                 .stop_fd = signals.fd()};
  ValidationView view(out, ProgressLine::screen_of_stdout());
  ValidationObserver observer;
  if (!json) {
    observer.on_result = [&](const CheckResult& result) { view.show(result); };
    observer.on_running = [&](const CheckProgress& running) { view.show(running); };
  }
  const Result<Validation> validation = validate_plugin(wanted, observer);
  if (!validation) {
    err << "davit: " << validation.error().message() << "\n";
    return kExitMistakes;
  }
  if (json) {
    out << json_of(*validation, options, seed) << "\n";
    return validation->ok() ? kExitGood : kExitFailed;
  }
  const std::string name =
      validation->plugin.empty() ? options.file : validation->plugin + " " + validation->version;
  out << "\n"
      << name << " is " << (validation->ok() ? "fine" : "not fit to run") << ", grade "
      << to_string(validation->grade) << "\n";
  if (!validation->ok()) {
    out << "to repeat this: davit plugin validate " << options.file << " --seed " << seed << "\n";
  }
  return validation->ok() ? kExitGood : kExitFailed;
}

}  // namespace davit::host

#include "host/cli/validate_command.hpp"

#include <algorithm>
#include <ostream>

#include "host/base/json_text.hpp"
#include "host/base/random.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/plugin_report.hpp"
#include "host/cli/validate/validator.hpp"

namespace davit::host {
namespace {

/// Short enough to be typed again.
constexpr std::uint64_t kSeedsMax = 1'000'000;

void print(const CheckResult& result, std::ostream& out) {
  constexpr std::size_t kOutcomeWidth = 8;
  constexpr std::size_t kNameWidth = 9;
  const auto padded = [](std::string_view text, std::size_t width) {
    std::string made(text);
    made.resize(std::max(width, made.size() + 1), ' ');
    return made;
  };
  out << padded(to_string(result.outcome), kOutcomeWidth) << padded(result.name, kNameWidth)
      << result.what << "\n";
  for (const std::string& line : result.lines) out << "          " << line << "\n";
  for (const std::string& line : result.output) out << "        | " << line << "\n";
  out << std::flush;
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

int run_plugin_validate(const PluginValidateOptions& options, std::ostream& out,
                        std::ostream& err) {
  if (const std::string mistake = unknown_check(options); !mistake.empty()) {
    err << "davit: " << mistake << "\n";
    return kExitMistakes;
  }
  const std::uint64_t seed = options.seed.value_or(make_system_random()->next() % kSeedsMax);
  const bool json = options.output == PluginValidateOptions::Output::kJson;
  const ValidationOptions wanted{.file = options.file,
                                 .seed = seed,
                                 .limit = std::chrono::seconds(options.limit_seconds),
                                 .checks = options.checks};
  const Result<Validation> validation = validate_plugin(wanted, [&](const CheckResult& result) {
    if (!json) print(result, out);
  });
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
    out << "the same again: davit plugin validate " << options.file << " --seed " << seed << "\n";
  }
  return validation->ok() ? kExitGood : kExitFailed;
}

}  // namespace davit::host

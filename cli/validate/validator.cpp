#include "cli/validate/validator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/validate/checks.hpp"
#include "host/plugin/plugin_file.hpp"
#include "host/plugin/staging.hpp"

namespace davit::host {
namespace {

constexpr const char* kElf = "elf";

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Judges the file without running it.
CheckResult judge_file(const std::filesystem::path& path, const TrustedFile& file,
                       Validation& out) {
  CheckResult result{
      kElf,           "the file, its note and what it imports", CheckOutcome::kPassed, {}, {},
      milliseconds(0)};
  Result<PluginFile> judged = judge_plugin(path, file.content, file.digest);
  if (!judged) {
    result.outcome = CheckOutcome::kFailed;
    result.lines.push_back(judged.error().message());
    return result;
  }
  out.plugin = judged->declaration.name;
  out.version = judged->declaration.version;
  out.grade = overall(judged->findings);
  for (const Finding& finding : judged->findings) {
    result.outcome = CheckOutcome::kWarned;
    result.lines.push_back(finding.id + ": " + finding.text);
  }
  return result;
}

/// Nothing when the validation is to end.
std::optional<CheckResult> run(const Check& check, const Subject& subject,
                               const ValidationOptions& options,
                               const ValidationObserver& observer) {
  ChildTerms terms{.limit = options.limit, .stop_fd = options.stop_fd};
  if (observer.on_running) {
    terms.on_progress = [&](std::string_view progress, milliseconds time) {
      observer.on_running(
          {std::string(check.name), std::string(check.what), std::string(progress), time});
    };
  }
  CheckResult result{
      std::string(check.name), std::string(check.what), CheckOutcome::kPassed, {}, {},
      milliseconds(0)};
  const auto begin = steady_clock::now();
  ChildRun child =
      run_in_child(terms, [&](const CheckReporter& reporter) { check.run(subject, reporter); });
  if (child.end == ChildRun::End::kStopped) return std::nullopt;
  result.time = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  result.lines = std::move(child.failures);
  if (std::string failure = child.failure(); !failure.empty()) {
    result.lines.push_back(std::move(failure));
  }
  if (!result.lines.empty()) {
    result.outcome = CheckOutcome::kFailed;
    result.output = std::move(child.output);
  } else if (!child.warnings.empty()) {
    result.outcome = CheckOutcome::kWarned;
  }
  for (std::vector<std::string>* more : {&child.warnings, &child.notes}) {
    result.lines.insert(result.lines.end(), more->begin(), more->end());
  }
  return result;
}

/// Those that were asked for and what they need.
std::set<std::string> chosen_checks(const std::vector<std::string>& asked) {
  const std::vector<std::string> all = validation_checks();
  std::set<std::string> chosen(asked.begin(), asked.end());
  if (chosen.empty()) chosen.insert(all.begin(), all.end());
  const std::span<const Check> checks = plugin_checks();
  for (auto each = checks.rbegin(); each != checks.rend(); ++each) {
    if (chosen.contains(std::string(each->name))) chosen.emplace(each->needs);
  }
  chosen.insert(kElf);
  return chosen;
}

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::kPassed:
      return "passed";
    case CheckOutcome::kWarned:
      return "warned";
    case CheckOutcome::kFailed:
      return "failed";
    case CheckOutcome::kNotRun:
      return "not-run";
  }
  return "not-run";
}

bool Validation::ok() const {
  return std::none_of(checks.begin(), checks.end(), [](const CheckResult& each) {
    return each.outcome == CheckOutcome::kFailed;
  });
}

std::vector<std::string> validation_checks() {
  std::vector<std::string> names = {kElf};
  for (const Check& each : plugin_checks()) names.emplace_back(each.name);
  return names;
}

Result<Validation> validate_plugin(const ValidationOptions& options,
                                   const ValidationObserver& observer) {
  Result<TrustedFile> file = read_plugin_file(options.file);
  if (!file) return file.error();
  Result<StagingDirectory> scratch = StagingDirectory::create();
  if (!scratch) return scratch.error();
  const Result<std::filesystem::path> copy = stage(*scratch, *file);
  if (!copy) return copy.error();

  Validation out;
  out.digest = file->digest;
  const std::set<std::string> chosen = chosen_checks(options.checks);
  std::map<std::string, CheckOutcome, std::less<>> outcomes;
  const auto add = [&](CheckResult result) {
    outcomes[result.name] = result.outcome;
    if (observer.on_result) observer.on_result(result);
    out.checks.push_back(std::move(result));
  };
  add(judge_file(options.file, *file, out));
  const Subject subject{*copy, scratch->path(), out.grade, options.seed};
  for (const Check& each : plugin_checks()) {
    if (!chosen.contains(std::string(each.name))) continue;
    const auto needed = outcomes.find(each.needs);
    const bool ready = needed == outcomes.end() || needed->second == CheckOutcome::kPassed ||
                       needed->second == CheckOutcome::kWarned;
    if (ready) {
      std::optional<CheckResult> result = run(each, subject, options, observer);
      if (!result)
        return Status(Code::kCancelled, "stopped in the check " + std::string(each.name));
      add(std::move(*result));
    } else {
      add({std::string(each.name),
           std::string(each.what),
           CheckOutcome::kNotRun,
           {"needs " + std::string(each.needs)},
           {},
           milliseconds(0)});
    }
  }
  return out;
}

}  // namespace davit::host

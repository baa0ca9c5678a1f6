#include "cli/validate/validator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/validate/checks.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/staging.hpp"

namespace davit::host {
namespace {

constexpr const char* kElf = "elf";

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Judges the file without running it.
CheckResult judge_file(const std::filesystem::path& path, const TrustedFile& file, Validation& out,
                       PluginDeclaration& declared) {
  CheckResult result{
      kElf,           "the file, its note and what it imports", CheckOutcome::kPassed, {}, {},
      milliseconds(0)};
  Result<PluginFile> judged = judge_plugin(path, file.content, file.digest);
  if (!judged) {
    result.outcome = CheckOutcome::kFailed;
    result.lines.push_back(judged.error().message());
    return result;
  }
  declared = judged->declaration;
  out.plugin = judged->declaration.name;
  out.version = judged->declaration.version;
  out.grade = overall(judged->findings);
  for (const Finding& finding : judged->findings) {
    result.outcome = CheckOutcome::kWarned;
    result.lines.push_back(finding.id + ": " + finding.text);
  }
  return result;
}

/// The meaning of the C library's last words; empty: not known.
std::string explained(const std::vector<std::string>& output) {
  constexpr std::string_view kFreed[] = {"free(): ", "double free", "munmap_chunk()",
                                         "realloc(): "};
  for (const std::string& line : output) {
    for (const std::string_view each : kFreed) {
      if (line.find(each) == line.npos) continue;
      return "memory was freed that the host has lent, or twice: what the host lends belongs to it";
    }
  }
  return "";
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
    if (std::string why = explained(child.output); !why.empty()) {
      result.lines.push_back(std::move(why));
    }
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

/// Whether a cluster takes the objects, in a child, since a server has threads.
Status try_content(const Subject& subject, const ValidationOptions& options) {
  if (subject.content.objects.empty()) return {};
  const ChildTerms terms{.limit = options.limit, .stop_fd = options.stop_fd};
  const ChildRun run = run_in_child(terms, [&](const CheckReporter& reporter) {
    TrialHost host({.content = &subject.content});
    Status status = host.open();
    if (status.ok()) status = host.define(subject.watches);
    if (status.ok()) status = host.put_objects();
    reporter.fail_lines(status.message());
  });
  return run.failures.empty() ? Status() : Status(Code::kInvalid, run.failure_lines());
}

/// Those that were asked for and what they need.
std::set<std::string> chosen_checks(const std::vector<std::string>& asked) {
  const std::vector<std::string> all = validation_checks();
  std::set<std::string> chosen(asked.begin(), asked.end());
  if (chosen.empty()) chosen.insert(all.begin(), all.end());
  const std::span<const Check> checks = plugin_checks();
  for (auto each = checks.rbegin(); each != checks.rend(); ++each) {
    if (!chosen.contains(std::string(each->name))) continue;
    for (const std::string_view needed : each->needs) chosen.emplace(needed);
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
  Result<TrialContent> content =
      read_trial_content(options.configs, options.definitions, options.objects);
  if (!content) return content.error();
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
  PluginDeclaration declared;
  add(judge_file(options.file, *file, out, declared));
  Subject subject{*copy, scratch->path(), out.grade,        options.seed, std::move(*content),
                  {},    false,           options.explored, options.limit};
  std::vector<std::string> controllers;
  for (const DeclaredController& each : declared.controllers) controllers.push_back(each.name);
  subject.watches = watches_of(declared, &subject.content);
  const std::vector<std::string>& needs = declared.requires_ids;
  subject.is_provider = std::find(needs.begin(), needs.end(), "davit.cloud-host/1") != needs.end();
  if (!controllers.empty()) {
    if (Status s = check_controller_configs(subject.content.configs, controllers); !s.ok()) {
      return s;
    }
    if (Status s = try_content(subject, options); !s.ok()) return s;
  }
  for (const Check& each : plugin_checks()) {
    if (!chosen.contains(std::string(each.name))) continue;
    const auto unmet = std::ranges::find_if(each.needs, [&](std::string_view name) {
      const auto needed = outcomes.find(name);
      return needed != outcomes.end() && needed->second != CheckOutcome::kPassed &&
             needed->second != CheckOutcome::kWarned;
    });
    if (unmet == each.needs.end()) {
      std::optional<CheckResult> result = run(each, subject, options, observer);
      if (!result)
        return Status(Code::kCancelled, "stopped in the check " + std::string(each.name));
      add(std::move(*result));
    } else {
      add({std::string(each.name),
           std::string(each.what),
           CheckOutcome::kNotRun,
           {"needs " + std::string(*unmet)},
           {},
           milliseconds(0)});
    }
  }
  return out;
}

}  // namespace davit::host

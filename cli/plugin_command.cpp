#include "cli/plugin_command.hpp"

#include <ostream>
#include <utility>

#include "cli/plugin_report.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/staging.hpp"
#include "host/process/exit_codes.hpp"

namespace davit::host {
namespace {

/// Everything that can be learned of a file's content, whether it would be loaded or not.
PluginReport examine(const std::string& path, const TrustedFile& file) {
  PluginReport report;
  report.path = path;
  report.digest = file.digest;
  report.refusal = judge_plugin(path, file.content, file.digest, Needs::kJudged).error().message();
  Result<Judgement> judgement = judge_wholly(path, file.content, file.digest, Needs::kJudged);
  if (!judgement) return report;
  report.findings = std::move(judgement->file.findings);
  report.elf = std::move(judgement->file.elf);
  if (!judgement->file.declaration.name.empty()) {
    report.declaration = std::move(judgement->file.declaration);
  }
  return report;
}

}  // namespace

int run_plugin_inspect(const PluginInspectOptions& options, std::ostream& out, std::ostream& err) {
  const Result<TrustedFile> file = read_plugin_file(options.file);
  if (!file) {
    err << "davit: " << file.error().message() << "\n";
    return kExitMistakes;
  }
  const PluginReport report = examine(options.file, *file);
  const bool json = options.output == PluginInspectOptions::Output::kJson;
  if (json || report.elf) out << (json ? report_json(report) : report_text(report));
  if (report.refusal.empty()) return kExitGood;
  err << "davit: " << report.refusal << "\n";
  return kExitMistakes;
}

int run_plugin_list(const PluginListOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<std::string> directories = options.directories;
  if (directories.empty()) directories.push_back(default_plugin_directory().string());
  const Result<std::vector<std::filesystem::path>> paths = list_plugins(directories);
  if (!paths) {
    err << "davit: " << paths.error().message() << "\n";
    return kExitMistakes;
  }
  int code = kExitGood;
  for (const std::filesystem::path& path : *paths) {
    const Result<PluginFile> file = inspect_plugin(path);
    if (!file) {
      err << "davit: " << file.error().message() << "\n";
      code = kExitMistakes;
      continue;
    }
    std::vector<std::string> names;
    for (const DeclaredController& each : file->declaration.controllers) {
      names.push_back(each.name);
    }
    out << file->declaration.name << " " << file->declaration.version << " "
        << to_string(overall(file->findings)) << " " << joined(names, "-") << " " << path.string();
    if (!file->declaration.optional_ids.empty()) {
      out << " (optional: " << optional_text(file->declaration) << ")";
    }
    out << "\n";
  }
  return code;
}

}  // namespace davit::host

#include "cli/upstream/accepted_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "cli/upstream/flag_options.hpp"
#include "host/upstream/flag_values.hpp"

namespace davit::host {
namespace {

/// The type in --help and in the manual page.
std::string type_name(FlagKind kind) {
  switch (kind) {
    case FlagKind::kInteger:
    case FlagKind::kNumber:
      return "NUMBER";
    case FlagKind::kDuration:
      return "DURATION";
    case FlagKind::kFile:
      return "FILE";
    case FlagKind::kList:
      return "LIST";
    case FlagKind::kBoolean:
    case FlagKind::kText:
      break;
  }
  return "TEXT";
}

bool of_controller(const UpstreamFlag& flag) {
  return flag.setting.starts_with("controllerSettings.") ||
         flag.setting.starts_with("!controllerSettings.");
}

const char* group_of(const UpstreamFlag& flag) {
  if (flag.use == FlagUse::kNoEffect) return "Accepted without effect, for existing command lines";
  return of_controller(flag) ? "Controllers' settings" : "Further settings";
}

std::string help_text(const FoundFlag& found) {
  const UpstreamFlag& flag = *found.flag;
  if (flag.use == FlagUse::kNoEffect) {
    return (found.missing() == nullptr ? "No effect: " : "Missing: ") + found.reason();
  }
  const std::vector<ManifestValue> settings = manifest_values(flag, Json());
  if (settings.empty()) return std::string(flag.note);
  const std::vector<std::string>& path = settings.front().path;
  if (!of_controller(flag)) return std::string(flag.note);
  std::string text = path.back() + " of " + path[path.size() > 2 ? 1 : 0];
  if (!flag.fallback.empty()) text += " (default " + std::string(flag.fallback) + ")";
  return text;
}

void add_upstream_flag(CLI::App& app, const FoundFlag& found, RunOptions& options) {
  const std::string name = "--" + std::string(found.flag->name);
  if (app.get_option_no_throw(name) != nullptr) return;
  const FlagKind kind = found.flag->kind();
  if (kind == FlagKind::kBoolean) {
    app.add_flag_function(
        name,
        [found, &options](std::int64_t count) {
          take_upstream_flag(found, std::vector<std::string>{count > 0 ? "true" : "false"},
                             options);
        },
        help_text(found));
    return;
  }
  app.add_option_function<std::vector<std::string>>(
         name,
         [found, &options](const std::vector<std::string>& values) {
           take_upstream_flag(found, values, options);
         },
         help_text(found))
      ->take_all()
      ->allow_extra_args(false)
      ->type_name(type_name(kind));
}

}  // namespace

void add_upstream_flags(CLI::App& app, RunOptions& options) {
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) {
      app.option_defaults()->group(group_of(flag));
      add_upstream_flag(app, {&flag, &group}, options);
    }
  }
}

}  // namespace davit::host

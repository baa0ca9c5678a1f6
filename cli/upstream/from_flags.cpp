#include "cli/upstream/from_flags.hpp"

#include <map>
#include <ostream>
#include <utility>

#include "cli/upstream/rest_flags.hpp"
#include "cli/upstream/unit_flags.hpp"
#include "host/config/manifest.hpp"
#include "host/process/exit_codes.hpp"
#include "host/upstream/flag_values.hpp"
#include "host/upstream/given_flags.hpp"
#include "host/upstream/static_pod.hpp"
#include "host/upstream/upstream_process.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kFirstLine =
    "# Written by davit manifest from-flags. Check it with: davit manifest check FILE\n";

constexpr std::string_view kMissingHead =
    "# Controllers of this command line that davit does not have, and what stops without them:\n";

/// Collects values by their places and writes them as YAML.
class ManifestText {
 public:
  void set(const ManifestValue& value, const std::string& flag) {
    Json* node = &root_;
    std::string place;
    for (const std::string& key : value.path) {
      node = &(*node)[key];
      place += "/" + key;
    }
    *node = value.value;
    comments_[place] = flag;
  }

  [[nodiscard]] std::string text() const {
    std::string out =
        "apiVersion: " + std::string(kManifestApiVersion) + "\nkind: " + kManifestKind + "\n";
    write(root_, "", "", out);
    return out;
  }

 private:
  void write(const Json& object, const std::string& place, const std::string& indent,
             std::string& out) const {
    for (const Json::Member& each : object.members()) {
      const std::string below = place + "/" + each.key;
      const auto comment = comments_.find(below);
      out += indent + each.key + ":";
      if (comment == comments_.end()) {
        out += "\n";
        write(each.value, below, indent + "  ", out);
      } else {
        out += " " + to_text(each.value) + "  # " + comment->second + "\n";
      }
    }
  }

  Json root_ = Json::object();
  std::map<std::string, std::string> comments_;  // Keyed by the place of a value.
};

/// "--v=2" for a comment: one line, whatever the value is.
std::string as_given(const GivenFlag& given) {
  std::string out;
  for (const std::string& value : given.values) {
    out += (out.empty() ? "--" : " --") + std::string(given.found.flag->name) + "=" +
           std::string(printable(value));
  }
  return out;
}

/// Without flags upstream takes its default; davit's own Lease has another name.
void set_lease(const UpstreamProcess& process, ManifestText& manifest) {
  if (!process.elects) return;
  constexpr std::string_view kWhy = "the Lease of kube-controller-manager";
  manifest.set({{"leaderElection", "name"}, Json(process.lease)}, std::string(kWhy));
  manifest.set({{"leaderElection", "namespace"}, Json(process.lease_namespace)}, std::string(kWhy));
}

/// The controllers that the command line runs and davit does not have, as comments.
std::string missing_controllers(const UpstreamProcess& process) {
  using Runs = UpstreamController::Runs;
  std::string out;
  for (const UpstreamController& each : upstream_controllers()) {
    if (!each.plugin.empty() || !process.runs(each)) continue;
    if (each.runs == Runs::kWithGate) continue;
    out += "#   " + std::string(each.name) + ": " + std::string(each.stops) + "\n";
  }
  return out;
}

/// The combined rules of flags, as the manifest has them.
void check_result(FromFlagsResult& result) {
  for (const Mistake& each : parse_manifest(result.text, "").mistakes) {
    result.problems.push_back(each.text);
  }
}

/// The command line that is asked about.
Result<std::vector<std::string>> asked_for(const FromFlagsOptions& options) {
  if (options.file.empty() && options.args.empty()) {
    return Status(Code::kInvalid,
                  "manifest from-flags needs --file POD.yaml, or -- and a command line, or both");
  }
  if (options.file.empty()) return options.args;
  if (!options.args.empty() && !options.args.front().starts_with('-')) {
    return Status(Code::kInvalid, "after --file only flags can follow --, not " +
                                      json_string(options.args.front()));
  }
  const Result<std::string> text = read_text_file(options.file);
  if (!text) return text.error().with_context("cannot read " + options.file);
  Result<std::vector<std::string>> found = command_line_of_pod(*text, options.file);
  if (found) found->insert(found->end(), options.args.begin(), options.args.end());
  return found;
}

FromFlagsResult result_for(const FromFlagsOptions& options, const std::vector<std::string>& args) {
  switch (options.output) {
    case FromFlagsOptions::Output::kRest:
      return rest_of_flags(args);
    case FromFlagsOptions::Output::kUnit:
      return unit_from_flags(args);
    case FromFlagsOptions::Output::kManifest:
      break;
  }
  return manifest_from_flags(args);
}

}  // namespace

FromFlagsResult manifest_from_flags(const std::vector<std::string>& args) {
  GivenFlags given = read_command_line(args);
  FromFlagsResult result{.text = "", .warnings = {}, .problems = std::move(given.problems)};
  const UpstreamProcess process = UpstreamProcess::of(given.flags);
  ManifestText manifest;
  set_lease(process, manifest);
  std::string without_effect;
  for (const GivenFlag& each : given.flags) {
    const UpstreamFlag& flag = *each.found.flag;
    const Result<Json> value = read_flag(flag, each.values);
    if (!value) {
      result.problems.push_back(value.error().message());
      continue;
    }
    for (const ManifestValue& setting : manifest_values(flag, *value)) {
      manifest.set(setting, as_given(each));
    }
    if (flag.use == FlagUse::kTaken || is_default(flag, *value)) continue;
    result.warnings.push_back(each.found.warning());
    without_effect += "#   " + as_given(each) + ": " + each.found.reason() + "\n";
  }
  if (!result.problems.empty()) return result;
  result.text = std::string(kFirstLine) + manifest.text();
  if (!without_effect.empty()) result.text += "# Flags without effect:\n" + without_effect;
  if (const std::string missing = missing_controllers(process); !missing.empty()) {
    result.text += std::string(kMissingHead) + missing;
    result.warnings.emplace_back(
        "this command line runs controllers that davit does not have: the end of the manifest says "
        "what stops without them, and davit manifest from-flags --rest prints the command line of "
        "a kube-controller-manager for them");
  }
  check_result(result);
  return result;
}

int run_manifest_from_flags(const FromFlagsOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const std::string& text) {
    err << "davit: " << text << "\n";
    return kExitMistakes;
  };
  const Result<std::vector<std::string>> args = asked_for(options);
  if (!args) return fail(args.error().message());
  const FromFlagsResult result = result_for(options, *args);
  for (const std::string& each : result.problems) (void)fail(each);
  if (!result.problems.empty()) return kExitMistakes;
  for (const std::string& each : result.warnings) err << "davit: warning: " << each << "\n";
  out << result.text;
  return kExitGood;
}

}  // namespace davit::host

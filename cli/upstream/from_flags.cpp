#include "cli/upstream/from_flags.hpp"

#include <map>
#include <ostream>
#include <utility>

#include "cli/exit_codes.hpp"
#include "cli/upstream/flag_values.hpp"
#include "cli/upstream/given_flags.hpp"
#include "cli/upstream/static_pod.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kFirstLine =
    "# Written by davit manifest from-flags. Check it with: davit manifest check FILE\n";

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

/// The combined rules of flags, as the manifest has them.
void check_result(FromFlagsResult& result) {
  for (const Mistake& each : parse_manifest(result.manifest, "").mistakes) {
    result.problems.push_back(each.text);
  }
}

}  // namespace

FromFlagsResult manifest_from_flags(const std::vector<std::string>& args) {
  GivenFlags given = read_command_line(args);
  FromFlagsResult result{.manifest = "", .warnings = {}, .problems = std::move(given.problems)};
  ManifestText manifest;
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
    result.warnings.push_back("--" + std::string(flag.name) +
                              " has no effect: " + each.found.reason());
    without_effect += "#   " + as_given(each) + ": " + each.found.reason() + "\n";
  }
  if (!result.problems.empty()) return result;
  result.manifest = std::string(kFirstLine) + manifest.text();
  if (!without_effect.empty()) result.manifest += "# Flags without effect:\n" + without_effect;
  check_result(result);
  return result;
}

int run_manifest_from_flags(const FromFlagsOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const std::string& text) {
    err << "davit: " << text << "\n";
    return kExitMistakes;
  };
  std::vector<std::string> args = options.args;
  if (options.file.empty() == args.empty()) {
    return fail("manifest from-flags needs either --file POD.yaml or -- and a command line");
  }
  if (!options.file.empty()) {
    const Result<std::string> text = read_text_file(options.file);
    if (!text) return fail(text.error().message());
    Result<std::vector<std::string>> found = command_line_of_pod(*text, options.file);
    if (!found) return fail(found.error().message());
    args = *std::move(found);
  }
  const FromFlagsResult result = manifest_from_flags(args);
  for (const std::string& each : result.problems) (void)fail(each);
  if (!result.problems.empty()) return kExitMistakes;
  for (const std::string& each : result.warnings) err << "davit: warning: " << each << "\n";
  out << result.manifest;
  return kExitGood;
}

}  // namespace davit::host

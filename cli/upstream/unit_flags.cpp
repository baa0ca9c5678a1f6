#include "cli/upstream/unit_flags.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "host/config/serving_settings.hpp"
#include "host/upstream/flag_values.hpp"
#include "host/upstream/given_flags.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kUnitHead =
    R"(# Written by davit manifest from-flags --unit, for
# /etc/systemd/system/davit.service.d/credentials.conf
# systemd reads these files as root when the service starts, and passes it copies that only the
# service can read. Restart the service when a file changes.
)";
constexpr std::string_view kUnitKubeconfig = "kubeconfig";
/// Made by the service, not read: below its state directory, the only folder that it can write to.
constexpr std::string_view kCertDir = "cert-dir";
constexpr std::string_view kCertDirOfUnit = "%S/davit/serving";

/// "%" begins a specifier in units.
std::string unit_text(std::string_view text) {
  std::string out;
  for (const char each : text) out += each == '%' ? std::string("%%") : std::string(1, each);
  return out;
}

/// The files, each under its own name.
class UnitCredentials {
 public:
  /// The path of the copy, for a unit.
  std::string copy_of(const std::string& file, std::string_view wanted = {}) {
    const auto [place, added] = names_.try_emplace(file);
    if (added) {
      place->second = free_name(file, wanted);
      lines_ += "LoadCredential=" + place->second + ":" + unit_text(file) + "\n";
    }
    return "%d/" + place->second;
  }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  /// systemd takes names of files. Two files of one name, such as ca.crt, get numbers.
  std::string free_name(const std::string& file, std::string_view wanted) {
    if (!wanted.empty()) return std::string(wanted);
    std::string base = std::filesystem::path(file).filename().string();
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '-' || c == '_';
    };
    std::ranges::replace_if(
        base, [&](char c) { return !is_plain(c); }, '-');
    std::string name = base;
    for (int number = 2; !taken_.insert(name).second; ++number) {
      name = std::to_string(number) + "-" + base;
    }
    return name;
  }

  std::map<std::string, std::string> names_;                   // Keyed by the path of the file.
  std::set<std::string> taken_{std::string(kUnitKubeconfig)};  // The unit itself has it.
  std::string lines_;
};

/// "cert,key:names" with the paths of the copies.
std::string copied_pair(const std::string& pair, UnitCredentials& credentials) {
  const std::optional<NamedFiles> files = parse_named_files(pair);
  if (!files) return pair;  // read_flag() has checked it.
  std::string out = credentials.copy_of(files->certificate_file);
  out += "," + credentials.copy_of(files->key_file);
  for (const std::string& name : files->names) {
    out += (&name == &files->names.front() ? ":" : ",") + unit_text(name);
  }
  return out;
}

/// A path in a unit is one word of one line.
bool fits_unit(const std::string& text) {
  return std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\\' || c == '\'';
  });
}

/// The kubeconfig of the package's unit, and the condition for its start, are those of the
/// original.
std::string unit_section(const std::string& kubeconfig) {
  if (kubeconfig.empty()) return "";
  return "[Unit]\nConditionPathExists=\nConditionPathExists=" + unit_text(kubeconfig) + "\n\n";
}

std::vector<std::string> values_of(const UpstreamFlag& flag, const Json& value) {
  if (flag.kind() == FlagKind::kFile) return {value.text()};
  std::vector<std::string> out;
  for (const Json& each : value.items()) out.push_back(each.text());
  return out;
}

bool names_files(const UpstreamFlag& flag) {
  return flag.use == FlagUse::kTaken &&
         (flag.kind() == FlagKind::kFile || flag.type == "namedCertKey");
}

}  // namespace

FromFlagsResult unit_from_flags(const std::vector<std::string>& args) {
  GivenFlags given = read_command_line(args);
  FromFlagsResult result{.text = "", .warnings = {}, .problems = std::move(given.problems)};
  UnitCredentials credentials;
  std::string flags;
  std::string kubeconfig;
  // The kubeconfig of the controllers first: other flags often name the same file.
  std::stable_partition(given.flags.begin(), given.flags.end(), [](const GivenFlag& each) {
    return each.found.flag->name == kUnitKubeconfig;
  });
  for (const GivenFlag& each : given.flags) {
    const UpstreamFlag& flag = *each.found.flag;
    const Result<Json> read = read_flag(flag, each.values);
    if (!read) result.problems.push_back(read.error().message());
    if (!read || !names_files(flag)) continue;
    for (const std::string& value : values_of(flag, *read)) {
      if (value.empty()) continue;
      if (!fits_unit(value)) {
        result.problems.push_back("--" + std::string(flag.name) +
                                  ": a unit cannot name a path with spaces or quotes");
      } else if (flag.name == kUnitKubeconfig) {
        kubeconfig = value;
        (void)credentials.copy_of(value, kUnitKubeconfig);
      } else {
        const std::string copy = flag.name == kCertDir            ? std::string(kCertDirOfUnit)
                                 : flag.kind() == FlagKind::kFile ? credentials.copy_of(value)
                                                                  : copied_pair(value, credentials);
        flags += (flags.empty() ? "--" : " --") + std::string(flag.name) + "=" + copy;
      }
    }
  }
  if (!result.problems.empty()) return result;
  result.text =
      std::string(kUnitHead) + unit_section(kubeconfig) + "[Service]\n" + credentials.lines();
  if (!flags.empty()) result.text += "Environment=\"DAVIT_CREDENTIALS=" + flags + "\"\n";
  return result;
}

}  // namespace davit::host

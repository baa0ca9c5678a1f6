#include "cli/upstream/rest_flags.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/upstream/flag_values.hpp"
#include "host/upstream/upstream_process.hpp"
#include "lib/base/shell_quote.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kListFlag = "controllers";
constexpr std::string_view kLeaseFlag = "leader-elect-resource-name";
constexpr std::string_view kPortFlag = "secure-port";
constexpr std::string_view kRestSuffix = "-rest";

/// A word of a shell's command line.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  return shell_quoted(text);
}

/// Whether the flag is one of controllers that davit has: none of them runs in the leftover.
bool belongs_to_davit(const UpstreamFlag& flag) {
  return flag.setting.find("controllerSettings.") != std::string_view::npos;
}

bool belongs_to_migration(const UpstreamFlag& flag) {
  return flag.name == "enable-leader-migration" || flag.name == "leader-migration-config";
}

/// The list without the controllers that davit has. "*" stays, since it means others in each
/// release, and gets an entry that switches off what davit has.
std::string rest_of_list(const UpstreamProcess& process) {
  std::vector<std::string> list;
  bool all = false;
  for (const std::string& entry : process.controllers) {
    const std::string_view name = std::string_view(entry).substr(entry.starts_with('-') ? 1 : 0);
    const UpstreamController* const known = find_upstream_controller(name);
    if (known == nullptr || known->plugin.empty()) list.push_back(entry);
    all = all || entry == "*";
  }
  for (const UpstreamController& each : upstream_controllers()) {
    if (all && !each.plugin.empty()) list.push_back("-" + std::string(each.name));
  }
  std::string out;
  for (const std::string& each : list) out += (out.empty() ? "" : ",") + each;
  return out;
}

/// Whether a controller is left: one that davit lacks, or one of another release or vendor, which
/// the table does not have.
bool runs_something(const UpstreamProcess& process) {
  const auto is_foreign = [](const std::string& entry) {
    return entry != "*" && !entry.starts_with('-') && find_upstream_controller(entry) == nullptr;
  };
  if (std::ranges::any_of(process.controllers, is_foreign)) return true;
  return std::ranges::any_of(upstream_controllers(), [&](const UpstreamController& each) {
    return each.plugin.empty() && process.runs(each);
  });
}

/// Writes "PROGRAM \<newline>  FLAG \<newline>…".
class CommandText {
 public:
  explicit CommandText(const std::string& program) : text_(shell_word(program)) {}
  void add(std::string_view flag, const std::string& value) {
    text_ += " \\\n  " + shell_word("--" + std::string(flag) + "=" + value);
  }
  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  std::string text_;
};

}  // namespace

FromFlagsResult rest_of_flags(const std::vector<std::string>& args) {
  GivenFlags given = read_command_line(args);
  FromFlagsResult result{.text = "", .warnings = {}, .problems = std::move(given.problems)};
  for (const GivenFlag& each : given.flags) {
    const Result<Json> value = read_flag(*each.found.flag, each.values);
    if (!value) result.problems.push_back(value.error().message());
  }
  if (!result.problems.empty()) return result;
  const UpstreamProcess process = UpstreamProcess::of(given.flags);
  if (!runs_something(process)) {
    result.warnings.emplace_back("davit has every controller that this command line runs");
    return result;
  }
  const bool has_program = !args.empty() && !args.front().starts_with('-');
  CommandText command(has_program ? args.front() : std::string(kUpstreamLease));
  std::string port = std::to_string(kRestPort);
  for (const GivenFlag& each : given.flags) {
    const UpstreamFlag& flag = *each.found.flag;
    if (flag.name == kPortFlag && each.values.back() == "0") port = "0";
    if (flag.name == kListFlag || flag.name == kLeaseFlag || flag.name == kPortFlag) continue;
    if (belongs_to_davit(flag)) continue;
    if (belongs_to_migration(flag)) {
      result.warnings.push_back("--" + std::string(flag.name) +
                                " is left out: no controller of "
                                "the leader migration runs in the leftover");
      continue;
    }
    for (const std::string& value : each.values) command.add(flag.name, value);
  }
  command.add(kListFlag, rest_of_list(process));
  if (process.elects) {
    const std::string lease = process.lease + std::string(kRestSuffix);
    command.add(kLeaseFlag, lease);
    result.warnings.push_back("its user needs a Role for the Lease " + process.lease_namespace +
                              "/" + lease + " (docs/MIGRATION.md)");
  }
  command.add(kPortFlag, port);
  if (port != "0") {
    result.warnings.push_back("it serves HTTPS on port " + port +
                              ", since davit takes the former one: change its probes");
  }
  result.text = command.text();
  return result;
}

}  // namespace davit::host

#include "cli/upstream/flags_page.hpp"

#include "host/upstream/flag_table.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kHead =
    R"(# Flags of kube-controller-manager

<!-- Made by `davit manifest flags`; do not edit. -->

`davit run` takes every flag of kube-controller-manager v1.36, so that an existing command line
starts unchanged. Each flag is one of these:

- **taken**: it has the same effect as upstream. The table names the manifest's key; the flag
  overrides the manifest.
- **no effect**: the value is checked. A value other than the default causes a warning at the start
  that says why it has no effect.
- **missing**: the same, for a flag of a controller that davit does not have. The warning says what
  stops without that controller, and `davit manifest from-flags --rest` prints the command line of a
  kube-controller-manager that runs only such controllers.

davit also refuses values that upstream refuses. An unknown flag is an error that suggests the
nearest name. "_" and "-" in names are equivalent.

`davit manifest from-flags -- kube-controller-manager …` converts a command line to a manifest;
`--file POD.yaml` converts a static pod.

`davit run --help` lists davit's own flags.
)";

/// A cell of a table: "|" would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : "`" + cell(text) + "`";
}

/// The manifest's keys, without the sign for the opposite.
std::string setting_cell(const UpstreamFlag& flag) {
  std::string out;
  for (std::string_view rest = flag.setting; !rest.empty();) {
    std::string_view each = take_until(rest, ",");
    const bool opposite = each.starts_with('!');
    if (opposite) each.remove_prefix(1);
    out += (out.empty() ? "" : ", ") + code(each) + (opposite ? ", the opposite" : "");
  }
  return out;
}

std::string row(const FoundFlag& found) {
  const UpstreamFlag& flag = *found.flag;
  const bool taken = flag.use == FlagUse::kTaken;
  const bool missing = found.missing() != nullptr;
  std::string text = missing ? found.reason() + "." : std::string();
  if (!flag.note.empty()) text += (missing ? " " : "") + std::string(flag.note);
  const std::string where = setting_cell(flag);
  const std::string gap = where.empty() || text.empty() ? "" : ". ";
  return "| `--" + std::string(flag.name) + "` | " + code(flag.fallback) + " | " +
         (taken     ? "taken"
          : missing ? "missing"
                    : "no effect") +
         " | " + where + gap + cell(text) + " |\n";
}

}  // namespace

std::string flags_page() {
  std::string out(kHead);
  for (const FlagGroup& group : upstream_flag_groups()) {
    out +=
        "\n## " + std::string(group.title) + "\n\n| flag | default | davit | setting, remark |\n";
    out += "| --- | --- | --- | --- |\n";
    for (const UpstreamFlag& flag : group.flags) out += row({&flag, &group});
  }
  return out;
}

}  // namespace davit::host

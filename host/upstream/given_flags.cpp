#include "host/upstream/given_flags.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

std::string unknown_upstream_flag(const std::string& name) {
  std::vector<std::string> known;
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) known.push_back("--" + std::string(flag.name));
  }
  const std::string meant = nearest("--" + name, known);
  return "unknown flag: --" + name + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

class CommandLineReader {
 public:
  explicit CommandLineReader(const std::vector<std::string>& args) : args_(args) {}

  GivenFlags read() {
    const bool has_program = !args_.empty() && !args_.front().starts_with('-');
    for (next_ = has_program ? 1 : 0; next_ < args_.size();) argument(args_[next_++]);
    return std::move(out_);
  }

 private:
  void argument(const std::string& arg);
  void take(const std::string& name, std::optional<std::string> value);

  const std::vector<std::string>& args_;
  std::size_t next_ = 0;
  GivenFlags out_;
};

void CommandLineReader::argument(const std::string& arg) {
  // The only flags with a short name.
  if (arg == "-h") return take("help", "true");
  if (arg.starts_with("-v")) {
    std::string level = arg.substr(2);
    if (level.starts_with('=')) level.erase(0, 1);
    return take("v", level.empty() ? std::nullopt : std::optional(level));
  }
  if (!arg.starts_with("--") || arg.size() == 2) {
    out_.problems.push_back("not a flag of kube-controller-manager: " + json_string(arg));
    return;
  }
  const std::size_t equals = std::min(arg.find('='), arg.size());
  take(arg.substr(2, equals - 2),
       equals == arg.size() ? std::nullopt : std::optional(arg.substr(equals + 1)));
}

void CommandLineReader::take(const std::string& name, std::optional<std::string> value) {
  const FoundFlag found = find_upstream_flag(name);
  if (!found) {
    out_.problems.push_back(unknown_upstream_flag(name));
    return;
  }
  if (!value && found.flag->kind() == FlagKind::kBoolean) value = "true";
  if (!value && found.flag->name == "version") value = "true";
  if (!value) {
    if (next_ == args_.size()) {
      out_.problems.push_back("flag needs an argument: --" + name);
      return;
    }
    value = args_[next_++];
  }
  const auto known = std::ranges::find_if(
      out_.flags, [&](const GivenFlag& each) { return each.found.flag == found.flag; });
  if (known == out_.flags.end()) {
    out_.flags.push_back({found, {*std::move(value)}});
  } else {
    known->values.push_back(*std::move(value));
  }
}

}  // namespace

GivenFlags read_command_line(const std::vector<std::string>& args) {
  return CommandLineReader(args).read();
}

}  // namespace davit::host

#include "cli/reference/command_text.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>

namespace davit::host {
namespace {

/// "FORMAT" of "FORMAT:{text,json}".
std::string value_of(const std::string& type) { return type.substr(0, type.find(':')); }

/// "text" and "json" of "FORMAT:{text,json}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> out;
  const std::size_t open = type.find(":{");
  if (open == std::string::npos) return out;
  std::istringstream inner(type.substr(open + 2, type.find('}', open) - open - 2));
  for (std::string each; std::getline(inner, each, ',');) out.push_back(each);
  return out;
}

ArgumentText argument_text(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return {option.get_single_name(), option.get_description(), choices_of(type),
          option.get_required()};
}

FlagText flag_text(const CLI::Option& option) {
  FlagText out;
  for (const std::string& each : option.get_snames()) out.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) out.names.push_back("--" + each);
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) out.value = value_of(type);
  out.choices = choices_of(type);
  out.text = option.get_description();
  out.group = option.get_group();
  return out;
}

CommandText command_text_below(const CLI::App& app, const std::string& parent) {
  CommandText out;
  out.name = parent.empty() ? app.get_name() : parent + " " + app.get_name();
  out.text = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      out.arguments.push_back(argument_text(*option));
    } else if (!option->get_group().empty()) {  // CLI11 hides options without a group.
      out.flags.push_back(flag_text(*option));
    }
  }
  for (const CLI::App* each : app.get_subcommands({})) {
    out.commands.push_back(command_text_below(*each, out.name));
  }
  return out;
}

}  // namespace

std::string CommandText::page_name() const {
  std::string out = name;
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

CommandText command_text(const CLI::App& app) { return command_text_below(app, ""); }

}  // namespace davit::host

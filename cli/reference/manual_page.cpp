#include "cli/reference/manual_page.hpp"

#include <algorithm>
#include <cctype>

namespace davit::host {
namespace {

/// Text in which troff sees no command: a hyphen stays a hyphen, for searching and copying.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_line_start = out.empty() || out.back() == '\n';
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string synopsis(const CommandText& command) {
  std::string out = bold(command.name);
  if (!command.flags.empty()) out += " [" + italic("OPTIONS") + "]";
  for (const ArgumentText& each : command.arguments) {
    out += each.required ? " " + italic(each.name) : " [" + italic(each.name) + "]";
  }
  if (!command.commands.empty()) out += " " + italic("COMMAND");
  return out + "\n";
}

std::string choices(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& each : values) out += (out.empty() ? "" : "|") + each;
  return out;
}

std::string flag_entry(const FlagText& flag) {
  std::string head;
  for (const std::string& each : flag.names) head += (head.empty() ? "" : ", ") + bold(each);
  if (!flag.choices.empty()) {
    head += " " + italic(choices(flag.choices));
  } else if (!flag.value.empty()) {
    head += " " + italic(flag.value);
  }
  return ".TP\n" + head + "\n" + escaped(flag.text) + "\n";
}

/// The flags, each group of --help below its name.
std::string options(const CommandText& command) {
  if (command.flags.empty()) return "";
  std::string out = ".SH OPTIONS\n";
  std::string group = command.flags.front().group;
  for (const FlagText& each : command.flags) {
    if (each.group != group) {
      group = each.group;
      out += ".SS " + escaped(group) + "\n";
    }
    out += flag_entry(each);
  }
  return out;
}

std::string arguments(const CommandText& command) {
  if (command.arguments.empty()) return "";
  std::string out = ".SH ARGUMENTS\n";
  for (const ArgumentText& each : command.arguments) {
    std::string text = each.text;
    if (!each.choices.empty()) text += (text.empty() ? "" : ": ") + choices(each.choices);
    out += ".TP\n" + italic(each.name) + "\n" + escaped(text) + "\n";
  }
  return out;
}

std::string commands(const CommandText& command) {
  if (command.commands.empty()) return "";
  std::string out = ".SH COMMANDS\n";
  for (const CommandText& each : command.commands) {
    out += ".TP\n" + bold(each.name) + "\n" + escaped(each.text) + "\n";
  }
  return out;
}

std::string see_also(const CommandText& command, const CommandText* parent) {
  std::string out;
  const auto add = [&out](const CommandText& each) {
    out += (out.empty() ? "" : ",\n") + std::string(".BR ") + escaped(each.page_name()) + " (1)";
  };
  if (parent != nullptr) add(*parent);
  for (const CommandText& each : command.commands) add(each);
  return out.empty() ? "" : ".SH SEE ALSO\n" + out + "\n";
}

}  // namespace

std::string manual_page(const CommandText& command, const CommandText* parent,
                        std::string_view version) {
  std::string out = ".TH " + escaped(upper(command.page_name())) + " 1 \"\" \"davit " +
                    escaped(version) + "\" \"davit manual\"\n";
  out += ".SH NAME\n" + escaped(command.page_name()) + " \\- " + escaped(command.text) + "\n";
  out += ".SH SYNOPSIS\n" + synopsis(command);
  out += arguments(command) + commands(command) + options(command);
  out +=
      ".SH EXIT STATUS\n.TP\n0\nThe command did its work.\n.TP\n1\nIt failed; standard error says "
      "why.\n.TP\n2\nA flag, an argument or a file is wrong; nothing was done.\n";
  return out + see_also(command, parent);
}

}  // namespace davit::host

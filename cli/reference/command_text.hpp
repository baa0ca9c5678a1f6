/// The commands, arguments and flags of the program as data, from which its manual pages and
/// completion scripts are made.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace davit::host {

struct FlagText {
  std::vector<std::string> names;    ///< "-v", "--v".
  std::string value;                 ///< "PATH"; "" for a switch.
  std::vector<std::string> choices;  ///< The only values that it takes; empty: any.
  std::string text;
  std::string group;  ///< The heading in --help.
};

struct ArgumentText {
  std::string name;  ///< "FILE"
  std::string text;
  std::vector<std::string> choices;  ///< As for flags.
  bool required = false;
};

struct CommandText {
  std::string name;  ///< With those of the commands around it: "davit plugin new".
  std::string text;
  std::vector<ArgumentText> arguments;
  std::vector<FlagText> flags;  ///< In the order of --help.
  std::vector<CommandText> commands;

  /// "davit-plugin-new", the name of its manual page.
  [[nodiscard]] std::string page_name() const;
};

/// Everything that `app` declares.
[[nodiscard]] CommandText command_text(const CLI::App& app);

}  // namespace davit::host

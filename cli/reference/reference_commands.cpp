#include "cli/reference/reference_commands.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>

#include "cli/reference/command_text.hpp"
#include "cli/reference/completion.hpp"
#include "cli/reference/manual_page.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

int print_completion(const CLI::App& app, const std::string& shell, std::ostream& out) {
  const Shell chosen = shell == "bash" ? Shell::kBash : shell == "zsh" ? Shell::kZsh : Shell::kFish;
  out << completion_script(command_text(app), chosen);
  return kExitGood;
}

/// Whether the page of `command` and of all commands below it could be written.
bool write_pages(const CommandText& command, const CommandText* parent,
                 const std::filesystem::path& folder, std::ostream& err) {
  const std::filesystem::path file = folder / (command.page_name() + ".1");
  const Status written =
      replace_file(file.string(), manual_page(command, parent, kVersion), Readable::kByAll);
  if (!written.ok()) {
    err << "davit: " << written.message() << "\n";
    return false;
  }
  for (const CommandText& each : command.commands) {
    if (!write_pages(each, &command, folder, err)) return false;
  }
  return true;
}

int write_manual(const CLI::App& app, const std::string& folder, std::ostream& err) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    err << "davit: cannot create " << folder << ": " << failed.message() << "\n";
    return kExitFailed;
  }
  return write_pages(command_text(app), nullptr, folder, err) ? kExitGood : kExitFailed;
}

}  // namespace

void add_reference_commands(CLI::App& app, std::function<int()>& chosen, std::ostream& out,
                            std::ostream& err) {
  const auto argument = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand(
      "completion", "Print a script that completes davit's command line in a shell");
  completion->add_option("SHELL", *argument, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, &chosen, &out, argument] {
    chosen = [&app, &out, argument] { return print_completion(app, *argument, out); };
  });
  CLI::App* manual =
      app.add_subcommand("manual", "Write a manual page for each command into a folder");
  manual->add_option("DIR", *argument, "The folder, which is created if it does not exist")
      ->required();
  manual->callback([&app, &chosen, &err, argument] {
    chosen = [&app, &err, argument] { return write_manual(app, *argument, err); };
  });
}

}  // namespace davit::host

#include "cli/why_command.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "cli/ctl_command.hpp"
#include "host/config/kubeconfig.hpp"

namespace davit::host {

void add_why_command(CLI::App& app, WhyOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err) {
  CLI::App* const why =
      app.add_subcommand("why", "Print what davit did to an object, why, and what is pending");
  why->add_option("KIND/NAME", options.object, "The object, such as deployment/web or po/web-1-x")
      ->required();
  why->add_option("-n,--namespace", options.ns,
                  "Namespace of the object (default: that of the kubeconfig's context, else "
                  "\"default\")")
      ->type_name("NAME");
  add_control_socket(*why, options.socket);
  why->add_option("-o,--output", options.output, "text, json or timeline (default text)")
      ->check(CLI::IsMember({"text", "json", "timeline"}))
      ->type_name("FORMAT");
  why->callback([&] {
    chosen = [&] {
      const ControlRequest request{
          .command = "why",
          .name = options.object,
          .file = "",
          .ns = options.ns.empty() ? namespace_of_context(process_environment()) : options.ns,
          .output = options.output};
      return ask_and_print(options.socket, request, CtlOptions::Output::kText, out, err);
    };
  });
}

}  // namespace davit::host

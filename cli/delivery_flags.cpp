#include "cli/delivery_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace davit::host {
namespace {

void add_bundle_command(CLI::App& plugin, PluginBundleOptions& options,
                        std::function<int()>& chosen, std::ostream& out, std::ostream& err) {
  CLI::App* const app = plugin.add_subcommand(
      "bundle", "Pack a plugin and its files into an OCI image layout, to push or to install");
  app->add_option("-o,--output", options.output, "Folder to write, or a file that ends with .tar")
      ->required()
      ->type_name("PATH");
  app->add_option("--crd", options.crds,
                  "File with CustomResourceDefinitions that the plugin needs; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE");
  app->add_option("--config-schema", options.config_schema,
                  "JSON schema of the plugin's configuration")
      ->type_name("FILE");
  app->add_option("--manifest-entry", options.manifest,
                  "Entry for the host's manifest (default: its name and source)")
      ->type_name("FILE");
  app->add_option("--readme", options.readme, "Text for the users of the plugin")
      ->type_name("FILE");
  app->add_option("FILES", options.files,
                  "The .so files of one plugin, one for each machine; the signature beside a file "
                  "comes along")
      ->required();
  app->callback([&] { chosen = [&] { return run_plugin_bundle(options, out, err); }; });
}

void add_install_command(CLI::App& plugin, PluginInstallOptions& options,
                         std::function<int()>& chosen, std::ostream& out, std::ostream& err) {
  CLI::App* const app = plugin.add_subcommand(
      "install", "Install a plugin from a registry or an image layout into a plugin directory");
  app->add_option("SOURCE", options.source,
                  "Reference with a digest, or with a tag if signatures are checked, or the path "
                  "of an image layout")
      ->required();
  app->add_option("--name", options.name,
                  "Name of the plugin that it must be; needed for a reference without a digest")
      ->type_name("NAME");
  app->add_option("--plugin-dir", options.directory,
                  "Directory of plugins (default: the installed one)")
      ->type_name("DIRECTORY");
  app->add_option("--files", options.files,
                  "Folder for the other files of the bundle: definitions, rules, readme; needs a "
                  "digest, because no signature covers them")
      ->type_name("DIRECTORY");
  app->add_option("--public-key", options.keys,
                  "Public key in base64 whose signature counts; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY");
  app->add_option("--manifest", options.manifest,
                  "Manifest whose pluginSignatures the plugin has to satisfy")
      ->type_name("FILE");
  add_registry_flags(*app, options.registry);
  app->callback([&] { chosen = [&] { return run_plugin_install(options, out, err); }; });
}

}  // namespace

void add_registry_flags(CLI::App& app, RegistryFlags& flags) {
  app.add_option("--login-file", flags.login_file,
                 "Logins for registries, in the form of docker's config.json (default: docker's)")
      ->type_name("FILE");
  app.add_option("--ca-file", flags.ca_file,
                 "PEM file with the registry's certificate authorities (default: the system's)")
      ->type_name("FILE");
}

void add_delivery_commands(CLI::App& plugin, DeliveryOptions& options, std::function<int()>& chosen,
                           std::ostream& out, std::ostream& err) {
  add_bundle_command(plugin, options.bundle, chosen, out, err);
  CLI::App* const push = plugin.add_subcommand("push", "Upload a bundle to a registry");
  push->add_option("LAYOUT", options.push.layout, "The bundle: an image layout")->required();
  push->add_option("REFERENCE", options.push.reference,
                   "Destination: [oci://]REGISTRY/REPOSITORY:TAG")
      ->required();
  add_registry_flags(*push, options.push.registry);
  push->callback([&] { chosen = [&] { return run_plugin_push(options.push, out, err); }; });
  CLI::App* const pull = plugin.add_subcommand("pull", "Download a bundle for every machine");
  pull->add_option("REFERENCE", options.pull.reference,
                   "[oci://]REGISTRY/REPOSITORY[:TAG][@sha256:DIGEST]")
      ->required();
  pull->add_option("-o,--output", options.pull.output,
                   "Folder to write, or a file that ends with .tar")
      ->required()
      ->type_name("PATH");
  add_registry_flags(*pull, options.pull.registry);
  pull->callback([&] { chosen = [&] { return run_plugin_pull(options.pull, out, err); }; });
  add_install_command(plugin, options.install, chosen, out, err);
}

}  // namespace davit::host

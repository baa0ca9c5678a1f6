#include "host/loading/catalog.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

class CatalogBuilder {
 public:
  CatalogBuilder(const Manifest& manifest, const std::string& file, Trust trust, Catalog& out)
      : manifest_(manifest), file_(file), trust_(trust), out_(out) {}

  void add(const PluginSettings& settings, const Result<std::filesystem::path>& path);

 private:
  /// The name that the file must declare. A signature says what a file is, not what it is taken
  /// for, so with signatures a file that is not named otherwise is called as it is.
  [[nodiscard]] std::string wanted_name(const PluginSettings& settings,
                                        const std::filesystem::path& path) const {
    if (!settings.name.empty() || !manifest_.plugin_signatures.are_required()) return settings.name;
    return path.stem().string();
  }
  void add_controllers(CatalogPlugin& plugin);
  void claim(const std::string& name, const CatalogPlugin& plugin);
  void mistake(int line, int column, std::string text) {
    out_.mistakes.push_back({line == 0 ? std::string() : file_, line, column, std::move(text)});
  }

  const Manifest& manifest_;
  const std::string& file_;
  const Trust trust_;
  Catalog& out_;
  std::map<std::string, std::string> plugin_names_;      // To where they come from.
  std::map<std::string, std::string> controller_names_;  // Names and aliases, to their plugin.
};

void CatalogBuilder::add(const PluginSettings& settings,
                         const Result<std::filesystem::path>& path) {
  if (!path) {
    mistake(settings.line, settings.column, path.error().message());
    return;
  }
  Result<PluginFile> file = inspect_plugin(*path, trust_, Needs::kJudged);
  if (!file) {
    mistake(settings.line, settings.column, file.error().message());
    return;
  }
  if (const std::string wanted = wanted_name(settings, *path);
      !wanted.empty() && wanted != file->declaration.name) {
    mistake(settings.line, settings.column,
            "plugin " + path->string() + ": is the plugin " + file->declaration.name + ", not " +
                wanted + (settings.name.empty() ? ": rename the file, or set name" : ""));
    return;
  }
  CatalogPlugin plugin;
  plugin.file = std::move(*file);
  plugin.settings = settings;
  const std::string& name = plugin.file.declaration.name;
  const std::string source = path->string();
  const auto [other, inserted] = plugin_names_.emplace(name, source);
  if (!inserted) {
    mistake(settings.line, settings.column,
            "duplicate plugin " + json_string(name) + ": " + other->second + " and " + source);
    return;
  }
  add_controllers(plugin);
  out_.plugins.push_back(std::move(plugin));
}

void CatalogBuilder::claim(const std::string& name, const CatalogPlugin& plugin) {
  const auto [other, inserted] = controller_names_.emplace(name, plugin.file.declaration.name);
  if (inserted) return;
  mistake(plugin.settings.line, plugin.settings.column,
          "duplicate controller " + json_string(name) + ": plugins " + other->second + " and " +
              plugin.file.declaration.name + " both have it");
}

void CatalogBuilder::add_controllers(CatalogPlugin& plugin) {
  std::map<std::string, ControllerSettings> left = plugin.settings.controllers;
  std::vector<std::string> known;
  for (const DeclaredController& declared : plugin.file.declaration.controllers) {
    CatalogController controller;
    controller.declared = declared;
    std::vector<std::string> names = declared.aliases;
    names.insert(names.begin(), declared.name);
    bool named = false;
    for (const std::string& name : names) {
      claim(name, plugin);
      const auto settings = left.find(name);
      if (settings == left.end()) continue;
      if (named) {
        mistake(settings->second.line, settings->second.column,
                "duplicate controller " + json_string(name) + ": its name and its alias are given");
      }
      named = true;
      controller.settings = settings->second;
      left.erase(settings);
    }
    // The name comes last, because flags have it and win.
    std::reverse(names.begin(), names.end());
    for (const std::string& name : names) {
      const auto over = manifest_.controller_settings.find(name);
      if (over != manifest_.controller_settings.end()) lay_over(over->second, controller.settings);
    }
    known.push_back(declared.name);
    plugin.controllers.push_back(std::move(controller));
  }
  for (const auto& entry : left) {
    std::string names;
    for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
    mistake(entry.second.line, entry.second.column,
            "plugin " + plugin.file.declaration.name + " has no controller " +
                json_string(entry.first) + " (allowed: " + names + ")");
  }
}

Result<std::filesystem::path> file_of(const PluginSettings& settings,
                                      const std::vector<std::string>& directories) {
  if (!settings.path.empty()) return std::filesystem::path(settings.path);
  if (settings.source.empty()) return find_plugin(settings.name, directories);
  return Status(Code::kNotFound, "plugin " + settings.label() +
                                     ": it is not pulled yet: davit run and davit rbac do so");
}

}  // namespace

std::vector<std::string> plugin_directories(const Manifest& manifest) {
  if (!manifest.plugin_directories.empty()) return manifest.plugin_directories;
  return {default_plugin_directory().string()};
}

Catalog resolve_plugins(const Manifest& manifest, const std::string& file, Trust trust) {
  Catalog catalog;
  CatalogBuilder builder(manifest, file, trust, catalog);
  const std::vector<std::string> directories = plugin_directories(manifest);
  if (!manifest.plugins) {
    const Result<std::vector<std::filesystem::path>> paths = list_plugins(directories);
    if (!paths) {
      catalog.mistakes.push_back({"", 0, 0, paths.error().message()});
      return catalog;
    }
    for (const std::filesystem::path& path : *paths) {
      PluginSettings settings;
      settings.path = path.string();
      builder.add(settings, path);
    }
    return catalog;
  }
  for (const PluginSettings& settings : *manifest.plugins) {
    if (!settings.enabled) continue;
    builder.add(settings, file_of(settings, directories));
  }
  return catalog;
}

}  // namespace davit::host

#include "testing/explore/subject.hpp"

#include <algorithm>
#include <utility>

#include "host/loading/capabilities.hpp"
#include "host/loading/digest.hpp"
#include "lib/base/text_file.hpp"

namespace davit::explore {

Status OpenPlugins::open(const std::filesystem::path& file) {
  if (staging_ == nullptr) {
    Result<host::StagingDirectory> made = host::StagingDirectory::create();
    if (!made) return made.error();
    staging_ = std::make_unique<host::StagingDirectory>(std::move(*made));
  }
  Result<std::unique_ptr<host::LoadedPlugin>> opened = host::load_plugin(*staging_, file, {});
  if (!opened) return opened.error();
  const Result<std::string> bytes = read_text_file(file);
  digests_.push_back(bytes ? host::sha256_hex(*bytes) : "");
  plugins_.push_back(std::move(*opened));
  return {};
}

Result<Subject> OpenPlugins::subject(const Scenario& scenario) const {
  Subject out;
  const auto is_wanted = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> found;
  for (std::size_t i = 0; i < plugins_.size(); ++i) {
    const host::PluginDeclaration& declaration = plugins_[i]->declaration();
    if (!is_wanted(scenario.plugins, declaration.name)) continue;
    found.push_back(declaration.name);
    out.digest += digests_[i];
    if (out.declaration.name.empty()) out.declaration.name = declaration.name;
    // As in a host, the provider of a cloud comes before the loops that look for it.
    const bool provides = std::ranges::find(declaration.requires_ids, host::kCloudHostId) !=
                          declaration.requires_ids.end();
    for (const host::DeclaredController& each : declaration.controllers) {
      out.declaration.controllers.push_back(each);
      if (!is_wanted(scenario.controllers, each.name)) continue;
      const auto config = scenario.configs.find(each.name);
      out.controllers.insert(provides ? out.controllers.begin() : out.controllers.end(),
                             {each.name, plugins_[i]->init(each.name),
                              config == scenario.configs.end() ? "" : config->second});
    }
  }
  for (const std::string& each : scenario.plugins) {
    if (std::ranges::find(found, each) != found.end()) continue;
    return Status(Code::kNotFound, scenario.place + ": the plugin " + each + " is not open");
  }
  if (out.controllers.empty()) {
    return Status(Code::kNotFound, scenario.place + ": no controller of the plugins is named");
  }
  return out;
}

}  // namespace davit::explore

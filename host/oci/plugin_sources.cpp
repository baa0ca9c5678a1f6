#include "host/oci/plugin_sources.hpp"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "host/config/oci_reference.hpp"
#include "host/crash/crash_journal.hpp"
#include "host/loading/elf_reader.hpp"
#include "host/oci/plugin_cache.hpp"
#include "host/oci/registry.hpp"

namespace davit::host {
namespace {

/// The plugins of one manifest.
class Pull {
 public:
  Pull(const Manifest& manifest, const PullTerms& terms)
      : terms_(terms), cache_(bundle_cache_directory(manifest)) {
    const PluginSourceSettings& settings = manifest.plugin_sources;
    options_.login_file = settings.login_file.empty() ? docker_config_path() : settings.login_file;
    options_.ca_file = settings.ca_file;
    options_.connect = terms.connect;
    options_.stop = terms.stop;
  }

  /// Sets path and digest of the plugin.
  Status pull(PluginSettings& plugin) {
    const Result<OciReference> reference = OciReference::parse(plugin.source);
    if (!reference) return Status(Code::kInvalid, "source " + reference.error().message());
    const Result<CachedPlugin> cached = take(*reference);
    if (!cached) return cached.error();
    if (!plugin.name.empty() && plugin.name != cached->name) {
      return Status(Code::kInvalid, "is the plugin " + cached->name + ", not " + plugin.name);
    }
    plugin.path = cached->file.string();
    if (plugin.sha256.empty()) plugin.sha256 = cached->sha256;
    return {};
  }
  void prune() { cache_.prune(used_); }

 private:
  Result<CachedPlugin> take(const OciReference& reference) {
    if (!reference.digest.empty()) {
      Result<CachedPlugin> here = cached(reference.digest);
      if (here) return here;
    }
    Result<OpenedBundle> bundle = download(reference);
    if (!bundle && bundle.error().code() == Code::kUnavailable) return recall(reference, bundle);
    if (!bundle) return bundle.error();
    used_.insert(bundle->digest);
    Result<CachedPlugin> kept = cached(bundle->digest);
    if (!kept) kept = cache_.keep(*bundle);
    if (kept && reference.digest.empty()) cache_.remember(reference.text(), bundle->digest);
    return kept;
  }
  Result<CachedPlugin> cached(const std::string& digest) {
    used_.insert(digest);
    return cache_.find(digest, architecture_);
  }
  Result<OpenedBundle> download(const OciReference& reference) {
    const Result<std::unique_ptr<Registry>> registry =
        Registry::open(reference, options_, terms_.clock, terms_.log);
    if (!registry) return registry.error();
    terms_.log.info(0, "Pulling a plugin", {{"source", reference.text()}});
    return open_bundle(**registry, reference.wanted(), architecture_);
  }
  /// The plugin that the tag stood for when the registry responded last.
  Result<CachedPlugin> recall(const OciReference& reference, const Result<OpenedBundle>& failed) {
    const std::string digest =
        reference.digest.empty() ? cache_.recall(reference.text()) : std::string();
    Result<CachedPlugin> before = cached(digest);
    if (!before) return failed.error();
    terms_.log.warning(
        "The registry does not respond; the plugin is that of the last time",
        {{"source", reference.text()}, {"digest", digest}, {"err", failed.error().message()}});
    return before;
  }

  const PullTerms& terms_;
  PluginCache cache_;
  RegistryOptions options_;
  const std::string architecture_ = oci_architecture(own_machine());
  std::set<std::string> used_;
};

}  // namespace

std::string bundle_cache_directory(const Manifest& manifest) {
  if (!manifest.plugin_sources.cache_directory.empty()) {
    return manifest.plugin_sources.cache_directory;
  }
  const std::string state =
      manifest.state_directory.empty() ? default_state_directory() : manifest.state_directory;
  return state.empty() ? "" : state + "/bundles";
}

std::vector<Mistake> pull_plugins(Manifest& manifest, const std::string& file,
                                  const PullTerms& terms) {
  std::vector<Mistake> mistakes;
  if (!manifest.plugins) return mistakes;
  std::optional<Pull> pull;
  for (PluginSettings& plugin : *manifest.plugins) {
    if (plugin.source.empty() || !plugin.enabled) continue;
    if (bundle_cache_directory(manifest).empty()) {
      mistakes.push_back({file, plugin.line, plugin.column,
                          "there is no folder for pulled plugins: set pluginSources.cacheDirectory "
                          "or pass --state-dir"});
      continue;
    }
    if (!pull) pull.emplace(manifest, terms);
    if (const Status s = pull->pull(plugin); !s.ok()) {
      mistakes.push_back(
          {file, plugin.line, plugin.column, "plugin " + plugin.label() + ": " + s.message()});
    }
  }
  if (pull) pull->prune();
  return mistakes;
}

}  // namespace davit::host

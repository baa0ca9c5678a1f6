#include "cli/plugin_delivery.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/plugin_signing.hpp"
#include "cli/rbac_command.hpp"
#include "host/config/plugin_signatures.hpp"
#include "host/loading/declared_config.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/signature.hpp"
#include "host/oci/bundle.hpp"
#include "host/oci/layout.hpp"
#include "host/oci/registry.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

constexpr const char* kReceiptEnding = ".bundle.json";  // NAME.bundle.json beside NAME.so.

int refuse(std::ostream& err, const std::string& text) {
  err << "davit: " << text << "\n";
  return kExitMistakes;
}

int fail(std::ostream& err, const Status& why) {
  err << "davit: " << why.message() << "\n";
  return kExitFailed;
}

/// A repository and everything that its client borrows.
struct OpenRegistry {
  std::unique_ptr<Clock> clock = make_system_clock();
  SilentLogSink sink;
  std::unique_ptr<Registry> client;
};

Result<std::unique_ptr<OpenRegistry>> open_registry(const OciReference& reference,
                                                    const RegistryFlags& flags) {
  auto out = std::make_unique<OpenRegistry>();
  RegistryOptions options;
  options.login_file = flags.login_file.empty() ? docker_config_path() : flags.login_file;
  options.ca_file = flags.ca_file;
  options.connect = flags.connect;
  Result<std::unique_ptr<Registry>> client =
      Registry::open(reference, options, *out->clock, Logger(out->sink));
  if (!client) return client.error();
  out->client = *std::move(client);
  return Result<std::unique_ptr<OpenRegistry>>(std::move(out));
}

std::string abi_of(const PluginDeclaration& declaration) {
  return std::to_string(declaration.abi_major) + "." + std::to_string(declaration.abi_minor);
}

/// Adds the plugin in a file, which may be for another machine than this one. kInvalid: it cannot
/// be in one bundle with the others.
Result<PluginDeclaration> add_plugin(const std::string& path, BundleParts& parts) {
  Result<TrustedFile> file = read_plugin_file(path);
  if (!file) return file.error();
  Result<Judgement> judged = judge_wholly(path, file->content, file->digest, Needs::kLeft);
  if (!judged) return judged.error();
  const PluginDeclaration& declaration = judged->file.declaration;
  for (const Finding& each : judged->file.findings) {
    if (each.grade != Grade::kRefused || each.id == "machine") continue;
    return refuse_plugin(judged->code, path, each.text);
  }
  const bool first = parts.plugins.empty();
  if (!first && (parts.name != declaration.name || parts.version != declaration.version ||
                 parts.abi != abi_of(declaration))) {
    return refuse_plugin(Code::kInvalid, path,
                         "is " + declaration.name + " " + declaration.version + " for ABI " +
                             abi_of(declaration) + ", the first file is " + parts.name + " " +
                             parts.version + " for ABI " + parts.abi);
  }
  parts.name = declaration.name;
  parts.version = declaration.version;
  parts.abi = abi_of(declaration);
  const std::string signed_by = signature_path(path).string();
  const Result<std::string> signature = read_text_file(signed_by);
  if (!signature && signature.error().code() != Code::kNotFound) {
    return signature.error().with_context(signed_by);
  }
  parts.plugins.push_back(
      {judged->file.elf.machine, std::move(file->content), signature.value_or("")});
  return declaration;
}

/// The rights as `davit rbac` prints them, or why they cannot be known.
Result<std::string> rules_of(const PluginDeclaration& declaration) {
  std::vector<DeclaredController> controllers = declaration.controllers;
  for (DeclaredController& each : controllers) {
    if (Status s = apply_config(each, ""); !s.ok()) return s;
  }
  LeaderElectionSettings election;
  election.enabled = false;
  return rbac_yaml(controllers, election, {});
}

std::string manifest_entry(const BundleParts& parts) {
  return "# For `plugins` of the host's manifest, with what davit plugin push printed.\n- name: " +
         parts.name + "\n  source: oci://REGISTRY/" + parts.name + ":" + parts.version +
         "@sha256:DIGEST\n";
}

/// Adds the content of a file that the user named.
Status add_file(const std::string& path, const std::string& name, BundleParts& parts) {
  if (path.empty()) return {};
  Result<std::string> text = read_text_file(path);
  if (!text) return text.error().with_context(path);
  parts.files.push_back({name, *std::move(text)});
  return {};
}

Status add_files(const PluginBundleOptions& options, BundleParts& parts) {
  for (const std::string& each : options.crds) {
    const std::string name = "crds/" + std::filesystem::path(each).filename().string();
    if (Status s = add_file(each, name, parts); !s.ok()) return s;
  }
  if (Status s = add_file(options.config_schema, "config.schema.json", parts); !s.ok()) return s;
  if (options.manifest.empty()) parts.files.push_back({"manifest.yaml", manifest_entry(parts)});
  if (Status s = add_file(options.manifest, "manifest.yaml", parts); !s.ok()) return s;
  return add_file(options.readme, "README.md", parts);
}

/// A tag for a version, which may have a '+'.
std::string tag_of(std::string version) {
  for (char& c : version) {
    if (c == '+') c = '_';
  }
  return is_oci_tag(version) ? version : "latest";
}

/// Either a registry or a layout.
struct OpenSource {
  std::unique_ptr<OpenRegistry> registry;
  OpenedLayout layout;
  OciReference reference;  // With an empty registry for a layout.
  [[nodiscard]] BundleSource& source() { return registry ? *registry->client : *layout.source; }
  [[nodiscard]] const std::string& wanted() const {
    return registry ? reference.wanted() : layout.digest;
  }
};

Result<OpenSource> open_source(const std::string& text, const RegistryFlags& flags) {
  OpenSource out;
  std::error_code ignored;
  if (!text.starts_with("oci://") && std::filesystem::exists(text, ignored)) {
    Result<OpenedLayout> layout = open_layout(text);
    if (!layout) return layout.error();
    out.layout = *std::move(layout);
    return out;
  }
  Result<OciReference> reference = OciReference::parse(text);
  if (!reference) return Status(Code::kMisuse, text + " " + reference.error().message());
  out.reference = *std::move(reference);
  Result<std::unique_ptr<OpenRegistry>> registry = open_registry(out.reference, flags);
  if (!registry) return registry.error();
  out.registry = *std::move(registry);
  return out;
}

/// The condition that a tag does not meet yet: it can be moved to any signed plugin. Empty: none.
std::string refuse_tag(const PluginInstallOptions& options, const SignatureSettings& settings) {
  if (!settings.are_required()) {
    return "a tag can change; add @sha256:DIGEST, or give --public-key, or a --manifest with "
           "pluginSignatures.keys";
  }
  if (!options.files.empty()) {
    return "no signature covers the other files; --files needs @sha256:DIGEST";
  }
  if (!options.name.empty()) return "";
  return "a signature does not say which plugin it is; add @sha256:DIGEST, or --name";
}

/// Checks the bundle as a host would; the error is one line for the user.
Result<std::string> check_bundle(const OpenedBundle& bundle, const std::string& wanted,
                                 const SignatureSettings& settings) {
  const std::string file = bundle.name + ".so";
  const Result<PluginFile> plugin =
      judge_plugin(file, bundle.plugin, bundle.plugin_digest, Needs::kJudged);
  if (!plugin) return plugin.error();
  const PluginDeclaration& declared = plugin->declaration;
  if (declared.name != bundle.name) {
    return refuse_plugin(Code::kInvalid, file, "is the plugin " + declared.name);
  }
  if (!wanted.empty() && declared.name != wanted) {
    return refuse_plugin(Code::kInvalid, file,
                         "is the plugin " + declared.name + ", not " + wanted);
  }
  const SignedPlugin facts{bundle.plugin_digest, declared.name, declared.version};
  Status allowed = check_version(facts, settings);
  if (allowed.ok()) allowed = check_revoked(facts, settings);
  if (!allowed.ok()) return refuse_plugin(allowed.code(), file, allowed.message());
  if (settings.keys.empty()) return std::string();
  if (bundle.signature.empty()) {
    return settings.required ? refuse_plugin(Code::kForbidden, file, "the bundle has no signature")
                             : Result<std::string>(std::string());
  }
  Result<std::string> signer = verify_signature(bundle.signature, facts, settings.keys);
  if (!signer) return refuse_plugin(signer.error().code(), file, signer.error().message());
  return signer;
}

/// Writes the signature first: with an old one, a host that follows the file would refuse it.
Status write_plugin(const std::filesystem::path& directory, const OpenedBundle& bundle,
                    const OciReference& reference) {
  const std::string file = (directory / (bundle.name + ".so")).string();
  if (!bundle.signature.empty()) {
    const Status s = replace_file(file + ".sig", bundle.signature, Readable::kByAll);
    if (!s.ok()) return s;
  } else {
    std::error_code failed;
    std::filesystem::remove(file + ".sig", failed);
    if (failed) return Status(Code::kUnavailable, file + ".sig: " + failed.message());
  }
  if (Status s = replace_file(file, bundle.plugin, Readable::kByAll); !s.ok()) return s;
  const std::string repository =
      reference.registry.empty() ? "" : reference.registry + "/" + reference.repository;
  const std::string receipt = JsonText('{')
                                  .text("repository", repository)
                                  .text("digest", bundle.digest)
                                  .text("version", bundle.version)
                                  .str();
  return replace_file((directory / (bundle.name + kReceiptEnding)).string(), receipt + "\n",
                      Readable::kByAll);
}

Status write_other_files(const std::string& folder, const OpenedBundle& bundle) {
  if (folder.empty()) return {};
  for (const BundleFile& each : bundle.files) {
    const std::string path = (std::filesystem::path(folder) / each.name).string();
    if (Status s = replace_file(path, each.content, Readable::kByAll); !s.ok()) return s;
  }
  return {};
}

/// The version that tag_of() made the tag of.
std::string version_of(std::string tag) {
  std::replace(tag.begin(), tag.end(), '_', '+');
  return tag;
}

/// Only whole versions: "1" and "1.2" move, and pre-releases are for those who ask.
bool is_release(const std::string& tag) {
  const std::string numbers = tag.substr(0, tag.find('_'));
  return tag.find('-') == std::string::npos && std::count(numbers.begin(), numbers.end(), '.') == 2;
}

}  // namespace

std::string newest_above(const std::string& version, const std::vector<std::string>& tags) {
  std::string newest;
  for (const std::string& each : tags) {
    if (!is_release(each)) continue;
    const std::string least = newest.empty() ? version : version_of(newest);
    if (compare_versions(version_of(each), least) == std::strong_ordering::greater) newest = each;
  }
  return newest;
}

namespace {

Status print_outdated(const std::string& name, const Json& receipt, const RegistryFlags& flags,
                      std::ostream& out) {
  const std::string& repository = receipt.text_at({"repository"});
  const std::string& version = receipt.text_at({"version"});
  if (repository.empty()) return {};  // It came from a layout.
  Result<OciReference> reference = OciReference::parse(repository);
  if (!reference) return Status(Code::kInvalid, name + ": its receipt is malformed");
  const Result<std::unique_ptr<OpenRegistry>> registry = open_registry(*reference, flags);
  if (!registry) return registry.error();
  const Result<std::vector<std::string>> tags = (*registry)->client->tags();
  if (!tags) return tags.error();
  reference->tag = newest_above(version, *tags);
  if (reference->tag.empty()) return {};
  const Result<std::string> index = (*registry)->client->document(reference->tag);
  if (!index) return index.error();
  reference->digest = oci_digest(*index);
  out << name << " " << version << " -> " << reference->tag << " oci://" << reference->text()
      << "\n";
  return {};
}

}  // namespace

int run_plugin_bundle(const PluginBundleOptions& options, std::ostream& out, std::ostream& err) {
  BundleParts parts;
  std::optional<PluginDeclaration> declaration;
  for (const std::string& each : options.files) {
    Result<PluginDeclaration> added = add_plugin(each, parts);
    if (!added) return refuse(err, added.error().message());
    declaration = *std::move(added);
  }
  if (!declaration) return refuse(err, "a bundle needs a plugin");
  if (const Result<std::string> rules = rules_of(*declaration)) {
    parts.files.push_back({"rules.yaml", *rules});
  } else {
    err << "davit: note: rules.yaml is left out: " << rules.error().message() << "\n";
  }
  if (Status s = add_files(options, parts); !s.ok()) return refuse(err, s.message());
  const Result<OciArtifact> bundle = make_bundle(parts);
  if (!bundle) return refuse(err, bundle.error().message());
  const Status written = write_layout(options.output, *bundle, tag_of(parts.version));
  if (!written.ok()) return refuse(err, written.message());
  out << options.output << ": " << parts.name << " " << parts.version << ", " << bundle->digest()
      << "\n";
  return kExitGood;
}

int run_plugin_push(const PluginPushOptions& options, std::ostream& out, std::ostream& err) {
  Result<OciReference> reference = OciReference::parse(options.reference);
  if (!reference) return refuse(err, options.reference + " " + reference.error().message());
  const Result<OpenedLayout> layout = open_layout(options.layout);
  if (!layout) return refuse(err, layout.error().message());
  const Result<OciArtifact> bundle = copy_artifact(*layout->source, layout->digest);
  if (!bundle) return refuse(err, options.layout + ": " + bundle.error().message());
  if (!reference->digest.empty() && reference->digest != bundle->digest()) {
    return refuse(err, options.layout + ": is " + bundle->digest() + ", not what is to be pushed");
  }
  const Result<std::unique_ptr<OpenRegistry>> registry =
      open_registry(*reference, options.registry);
  if (!registry) return refuse(err, registry.error().message());
  const Status pushed = (*registry)->client->push(*bundle, reference->tag);
  if (!pushed.ok()) return fail(err, pushed);
  reference->digest = bundle->digest();
  out << "oci://" << reference->text() << "\n";
  return kExitGood;
}

int run_plugin_pull(const PluginPullOptions& options, std::ostream& out, std::ostream& err) {
  const Result<OciReference> reference = OciReference::parse(options.reference);
  if (!reference) return refuse(err, options.reference + " " + reference.error().message());
  const Result<std::unique_ptr<OpenRegistry>> registry =
      open_registry(*reference, options.registry);
  if (!registry) return refuse(err, registry.error().message());
  const Result<OciArtifact> bundle = copy_artifact(*(*registry)->client, reference->wanted());
  if (!bundle) return fail(err, bundle.error());
  const std::string tag = reference->tag.empty() ? "latest" : reference->tag;
  if (Status s = write_layout(options.output, *bundle, tag); !s.ok()) return fail(err, s);
  out << options.output << ": " << bundle->digest() << "\n";
  return kExitGood;
}

int run_plugin_install(const PluginInstallOptions& options, std::ostream& out, std::ostream& err) {
  const std::optional<SignatureSettings> settings =
      read_signature_settings(options.keys, options.manifest, err);
  if (!settings) return kExitMistakes;
  Result<OpenSource> source = open_source(options.source, options.registry);
  if (!source) return refuse(err, source.error().message());
  const bool is_pinned = source->registry == nullptr || !source->reference.digest.empty();
  const std::string why = is_pinned ? "" : refuse_tag(options, *settings);
  if (!why.empty()) return refuse(err, options.source + ": " + why);
  const Result<OpenedBundle> bundle =
      open_bundle(source->source(), source->wanted(), oci_architecture(own_machine()));
  if (!bundle) return fail(err, bundle.error().with_context(options.source));
  const Result<std::string> signer = check_bundle(*bundle, options.name, *settings);
  if (!signer) return refuse(err, signer.error().message());
  const std::filesystem::path directory = options.directory.empty()
                                              ? default_plugin_directory()
                                              : std::filesystem::path(options.directory);
  Status written = write_plugin(directory, *bundle, source->reference);
  if (written.ok()) written = write_other_files(options.files, *bundle);
  if (!written.ok()) return fail(err, written);
  out << (directory / (bundle->name + ".so")).string() << ": " << bundle->name << " "
      << bundle->version << ", " << bundle->digest;
  if (!signer->empty()) out << ", signed with the key " << *signer;
  out << "\n";
  return kExitGood;
}

int run_plugin_outdated(const PluginOutdatedOptions& options, std::ostream& out,
                        std::ostream& err) {
  std::vector<std::string> directories = options.directories;
  if (directories.empty()) directories.push_back(default_plugin_directory().string());
  const Result<std::vector<std::filesystem::path>> paths = list_plugins(directories);
  if (!paths) return refuse(err, paths.error().message());
  int code = kExitGood;
  for (const std::filesystem::path& path : *paths) {
    const std::string name = path.stem().string();
    const Result<std::string> text =
        read_text_file((path.parent_path() / (name + kReceiptEnding)).string());
    if (!text) continue;  // Not installed from a bundle.
    const Result<Json> receipt = parse_json(*text);
    const Status printed = receipt ? print_outdated(name, *receipt, options.registry, out)
                                   : receipt.error().with_context(name + kReceiptEnding);
    if (!printed.ok()) code = fail(err, printed);
  }
  return code;
}

}  // namespace davit::host

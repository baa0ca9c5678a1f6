#include "host/oci/bundle.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "host/config/oci_reference.hpp"
#include "host/loading/digest.hpp"
#include "host/oci/tar.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

Status not_a_bundle(const std::string& why) { return Status(Code::kInvalid, why); }

/// The files of a bundle's layer: plugin and signature first, so that they lie together.
std::string layer_of(const BundleParts& parts, const BundledPlugin& plugin) {
  const std::string library = parts.name + ".so";
  std::vector<ArchivedFile> files = {{library, plugin.content}};
  if (!plugin.signature.empty()) files.push_back({library + ".sig", plugin.signature});
  for (const BundleFile& each : parts.files) files.push_back({each.name, each.content});
  return write_tar(files);
}

/// The files beside the plugin in a bundle (docs/DELIVERY.md, "The content of a bundle").
bool is_bundled_name(std::string_view name) {
  constexpr std::string_view kFolder = "crds/";
  if (name.starts_with(kFolder)) {
    name.remove_prefix(kFolder.size());
    return !name.starts_with('.') && name.find('/') == std::string_view::npos &&
           (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"));
  }
  return name == "rules.yaml" || name == "manifest.yaml" || name == "config.schema.json" ||
         name == "README.md";
}

Status check_name(const std::string& name) {
  if (is_bundled_name(name)) return {};
  return not_a_bundle("a file is called " + short_json_string(name) + ", which no bundle has");
}

Status check_signature_size(const std::string& library, std::string_view signature) {
  constexpr std::size_t kSignatureBytesMax = 4096;  // A host reads no more.
  if (signature.size() <= kSignatureBytesMax) return {};
  return not_a_bundle(library + ".sig is larger than " + std::to_string(kSignatureBytesMax) +
                      " bytes");
}

Status check_parts(const BundleParts& parts) {
  if (parts.plugins.empty()) return not_a_bundle("a bundle needs a plugin");
  std::set<std::uint16_t> machines;
  for (const BundledPlugin& each : parts.plugins) {
    const std::string machine = oci_architecture(each.machine);
    if (machine.empty())
      return not_a_bundle("a plugin is for a machine that bundles have no name for");
    if (!machines.insert(each.machine).second)
      return not_a_bundle("two plugins are for " + machine);
    if (Status s = check_signature_size(parts.name + ".so", each.signature); !s.ok()) return s;
  }
  std::set<std::string> names = {parts.name + ".so", parts.name + ".so.sig"};
  for (const BundleFile& each : parts.files) {
    const std::string why = refuse_archived_name(each.name);
    if (!why.empty()) return not_a_bundle("the name " + json_string(each.name) + " " + why);
    if (!names.insert(each.name).second) return not_a_bundle("two files are called " + each.name);
    if (Status s = check_name(each.name); !s.ok()) return s;
  }
  return {};
}

/// The document that `wanted` names; its digest is compared if that is what it is wanted by.
Result<std::string> take_index(BundleSource& source, const std::string& wanted) {
  Result<std::string> text = source.document(wanted);
  if (!text || !is_oci_digest(wanted)) return text;
  const Status same = check_content(*text, {kOciIndexType, wanted, text->size()});
  return same.ok() ? std::move(text) : Result<std::string>(same);
}

Result<std::string> take_blob(BundleSource& source, const OciDescriptor& descriptor) {
  Result<std::string> bytes = source.blob(descriptor);
  if (!bytes) return bytes;
  const Status same = check_content(*bytes, descriptor);
  return same.ok() ? std::move(bytes) : Result<std::string>(same);
}

Result<std::string> take_manifest(BundleSource& source, const OciDescriptor& descriptor) {
  Result<std::string> text = source.document(descriptor.digest);
  if (!text) return text;
  const Status same = check_content(*text, descriptor);
  return same.ok() ? std::move(text) : Result<std::string>(same);
}

std::string annotation(const OciAnnotations& annotations, const char* key) {
  const auto found = annotations.find(key);
  return found == annotations.end() ? "" : found->second;
}

/// A name that is safe as a file's: letters, digits and marks between them.
bool is_plugin_name(std::string_view name) {
  constexpr std::size_t kBytesMax = 63;
  return !name.empty() && name.size() <= kBytesMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

/// Puts the files of `layer` into `out`, which has the name of the plugin.
Status unpack(std::string_view layer, OpenedBundle& out) {
  const Result<std::vector<ArchivedFile>> files = read_tar(layer);
  if (!files) return files.error();
  const std::string library = out.name + ".so";
  for (const ArchivedFile& each : *files) {
    if (each.name == library) {
      out.plugin = each.content;
    } else if (each.name == library + ".sig") {
      if (Status s = check_signature_size(library, each.content); !s.ok()) return s;
      out.signature = each.content;
    } else {
      if (Status s = check_name(each.name); !s.ok()) return s;
      out.files.push_back({each.name, std::string(each.content)});
    }
  }
  if (out.plugin.empty()) return not_a_bundle("the bundle has no " + library);
  if (sha256_hex(out.plugin) == out.plugin_digest) return {};
  return not_a_bundle(library + " is not the file whose digest the bundle announces");
}

std::string machines_of(const OciIndex& index) {
  std::string out;
  for (const OciIndexEntry& each : index.entries) {
    out += (out.empty() ? "" : ", ") + each.architecture;
  }
  return out.empty() ? "none" : out;
}

/// Reads index and manifest; `layer` gets the descriptor of the files.
Result<BundleFacts> read_documents(BundleSource& source, const std::string& wanted,
                                   const std::string& architecture, OciDescriptor& layer) {
  Result<std::string> text = take_index(source, wanted);
  if (!text) return text.error();
  const Result<OciIndex> index = parse_oci_index(*text);
  if (!index) return index.error();
  const auto entry = std::find_if(index->entries.begin(), index->entries.end(),
                                  [&](const auto& e) { return e.architecture == architecture; });
  if (entry == index->entries.end()) {
    return Status(Code::kNotFound, "the bundle has nothing for " + architecture + ", only for " +
                                       machines_of(*index));
  }
  Result<std::string> manifest_text = take_manifest(source, entry->manifest);
  if (!manifest_text) return manifest_text.error();
  const Result<OciManifest> manifest = parse_oci_manifest(*manifest_text);
  if (!manifest) return manifest.error();
  BundleFacts out;
  out.name = annotation(manifest->annotations, kOciTitle);
  out.version = annotation(manifest->annotations, kOciVersion);
  out.plugin_digest = annotation(manifest->annotations, kPluginDigest);
  if (!is_plugin_name(out.name) || out.plugin_digest.empty()) {
    return not_a_bundle(
        "it is an image, and not a davit bundle: make one with davit plugin bundle");
  }
  layer = manifest->layer;
  out.digest = oci_digest(*text);
  out.index = *std::move(text);
  out.manifest = *std::move(manifest_text);
  return out;
}

}  // namespace

Result<OciArtifact> make_bundle(const BundleParts& parts) {
  if (Status s = check_parts(parts); !s.ok()) return s;
  if (!is_plugin_name(parts.name)) return not_a_bundle("the plugin's name cannot be one of a file");
  OciArtifact out;
  OciIndex index;
  index.annotations = {
      {kOciTitle, parts.name}, {kOciVersion, parts.version}, {kPluginAbi, parts.abi}};
  const auto keep = [&out](const char* type, std::string bytes) {
    OciDescriptor descriptor = describe(type, bytes);
    out.blobs[descriptor.digest] = std::move(bytes);
    return descriptor;
  };
  for (const BundledPlugin& each : parts.plugins) {
    const std::string machine = oci_architecture(each.machine);
    OciManifest manifest;
    manifest.annotations = index.annotations;
    manifest.annotations[kPluginDigest] = sha256_hex(each.content);
    manifest.layer = keep(kOciLayerType, layer_of(parts, each));
    if (manifest.layer.size > OciLimits::kLayerBytes)
      return not_a_bundle("the bundle is too large");
    manifest.config =
        keep(kOciConfigType, oci_config(machine, manifest.layer, manifest.annotations));
    index.entries.push_back({keep(kOciManifestType, to_text(manifest)), machine});
  }
  std::sort(index.entries.begin(), index.entries.end(),
            [](const auto& a, const auto& b) { return a.architecture < b.architecture; });
  out.index = to_text(index);
  return out;
}

Result<BundleFacts> read_facts(BundleSource& source, const std::string& wanted,
                               const std::string& architecture) {
  OciDescriptor unused;
  return read_documents(source, wanted, architecture, unused);
}

Result<OpenedBundle> open_bundle(BundleSource& source, const std::string& wanted,
                                 const std::string& architecture) {
  OciDescriptor layer;
  Result<BundleFacts> facts = read_documents(source, wanted, architecture, layer);
  if (!facts) return facts.error();
  OpenedBundle out;
  static_cast<BundleFacts&>(out) = *std::move(facts);
  const Result<std::string> bytes = take_blob(source, layer);
  if (!bytes) return bytes.error();
  if (Status s = unpack(*bytes, out); !s.ok()) return s;
  return out;
}

Result<OciArtifact> copy_artifact(BundleSource& source, const std::string& wanted) {
  Result<std::string> text = take_index(source, wanted);
  if (!text) return text.error();
  const Result<OciIndex> index = parse_oci_index(*text);
  if (!index) return index.error();
  OciArtifact out;
  std::size_t left = OciLimits::kTotalBytes;
  for (const OciIndexEntry& each : index->entries) {
    Result<std::string> manifest_text = take_manifest(source, each.manifest);
    if (!manifest_text) return manifest_text.error();
    const Result<OciManifest> manifest = parse_oci_manifest(*manifest_text);
    if (!manifest) return manifest.error();
    for (const OciDescriptor& part : {manifest->config, manifest->layer}) {
      if (part.size > left) return not_a_bundle("the bundle has more than 1 GiB");
      left -= part.size;
      Result<std::string> bytes = take_blob(source, part);
      if (!bytes) return bytes.error();
      out.blobs[part.digest] = *std::move(bytes);
    }
    out.blobs[each.manifest.digest] = *std::move(manifest_text);
  }
  if (index->entries.empty()) return not_a_bundle("the bundle is empty");
  out.index = *std::move(text);
  return out;
}

Result<std::string> ArtifactSource::document(const std::string& wanted) {
  if (!is_oci_digest(wanted) || wanted == artifact_.digest()) return artifact_.index;
  return blob({"", wanted, 0});
}

Result<std::string> ArtifactSource::blob(const OciDescriptor& descriptor) {
  const auto found = artifact_.blobs.find(descriptor.digest);
  if (found != artifact_.blobs.end()) return found->second;
  return Status(Code::kNotFound, descriptor.digest + " is missing");
}

}  // namespace davit::host

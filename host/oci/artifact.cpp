#include "host/oci/artifact.hpp"

#include <elf.h>

#include <davit/mutant.hpp>
#include <set>

#include "host/config/oci_reference.hpp"
#include "host/loading/digest.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kAnnotationsMax = 64;
constexpr std::size_t kAnnotationBytesMax = 4096;

Status malformed(const std::string& why) { return Status(Code::kInvalid, why); }

Json json_of(const OciDescriptor& descriptor) {
  return Json::object({{"mediaType", descriptor.media_type},
                       {"digest", descriptor.digest},
                       {"size", static_cast<std::int64_t>(descriptor.size)}});
}

Json json_of(const OciAnnotations& annotations) {
  Json out = Json::object();
  for (const auto& [key, value] : annotations) out.set(key, value);
  return out;
}

/// The object in `text`, of the media type that it claims.
Result<Json> parse_document(std::string_view text, const char* type, const char* what) {
  if (text.size() > OciLimits::kDocumentBytes)
    return malformed(std::string(what) + " is too large");
  JsonFindings findings;
  Result<Json> json = parse_json(text, &findings);
  if (!json || !json->is_object()) return malformed(std::string(what) + " is not a JSON object");
  // Two readers could see two documents.
  if (!findings.duplicates.empty()) return malformed(std::string(what) + " has members twice");
  const std::string& claimed = json->text_at({"mediaType"});
  if (claimed == type) return json;
  return malformed(std::string(what) + " is " +
                   (claimed.empty() ? "without a media type" : short_json_string(claimed)) +
                   ", not a davit bundle: make one with davit plugin bundle");
}

Result<OciDescriptor> parse_descriptor(const Json& json, const char* type, std::size_t bytes_max) {
  OciDescriptor out;
  out.media_type = json.text_at({"mediaType"});
  out.digest = json.text_at({"digest"});
  if (out.media_type != type) {
    return malformed("it refers to " + short_json_string(out.media_type) + " where a bundle has " +
                     type);
  }
  if (!is_oci_digest(out.digest)) {
    return malformed("the digest " + short_json_string(out.digest) + " is not of SHA-256");
  }
  const std::optional<std::int64_t> size = json.get("size").integer();
  if (!size || *size < 0 || static_cast<std::uint64_t>(*size) > bytes_max) {
    return malformed("the size of " + out.digest + " is not within " + std::to_string(bytes_max) +
                     " bytes");
  }
  out.size = static_cast<std::size_t>(*size);
  return out;
}

Result<OciAnnotations> parse_annotations(const Json& json) {
  OciAnnotations out;
  if (json.size() > kAnnotationsMax) return malformed("it has too many annotations");
  for (const Json::Member& each : json.members()) {
    if (!each.value.is_string() || each.value.text().size() > kAnnotationBytesMax) {
      return malformed("the annotation " + short_json_string(each.key) + " is not a short text");
    }
    out[each.key] = each.value.text();
  }
  return out;
}

}  // namespace

std::string oci_digest(std::string_view bytes) { return "sha256:" + sha256_hex(bytes); }

OciDescriptor describe(std::string media_type, std::string_view bytes) {
  return {std::move(media_type), oci_digest(bytes), bytes.size()};
}

Status check_content(std::string_view bytes, const OciDescriptor& descriptor) {
  if (mutant("oci-digest")) return {};
  if (bytes.size() == descriptor.size && oci_digest(bytes) == descriptor.digest) return {};
  return malformed("the content is not " + descriptor.digest + " with " +
                   std::to_string(descriptor.size) + " bytes: it has changed on its way, or its " +
                   "source is not to be trusted");
}

std::string to_text(const OciManifest& manifest) {
  return to_text(Json::object({{"schemaVersion", 2},
                               {"mediaType", kOciManifestType},
                               {"config", json_of(manifest.config)},
                               {"layers", Json::array({json_of(manifest.layer)})},
                               {"annotations", json_of(manifest.annotations)}}));
}

std::string to_text(const OciIndex& index) {
  Json manifests = Json::array();
  for (const OciIndexEntry& each : index.entries) {
    Json entry = json_of(each.manifest);
    entry.set("platform", Json::object({{"architecture", each.architecture}, {"os", "linux"}}));
    manifests.push_back(std::move(entry));
  }
  return to_text(Json::object({{"schemaVersion", 2},
                               {"mediaType", kOciIndexType},
                               {"manifests", std::move(manifests)},
                               {"annotations", json_of(index.annotations)}}));
}

std::string oci_config(std::string_view architecture, const OciDescriptor& layer,
                       const OciAnnotations& labels) {
  return to_text(Json::object(
      {{"architecture", architecture},
       {"os", "linux"},
       {"config", Json::object({{"Labels", json_of(labels)}})},
       {"rootfs", Json::object({{"type", "layers"}, {"diff_ids", Json::array({layer.digest})}})}}));
}

Result<OciManifest> parse_oci_manifest(std::string_view text) {
  const Result<Json> json = parse_document(text, kOciManifestType, "the manifest");
  if (!json) return json.error();
  const Json::Items& layers = json->get("layers").items();
  if (layers.size() != 1) return malformed("the manifest has not one layer, as a bundle has");
  const Result<OciDescriptor> config =
      parse_descriptor(json->get("config"), kOciConfigType, OciLimits::kConfigBytes);
  if (!config) return config.error();
  const Result<OciDescriptor> layer =
      parse_descriptor(layers.front(), kOciLayerType, OciLimits::kLayerBytes);
  if (!layer) return layer.error();
  Result<OciAnnotations> annotations = parse_annotations(json->get("annotations"));
  if (!annotations) return annotations.error();
  return OciManifest{*config, *layer, *std::move(annotations)};
}

Result<OciIndex> parse_oci_index(std::string_view text) {
  const Result<Json> json = parse_document(text, kOciIndexType, "the index");
  if (!json) return json.error();
  OciIndex out;
  std::set<std::string> machines;
  const Json::Items& items = json->get("manifests").items();
  if (items.size() > OciLimits::kMachines) return malformed("the index has too many manifests");
  for (const Json& each : items) {
    if (each.text_at({"platform", "os"}) != "linux") continue;
    const std::string& machine = each.text_at({"platform", "architecture"});
    if (!machines.insert(machine).second) {
      return malformed("the index has two manifests for " + short_json_string(machine));
    }
    const Result<OciDescriptor> manifest =
        parse_descriptor(each, kOciManifestType, OciLimits::kDocumentBytes);
    if (!manifest) return manifest.error();
    out.entries.push_back({*manifest, machine});
  }
  Result<OciAnnotations> annotations = parse_annotations(json->get("annotations"));
  if (!annotations) return annotations.error();
  out.annotations = *std::move(annotations);
  return out;
}

std::string oci_architecture(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "amd64";
    case EM_AARCH64:
      return "arm64";
    case EM_RISCV:
      return "riscv64";
    case EM_PPC64:
      return "ppc64le";
    case EM_S390:
      return "s390x";
    default:
      return "";
  }
}

}  // namespace davit::host

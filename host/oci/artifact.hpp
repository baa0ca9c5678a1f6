/// The documents of an artifact in a registry: an image index, a manifest for each machine, and
/// what they refer to (image-spec v1.1). Pure.
///
/// A bundle is an ordinary image, not an artifact of a special type: the kubelet mounts it as a
/// volume, container runtimes, registries and their mirrors know it.
///
///     index ──▶ manifest amd64 ──▶ config, layer (a tar with the plugin and its files)
///           ──▶ manifest arm64 ──▶ config, layer
///
/// Layers are not compressed: nothing that a registry sends can grow, and the layer has one digest.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

inline constexpr const char* kOciIndexType = "application/vnd.oci.image.index.v1+json";
inline constexpr const char* kOciManifestType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr const char* kOciConfigType = "application/vnd.oci.image.config.v1+json";
inline constexpr const char* kOciLayerType = "application/vnd.oci.image.layer.v1.tar";

/// The annotations of a bundle, on its index and manifests.
inline constexpr const char* kOciTitle = "org.opencontainers.image.title";      ///< Its name.
inline constexpr const char* kOciVersion = "org.opencontainers.image.version";  ///< Its version.
inline constexpr const char* kPluginAbi = "dev.davit.plugin.abi";               ///< "1.0"
inline constexpr const char* kPluginDigest = "dev.davit.plugin.digest";  ///< That of the .so, hex.

/// The largest sizes that are accepted.
struct OciLimits {
  /// The registries' own limit of a manifest (distribution-spec, "Pushing Manifests").
  static constexpr std::size_t kDocumentBytes = std::size_t{4} << 20;
  /// A plugin may have 256 MiB, and its files something beside it.
  static constexpr std::size_t kLayerBytes = std::size_t{272} << 20;
  static constexpr std::size_t kConfigBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMachines = 16;
  /// All that is pulled or read of one bundle: four machines with the largest plugin.
  static constexpr std::size_t kTotalBytes = std::size_t{1} << 30;
};

/// A piece of content, named by its digest.
struct OciDescriptor {
  std::string media_type;
  std::string digest;  ///< "sha256:" and 64 lower-case hex digits.
  std::size_t size = 0;
};

/// The digest of `bytes`, with "sha256:".
[[nodiscard]] std::string oci_digest(std::string_view bytes);
/// The descriptor of `bytes`.
[[nodiscard]] OciDescriptor describe(std::string media_type, std::string_view bytes);
/// kInvalid, in one line: `bytes` are not what the descriptor names.
[[nodiscard]] Status check_content(std::string_view bytes, const OciDescriptor& descriptor);

using OciAnnotations = std::map<std::string, std::string>;

/// The manifest of one machine.
struct OciManifest {
  OciDescriptor config;
  OciDescriptor layer;
  OciAnnotations annotations;
};

/// An entry of an index.
struct OciIndexEntry {
  OciDescriptor manifest;
  std::string architecture;  ///< As Go names it: "amd64".
};

struct OciIndex {
  std::vector<OciIndexEntry> entries;
  OciAnnotations annotations;
};

[[nodiscard]] std::string to_text(const OciManifest& manifest);
[[nodiscard]] std::string to_text(const OciIndex& index);
/// The configuration of an image with one layer, which is not compressed.
[[nodiscard]] std::string oci_config(std::string_view architecture, const OciDescriptor& layer,
                                     const OciAnnotations& labels);

/// kInvalid, in one line: not a manifest of a bundle, or with sizes beyond OciLimits.
[[nodiscard]] Result<OciManifest> parse_oci_manifest(std::string_view text);
/// The same for an index. Entries that are not of Linux, such as attestations, are left out.
[[nodiscard]] Result<OciIndex> parse_oci_index(std::string_view text);

/// The architecture of a machine (EM_*), as Go names it; empty: none that davit knows.
[[nodiscard]] std::string oci_architecture(std::uint16_t machine);

}  // namespace davit::host

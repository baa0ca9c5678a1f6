/// Plugin bundles: making one of files, and taking the part for one machine out of one.
///
/// The files of a bundle, at the top of its layer, so that the image can be mounted or copied as a
/// plugin directory:
///
///     NAME.so, NAME.so.sig         the plugin and its signature
///     crds/*.yaml                  definitions that it needs
///     rules.yaml                   the rights that it needs, as davit rbac prints them
///     manifest.yaml                an entry for the host's manifest
///     config.schema.json           the schema of its configuration
///     README.md
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/oci/artifact.hpp"

namespace davit::host {

/// A place that has the parts of an artifact. It need not be trusted: the functions of this file
/// compare everything with its digest. One thread at a time.
class BundleSource {
 public:
  BundleSource() = default;
  BundleSource(const BundleSource&) = delete;
  BundleSource& operator=(const BundleSource&) = delete;
  virtual ~BundleSource() = default;

  /// The document with this tag or digest, at most OciLimits::kDocumentBytes.
  [[nodiscard]] virtual Result<std::string> document(const std::string& wanted) = 0;
  /// The content that a manifest refers to, at most as long as the descriptor says.
  [[nodiscard]] virtual Result<std::string> blob(const OciDescriptor& descriptor) = 0;
};

/// A whole artifact in memory.
struct OciArtifact {
  std::string index;                         ///< Its text.
  std::map<std::string, std::string> blobs;  ///< Everything else, by digest.

  [[nodiscard]] std::string digest() const { return oci_digest(index); }
};

/// A file of a bundle.
struct BundleFile {
  std::string name;
  std::string content;
};

/// The plugin for one machine.
struct BundledPlugin {
  std::uint16_t machine = 0;  ///< EM_*
  std::string content;        ///< The bytes of the .so.
  std::string signature;      ///< The content of its .sig; may be empty.
};

/// The content of a bundle that is to be made.
struct BundleParts {
  std::string name;
  std::string version;
  std::string abi;                     ///< "1.0"
  std::vector<BundledPlugin> plugins;  ///< One for each machine.
  std::vector<BundleFile> files;       ///< Beside the plugin, for every machine.
};

/// The artifact of these parts; the same parts make the same bytes. kInvalid: no plugin, two for
/// one machine, a machine without a name, or a file whose name may not be.
[[nodiscard]] Result<OciArtifact> make_bundle(const BundleParts& parts);

/// The facts about the plugin of one machine, verified against the digests down from the index.
struct BundleFacts {
  std::string digest;    ///< That of the index.
  std::string index;     ///< The verified documents, as they came.
  std::string manifest;  ///< Likewise.
  std::string name;
  std::string version;
  std::string plugin_digest;  ///< SHA-256 of the .so, hex.
};

/// The part of a bundle for one machine, with its files.
struct OpenedBundle : BundleFacts {
  std::vector<BundleFile> files;  ///< Without the plugin and its signature.
  std::string plugin;             ///< The bytes of NAME.so.
  std::string signature;          ///< The content of NAME.so.sig; empty without such a file.
};

/// Takes the documents from `source`, where the bundle has this tag or digest, and no layer.
/// kInvalid: it is not a bundle, or not what its digests say; kNotFound: there is nothing for this
/// architecture; or the source's error.
[[nodiscard]] Result<BundleFacts> read_facts(BundleSource& source, const std::string& wanted,
                                             const std::string& architecture);

/// The same, with the files.
[[nodiscard]] Result<OpenedBundle> open_bundle(BundleSource& source, const std::string& wanted,
                                               const std::string& architecture);

/// The whole artifact, for every machine, verified; its layers are not read.
[[nodiscard]] Result<OciArtifact> copy_artifact(BundleSource& source, const std::string& wanted);

/// An artifact in memory as a source; its one tag is ignored.
class ArtifactSource final : public BundleSource {
 public:
  /// `artifact` must outlive it.
  explicit ArtifactSource(const OciArtifact& artifact) : artifact_(artifact) {}
  [[nodiscard]] Result<std::string> document(const std::string& wanted) override;
  [[nodiscard]] Result<std::string> blob(const OciDescriptor& descriptor) override;

 private:
  const OciArtifact& artifact_;
};

}  // namespace davit::host

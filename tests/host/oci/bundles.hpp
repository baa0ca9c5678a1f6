/// Bundles for tests, whose plugins are texts.
#pragma once

#include <elf.h>
#include <gtest/gtest.h>

#include <string>

#include "host/oci/bundle.hpp"

namespace davit::host {

inline BundleParts parts_of(const std::string& name, const std::string& version) {
  BundleParts parts;
  parts.name = name;
  parts.version = version;
  parts.abi = "1.0";
  parts.plugins = {{EM_X86_64, "plugin for amd64 " + version, "signature of amd64\n"},
                   {EM_AARCH64, "plugin for arm64 " + version, "signature of arm64\n"}};
  parts.files = {{"README.md", "# " + name + "\n"}, {"crds/greeting.yaml", "kind: X\n"}};
  return parts;
}

inline OciArtifact bundle_of(const BundleParts& parts) {
  const Result<OciArtifact> made = make_bundle(parts);
  EXPECT_TRUE(made) << made.error().message();
  return made ? *made : OciArtifact();
}

/// The artifact with another layer for its first machine, and every digest made right again.
inline OciArtifact with_layer(OciArtifact artifact, const std::string& layer) {
  Result<OciIndex> index = parse_oci_index(artifact.index);
  OciIndexEntry& entry = index->entries.front();
  Result<OciManifest> manifest = parse_oci_manifest(artifact.blobs.at(entry.manifest.digest));
  manifest->layer = describe(kOciLayerType, layer);
  artifact.blobs[manifest->layer.digest] = layer;
  const std::string text = to_text(*manifest);
  entry.manifest = describe(kOciManifestType, text);
  artifact.blobs[entry.manifest.digest] = text;
  artifact.index = to_text(*index);
  return artifact;
}

}  // namespace davit::host

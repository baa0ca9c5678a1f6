#include "host/oci/bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/loading/digest.hpp"
#include "host/oci/tar.hpp"
#include "tests/host/oci/bundles.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Result<OpenedBundle> opened(const OciArtifact& artifact, const std::string& architecture) {
  ArtifactSource source(artifact);
  return open_bundle(source, artifact.digest(), architecture);
}

/// Why it cannot be opened for amd64.
std::string refusal(const OciArtifact& artifact) {
  return opened(artifact, "amd64").error().message();
}

TEST(BundleTest, EachMachineGetsItsPlugin) {
  const OciArtifact artifact = bundle_of(parts_of("greeter", "1.2.0"));

  const Result<OpenedBundle> here = opened(artifact, "amd64");
  const Result<OpenedBundle> there = opened(artifact, "arm64");

  ASSERT_TRUE(here) << here.error().message();
  EXPECT_EQ(here->digest, artifact.digest());
  EXPECT_EQ(here->name, "greeter");
  EXPECT_EQ(here->version, "1.2.0");
  EXPECT_EQ(here->plugin, "plugin for amd64 1.2.0");
  EXPECT_EQ(here->plugin_digest, sha256_hex(here->plugin));
  EXPECT_EQ(here->signature, "signature of amd64\n");
  ASSERT_THAT(here->files, SizeIs(2));
  EXPECT_EQ(here->files[1].name, "crds/greeting.yaml");
  ASSERT_TRUE(there) << there.error().message();
  EXPECT_EQ(there->plugin, "plugin for arm64 1.2.0");
}

TEST(BundleTest, SamePartsMakeTheSameBytes) {
  const OciArtifact once = bundle_of(parts_of("greeter", "1.2.0"));
  const OciArtifact again = bundle_of(parts_of("greeter", "1.2.0"));
  EXPECT_EQ(once.index, again.index);
  EXPECT_EQ(once.blobs, again.blobs);
  EXPECT_NE(once.digest(), bundle_of(parts_of("greeter", "1.2.1")).digest());
}

TEST(BundleTest, ABundleForOtherArchitecturesIsRefused) {
  const Result<OpenedBundle> opened_here =
      opened(bundle_of(parts_of("greeter", "1.2.0")), "riscv64");
  EXPECT_EQ(opened_here.error().code(), Code::kNotFound);
  EXPECT_EQ(opened_here.error().message(),
            "the bundle has nothing for riscv64, only for amd64, arm64");
}

TEST(BundleTest, PartsThatDoNotFitAreRefused) {
  BundleParts parts = parts_of("greeter", "1.2.0");
  parts.plugins[1].machine = EM_X86_64;
  EXPECT_THAT(make_bundle(parts).error().message(), HasSubstr("two plugins are for amd64"));
  parts = parts_of("greeter", "1.2.0");
  parts.files[0].name = "../README.md";
  EXPECT_THAT(make_bundle(parts).error().message(), HasSubstr("leads out of its folder"));
  parts.files[0].name = "greeter.so";
  EXPECT_THAT(make_bundle(parts).error().message(), HasSubstr("two files are called greeter.so"));
  EXPECT_FALSE(make_bundle(parts_of("../greeter", "1.2.0")));
  parts.plugins.clear();
  EXPECT_FALSE(make_bundle(parts));
}

TEST(BundleTest, ContentThatIsNotWhatItsDigestSaysIsRefused) {
  const OciArtifact artifact = bundle_of(parts_of("greeter", "1.2.0"));
  const std::string manifest = parse_oci_index(artifact.index)->entries.front().manifest.digest;
  const std::string layer = parse_oci_manifest(artifact.blobs.at(manifest))->layer.digest;
  for (const std::string& digest : {manifest, layer}) {
    OciArtifact other = artifact;
    other.blobs[digest] += " ";
    EXPECT_THAT(refusal(other), HasSubstr("the content is not " + digest));
  }
  ArtifactSource source(artifact);
  EXPECT_THAT(open_bundle(source, oci_digest("other"), "amd64").error().message(),
              HasSubstr("is missing"));
}

TEST(BundleTest, LayersWithLinksAbsolutePathsAndOtherPluginsAreRefused) {
  const OciArtifact artifact = bundle_of(parts_of("greeter", "1.2.0"));
  std::string link = write_tar({{"greeter.so", ""}});
  link[156] = '2';
  link[153] = static_cast<char>(link[153] + 2);  // The sum grows by two.
  EXPECT_THAT(refusal(with_layer(artifact, link)), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal(with_layer(artifact, write_tar({{"/greeter.so", "x"}}))),
              HasSubstr("is an absolute path"));
  EXPECT_THAT(refusal(with_layer(artifact, write_tar({{"README.md", "x"}}))),
              HasSubstr("the bundle has no greeter.so"));
  EXPECT_THAT(refusal(with_layer(artifact, write_tar({{"greeter.so", "x"}}))),
              HasSubstr("is not the file whose digest the bundle announces"));
  EXPECT_THAT(refusal(with_layer(artifact, "no archive")), HasSubstr("is damaged"));
}

TEST(BundleTest, FilesOfOtherNamesThanABundleHasAreRefused) {
  const BundleParts parts = parts_of("greeter", "1.2.0");
  const OciArtifact artifact = bundle_of(parts);
  const ArchivedFile plugin{"greeter.so", parts.plugins.front().content};
  for (const char* const name : {"crds/a.yaml", "crds/a.yml", "crds/a.json", "rules.yaml",
                                 "manifest.yaml", "config.schema.json", "README.md"}) {
    EXPECT_EQ(refusal(with_layer(artifact, write_tar({plugin, {name, "x"}}))), "") << name;
  }
  for (const char* const name : {"other.so", "other.so.sig", ".bashrc", "index.json", "rules",
                                 "crds/a.so", "crds/.yaml", "crds/b/a.yaml", "a/README.md"}) {
    EXPECT_THAT(refusal(with_layer(artifact, write_tar({plugin, {name, "x"}}))),
                HasSubstr("which no bundle has"))
        << name;
    BundleParts others = parts;
    others.files[0].name = name;
    EXPECT_THAT(make_bundle(others).error().message(), HasSubstr("which no bundle has")) << name;
  }
}

TEST(BundleTest, ASignatureThatIsTooLargeIsRefused) {
  BundleParts parts = parts_of("greeter", "1.2.0");
  const ArchivedFile plugin{"greeter.so", parts.plugins.front().content};
  const auto refusal_of = [&](std::size_t size) {
    const std::string signature(size, 'x');
    return refusal(
        with_layer(bundle_of(parts), write_tar({plugin, {"greeter.so.sig", signature}})));
  };
  EXPECT_EQ(refusal_of(4096), "");
  EXPECT_THAT(refusal_of(4097), HasSubstr("greeter.so.sig is larger than 4096 bytes"));
  parts.plugins.front().signature = std::string(4097, 'x');
  EXPECT_THAT(make_bundle(parts).error().message(), HasSubstr("larger than 4096 bytes"));
}

TEST(BundleTest, DocumentsOfSomethingElseAreRefused) {
  const auto index_refusal = [](const std::string& text) {
    return parse_oci_index(text).error().message();
  };
  const std::string descriptor = R"("digest":"sha256:)" + std::string(64, 'a') + R"(","size":1)";
  EXPECT_THAT(index_refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(index_refusal("{}"), HasSubstr("without a media type"));
  EXPECT_THAT(index_refusal(R"({"mediaType":"application/vnd.oci.image.manifest.v1+json"})"),
              HasSubstr("not a davit bundle"));
  EXPECT_THAT(index_refusal(R"({"mediaType":")" + std::string(kOciIndexType) +
                            R"(","manifests":[],"manifests":[]})"),
              HasSubstr("members twice"));
  EXPECT_THAT(index_refusal(std::string(OciLimits::kDocumentBytes + 1, ' ')),
              HasSubstr("too large"));
  const auto manifest_refusal = [&](const std::string& layers) {
    return parse_oci_manifest(R"({"mediaType":")" + std::string(kOciManifestType) +
                              R"(","config":{"mediaType":")" + kOciConfigType + R"(",)" +
                              descriptor + R"(},"layers":)" + layers + "}")
        .error()
        .message();
  };
  EXPECT_THAT(manifest_refusal("[]"), HasSubstr("not one layer"));
  EXPECT_THAT(manifest_refusal(R"({"a":{}})"), HasSubstr("not one layer"));
  EXPECT_THAT(manifest_refusal("5"), HasSubstr("not one layer"));
  EXPECT_THAT(manifest_refusal(R"([{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip",)" +
                               descriptor + "}]"),
              HasSubstr("refers to \"application/vnd.oci.image.layer.v1.tar+gzip\""));
  const std::string layer = R"([{"mediaType":")" + std::string(kOciLayerType) + R"(",)";
  EXPECT_EQ(manifest_refusal(layer + descriptor + "}]"), "");
  EXPECT_THAT(manifest_refusal(layer + R"("digest":"md5:1","size":1}])"),
              HasSubstr("not of SHA-256"));
  const std::string huge =
      R"("digest":"sha256:)" + std::string(64, 'a') + R"(","size":10737418240}])";
  EXPECT_THAT(manifest_refusal(layer + huge), HasSubstr("is not within"));
}

TEST(BundleTest, ACopyHasEveryMachine) {
  const OciArtifact artifact = bundle_of(parts_of("greeter", "1.2.0"));
  ArtifactSource source(artifact);
  const Result<OciArtifact> copy = copy_artifact(source, artifact.digest());
  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(copy->index, artifact.index);
  EXPECT_EQ(copy->blobs, artifact.blobs);
}

}  // namespace
}  // namespace davit::host

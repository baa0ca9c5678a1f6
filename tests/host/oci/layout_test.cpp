#include "host/oci/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/oci/tar.hpp"
#include "tests/host/oci/bundles.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class LayoutTest : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::string path() const { return (directory_.path() / GetParam()).string(); }

  TempDirectory directory_;
  const OciArtifact artifact_ = bundle_of(parts_of("greeter", "1.2.0"));
};

INSTANTIATE_TEST_SUITE_P(InBothForms, LayoutTest, testing::Values("greeter", "greeter.tar"));

TEST_P(LayoutTest, AnArtifactComesBackAsItWas) {
  ASSERT_TRUE(write_layout(path(), artifact_, "1.2.0").ok());

  const Result<OpenedLayout> layout = open_layout(path());
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->digest, artifact_.digest());
  const Result<OciArtifact> copy = copy_artifact(*layout->source, layout->digest);

  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(copy->index, artifact_.index);
  EXPECT_EQ(copy->blobs, artifact_.blobs);
}

TEST_P(LayoutTest, WhatIsNoLayoutIsNamed) {
  EXPECT_THAT(open_layout(path()).error().message(), HasSubstr(path()));
  (void)directory_.write("greeter.tar", "text");
  (void)directory_.write("greeter/oci-layout", "text");
  EXPECT_FALSE(open_layout(path()));
}

TEST_P(LayoutTest, AnIndexWithoutAListOfArtifactsIsRefused) {
  for (const char* const manifests : {R"({"a":1})", R"("a")", "5", "[]"}) {
    const std::string index = std::string(R"({"manifests":)") + manifests + "}";
    const std::string mark = R"({"imageLayoutVersion":"1.0.0"})";
    (void)directory_.write("greeter/index.json", index);
    (void)directory_.write("greeter/oci-layout", mark);
    (void)directory_.write("greeter.tar", write_tar({{"index.json", index}, {"oci-layout", mark}}));
    EXPECT_THAT(open_layout(path()).error().message(), HasSubstr("has 0 artifacts")) << manifests;
  }
}

TEST(LayoutLinkTest, ALinkInALayoutIsRefused) {
  const TempDirectory directory;
  const OciArtifact artifact = bundle_of(parts_of("greeter", "1.2.0"));
  ASSERT_TRUE(write_layout((directory.path() / "l").string(), artifact, "1").ok());
  const std::string index = directory.read("l/index.json");
  directory.remove("l/index.json");
  std::filesystem::create_symlink(directory.write("elsewhere", index),
                                  directory.path() / "l/index.json");
  EXPECT_THAT(open_layout((directory.path() / "l").string()).error().message(),
              HasSubstr("its index.json cannot be read"));
}

}  // namespace
}  // namespace davit::host

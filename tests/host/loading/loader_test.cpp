#include "host/loading/loader.hpp"

#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class LoaderTest : public testing::Test {
 protected:
  LoaderTest() : staging_(StagingDirectory::create_below(directory_.path())) {}

  Result<std::unique_ptr<LoadedPlugin>> load(const std::string& sample,
                                             const std::string& sha256 = "") {
    return load_plugin(*staging_, copy_sample(directory_, sample, "plugins/p.so"),
                       {.sha256 = sha256});
  }

  /// The error of a sample that is refused, without the test's directory.
  std::string refusal(const std::string& sample) {
    return without_directory(load(sample).error().message(), directory_);
  }

  TempDirectory directory_;
  Result<StagingDirectory> staging_;
};

bool is_mapped(const std::filesystem::path& part) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(part.string()) != std::string::npos) return true;
  }
  return false;
}

TEST_F(LoaderTest, AGoodPluginIsOpenedFromItsCopyAndLeavesWhenClosed) {
  Result<std::unique_ptr<LoadedPlugin>> plugin = load("good");
  ASSERT_TRUE(plugin) << plugin.error().message();
  EXPECT_EQ((*plugin)->declaration().name, "sample");
  ASSERT_NE((*plugin)->init("sample-controller"), nullptr);
  EXPECT_EQ((*plugin)->init("other"), nullptr);
  davit_controller out{};
  EXPECT_EQ((*plugin)->init("sample-controller")(nullptr, nullptr, &out), DAVIT_SKIPPED);
  EXPECT_TRUE(is_mapped(staging_->path()));
  EXPECT_FALSE(is_mapped(directory_.path() / "plugins")) << "never the operator's path";

  plugin->reset();

  EXPECT_FALSE(is_mapped(staging_->path()));
}

TEST_F(LoaderTest, TheSameFileTwiceIsTwoLibraries) {
  const Result<std::unique_ptr<LoadedPlugin>> one = load("good");
  const Result<std::unique_ptr<LoadedPlugin>> two = load("good");
  ASSERT_TRUE(one && two);
  EXPECT_NE((*one)->init("sample-controller"), (*two)->init("sample-controller"));
}

TEST_F(LoaderTest, TheDigestMustBeTheOneThatIsWanted) {
  const std::string wrong(64, '0');
  const Status refused = load("good", wrong).error();
  EXPECT_EQ(refused.code(), Code::kForbidden);
  const std::string digest = read_plugin_file(sample_path("good"))->digest;
  EXPECT_EQ(without_directory(refused.message(), directory_),
            "plugin DIR/plugins/p.so: its SHA-256 digest is " + digest +
                ", the manifest requires " + wrong);
  EXPECT_TRUE(load("good", digest));
}

struct RefusalCase {
  const char* sample;
  const char* want;
};

constexpr RefusalCase kRefusalCases[] = {
    {"no_note", "has no davit note (.note.davit): declare the plugin with DAVIT_NOTE"},
    {"no_entry",
     "does not export davit_plugin_v1(): it is not a davit plugin, or its entry point is hidden"},
    {"two_exports",
     "exports sample_extra besides davit_plugin_v1: link it with a version script, as "
     "davit_plugin() does"},
    {"malformed_note",
     "its davit note is wrong: line 1, column 2: expected a key in double quotes"},
    {"newer_major", "needs ABI 2.0, this host has " DAVIT_ABI_VERSION_TEXT ": use a newer davit"},
    {"newer_minor", "needs ABI 1.9, this host has " DAVIT_ABI_VERSION_TEXT ": use a newer davit"},
    {"unknown_capability",
     "requires davit.teleport/1, which this host does not have: use a newer davit"},
    {"other_row",
     "its table has a controller \"other\" that its note does not declare, or has it twice"},
    {"null_table", "davit_plugin_v1() returned no table"},
    {"small_rows", "davit_plugin_v1() returned a table of impossible size"},
    {"throws", "davit_plugin_v1() threw an exception"},
};

TEST_F(LoaderTest, EachReasonForRefusalIsOneLineThatNamesTheFile) {
  for (const RefusalCase& each : kRefusalCases) {
    EXPECT_EQ(refusal(each.sample), std::string("plugin DIR/plugins/p.so: ") + each.want);
  }
}

TEST_F(LoaderTest, UnresolvedSymbolsAreNamedAtOnce) {
  EXPECT_THAT(refusal("undefined_symbol"), HasSubstr("nobody_defines_this"));
}

TEST_F(LoaderTest, CutFilesAreRefused) {
  const std::string content = sample_content("good");
  const std::string path = directory_.write("cut/p.so", content.substr(0, content.size() / 2));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_THAT(load_plugin(*staging_, path, LoadTerms{}).error().message(),
              HasSubstr("damaged or cut off"));
}

TEST_F(LoaderTest, WorldWritableFilesAreRefusedBeforeAnythingElse) {
  const std::filesystem::path path = copy_sample(directory_, "good", "w/p.so");
  std::filesystem::permissions(path, std::filesystem::perms::all);
  EXPECT_EQ(load_plugin(*staging_, path, LoadTerms{}).error().code(), Code::kForbidden);
}

}  // namespace
}  // namespace davit::host

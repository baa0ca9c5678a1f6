#include "cli/plugin_new.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class PluginNewTest : public testing::Test {
 protected:
  int begin(PluginNewOptions options) {
    if (options.directory.empty()) options.directory = project().string();
    out_.str("");
    err_.str("");
    return run_plugin_new(options, out_, err_);
  }
  [[nodiscard]] fs::path project() const { return directory_.path() / "project"; }
  [[nodiscard]] std::string text(const std::string& file) const {
    std::ostringstream out;
    out << std::ifstream(project() / file).rdbuf();
    return out.str();
  }

  TempDirectory directory_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(PluginNewTest, ProjectIsFilledWithNameAndResource) {
  ASSERT_EQ(begin({.name = "my-hello", .watches = "apps/v1/replicasets"}), 0) << err_.str();
  EXPECT_THAT(text("plugin.cpp"),
              HasSubstr(R"(kResource{"apps", "v1", "replicasets", "ReplicaSet"})"));
  EXPECT_THAT(text("plugin.cpp"), HasSubstr("class MyHelloController"));
  EXPECT_THAT(text("tests/example.yaml"), HasSubstr("apiVersion: apps/v1\nkind: ReplicaSet\n"));
  EXPECT_TRUE(fs::exists(project() / ".gitignore"));
  EXPECT_NE(fs::status(project() / "ci.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
  for (const auto& each : fs::recursive_directory_iterator(project())) {
    if (!each.is_regular_file()) continue;
    const std::string content = text(fs::relative(each.path(), project()).string());
    EXPECT_THAT(content, Not(testing::ContainsRegex("@[A-Z_]+@"))) << each.path();
  }
}

TEST_F(PluginNewTest, KindOfAnUnknownResourceIsGuessedOrGiven) {
  ASSERT_EQ(begin({.name = "a", .watches = "example.com/v1/cacheproxies"}), 0) << err_.str();
  EXPECT_THAT(text("tests/example.yaml"), HasSubstr("kind: Cacheproxy\n"));
  fs::remove_all(project());
  ASSERT_EQ(begin({.name = "a", .watches = "example.com/v1/cacheproxies", .kind = "CacheProxy"}),
            0);
  EXPECT_THAT(text("tests/example.yaml"), HasSubstr("kind: CacheProxy\n"));
}

TEST_F(PluginNewTest, CustomResourceHasItsDefinitionTypesAndAnExampleThatFits) {
  ASSERT_EQ(begin({.name = "a", .watches = "example.com/v1/cacheproxies", .kind = "CacheProxy"}), 0)
      << err_.str();
  EXPECT_THAT(text("crd.yaml"), HasSubstr("name: cacheproxies.example.com\n"));
  EXPECT_THAT(text("crd.yaml"), HasSubstr("singular: cacheproxy, kind: CacheProxy}"));
  EXPECT_THAT(text("CMakeLists.txt"), HasSubstr("davit_codegen(a crd.yaml NAMESPACE types)"));
  EXPECT_THAT(text("plugin.cpp"), HasSubstr("#include \"crd.hpp\""));
  EXPECT_THAT(text("tests/example.yaml"), HasSubstr("spec:\n  size: 1\n"));
  EXPECT_THAT(text("tests/unit_test.cpp"), HasSubstr("cluster.add_file(CRD);"));
  for (const auto& each : fs::recursive_directory_iterator(project())) {
    if (!each.is_regular_file()) continue;
    const std::string content = text(fs::relative(each.path(), project()).string());
    EXPECT_THAT(content, Not(testing::ContainsRegex("@[A-Z_]+@"))) << each.path();
  }
}

TEST_F(PluginNewTest, BuiltInKindHasNoDefinition) {
  ASSERT_EQ(begin({.name = "a", .watches = "networking.k8s.io/v1/ingresses"}), 0) << err_.str();
  EXPECT_FALSE(fs::exists(project() / "crd.yaml"));
  EXPECT_THAT(text("plugin.cpp"), HasSubstr("class Ingress : public ObjectView"));
}

TEST_F(PluginNewTest, ResourcesOfTheClusterHaveNoNamespace) {
  ASSERT_EQ(begin({.name = "a", .language = "c", .watches = "v1/nodes"}), 0) << err_.str();
  EXPECT_THAT(text("tests/unit_test.cpp"), Not(HasSubstr("namespace\":\"default")));
}

TEST_F(PluginNewTest, ProjectInRustIsACargoPackageWithoutFilesForOtherLanguages) {
  ASSERT_EQ(begin({.name = "my-hello", .language = "rust", .watches = "v1/nodes"}), 0);
  EXPECT_THAT(text("Cargo.toml"), HasSubstr("name = \"my-hello\""));
  EXPECT_THAT(text("tests/unit.rs"), HasSubstr("use my_hello::"));
  EXPECT_THAT(text("CMakeLists.txt"), Not(HasSubstr("GTest")));
  EXPECT_THAT(text(".gitignore"), HasSubstr("/.davit"));
  EXPECT_THAT(text("README.md"), HasSubstr("`tests/unit.rs`"));
  EXPECT_FALSE(fs::exists(project() / "tests/unit_test.cpp"));
  for (const auto& each : fs::recursive_directory_iterator(project())) {
    if (!each.is_regular_file()) continue;
    const std::string content = text(fs::relative(each.path(), project()).string());
    EXPECT_THAT(content, Not(testing::ContainsRegex("@[A-Z_]+@"))) << each.path();
  }
}

TEST_F(PluginNewTest, AProviderHasTheLoopBesideItInItsTests) {
  ASSERT_EQ(begin({.name = "my-cloud", .is_provider = true}), 0) << err_.str();
  EXPECT_THAT(text("plugin.cpp"),
              HasSubstr("class MyCloud : public Controller, public CloudProvider"));
  EXPECT_THAT(text("davit.yaml"), HasSubstr("my-cloud: {enabled: true}"));
  EXPECT_THAT(text("tests/unit_test.cpp"), HasSubstr("open_plugin(LOOP)"));
  EXPECT_TRUE(fs::exists(project() / "ci.sh"));
  for (const auto& each : fs::recursive_directory_iterator(project())) {
    if (!each.is_regular_file()) continue;
    const std::string content = text(fs::relative(each.path(), project()).string());
    EXPECT_THAT(content, Not(testing::ContainsRegex("@[A-Z_]+@"))) << each.path();
  }
}

TEST_F(PluginNewTest, AProviderInRustHasTheLoopBesideItInItsTests) {
  ASSERT_EQ(begin({.name = "my-cloud", .language = "rust", .is_provider = true}), 0) << err_.str();
  EXPECT_THAT(text("src/lib.rs"), HasSubstr("impl LoadBalancers for MyCloud"));
  EXPECT_THAT(text("Cargo.toml"), HasSubstr("name = \"my-cloud\""));
  EXPECT_THAT(text("davit.yaml"), HasSubstr("my-cloud: {enabled: true}"));
  EXPECT_THAT(text("tests/unit.rs"), HasSubstr("PluginFile::shipped(\"cloud\")"));
  EXPECT_THAT(text("tests/e2e.sh"), HasSubstr("my-cloud: {enabled: true}"));
  EXPECT_THAT(text("README.md"), HasSubstr("`src/lib.rs`"));
  EXPECT_TRUE(fs::exists(project() / "ci.sh"));
  for (const auto& each : fs::recursive_directory_iterator(project())) {
    if (!each.is_regular_file()) continue;
    EXPECT_NE(each.path().extension(), ".cpp") << each.path();
    const std::string content = text(fs::relative(each.path(), project()).string());
    EXPECT_THAT(content, Not(testing::ContainsRegex("@[A-Z_]+@"))) << each.path();
  }
}

TEST_F(PluginNewTest, MistakesLeaveNothingBehind) {
  const std::pair<PluginNewOptions, const char*> kMistakes[] = {
      {{.name = "Hello"}, "\"Hello\" is not a name for a plugin"},
      {{.name = std::string(41, 'a')}, "at most 40 characters"},
      {{.name = "a", .watches = "pods"},
       "--watches=pods does not name a resource: give VERSION/PLURAL"},
      {{.name = "a", .watches = "apps/v1/Deployments"}, "does not name a resource"},
      {{.name = "a", .watches = "apps/deployments"}, "does not name a resource"},
      {{.name = "a", .watches = "apps/v1gamma1/deployments"}, "does not name a resource"},
      {{.name = "a", .watches = "v1/pod"}, "\"pod\" is not a plural; did you mean pods?"},
      {{.name = "a", .language = "c", .is_provider = true}, "--provider writes C++ or Rust, not C"},
      {{.name = "a", .language = "provider"}, "--lang must be cpp, c or rust, not provider"},
      {{.name = "a", .language = "go"}, "--lang must be cpp, c or rust, not go"},
  };
  for (const auto& [options, message] : kMistakes) {
    EXPECT_EQ(begin(options), 2);
    EXPECT_THAT(err_.str(), HasSubstr(message));
    EXPECT_FALSE(fs::exists(project()));
  }
}

TEST_F(PluginNewTest, FolderThatHoldsSomethingIsLeftAlone) {
  fs::create_directory(project());
  std::ofstream(project() / "plugin.cpp") << "mine";
  EXPECT_EQ(begin({.name = "a"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("already exists: choose another folder with --dir"));
  EXPECT_EQ(text("plugin.cpp"), "mine");
}

TEST_F(PluginNewTest, PlaceThatCannotBeWrittenIsAFailure) {
  std::ofstream(directory_.path() / "file") << "";
  EXPECT_EQ(begin({.name = "a", .directory = (directory_.path() / "file" / "project").string()}),
            1);
  EXPECT_THAT(err_.str(), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace davit::host

#include "cli/cluster_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ClusterObjectsTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return directory_.write(name, text);
  }
  [[nodiscard]] ClusterObjects read(Wanted wanted = Wanted::kAll) const {
    return read_cluster_objects(directory_.path(), wanted);
  }
  static std::vector<std::string> names(const ClusterObjects& objects) {
    std::vector<std::string> out;
    for (const ClusterObject& each : objects.objects) out.push_back(each.name());
    return out;
  }

 private:
  const TempDirectory directory_;
};

constexpr const char* kDefinition =
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    "metadata: {name: apps.example.com}\n";

TEST_F(ClusterObjectsTest, ComeInTheOrderInWhichAServerTakesThem) {
  write("a.json", R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}})");
  write("b.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
  write("below/c.yml", kDefinition);
  write("readme.md", "not an object");
  write(".hidden.yaml", "kind: [");
  const ClusterObjects objects = read();
  EXPECT_THAT(lines_of(objects.mistakes), IsEmpty());
  EXPECT_THAT(names(objects), ElementsAre("apps.example.com", "shop", "web"));
}

TEST_F(ClusterObjectsTest, FileMayHaveSeveralDocumentsAndLists) {
  write("all.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n---\n# nothing\n---\n"
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n"
        "  metadata: {name: two}\n");
  const ClusterObjects objects = read();
  ASSERT_THAT(names(objects), ElementsAre("one", "two"));
  EXPECT_EQ(objects.objects[0].line, 1);
  EXPECT_EQ(objects.objects[1].line, 10);
}

TEST_F(ClusterObjectsTest, MistakesNameFileLineAndRemedy) {
  const std::string file = write("bad.yaml",
                                 "apiVersion: v1\nkind: Pod\nmetadata: {}\n---\n- a\n---\n"
                                 "kind: Pod\nmetadata: {name: web}\n");
  EXPECT_EQ(lines_of(read().mistakes), file + ":3:11: an object needs name, a string\n" + file +
                                           ":5:1: an object is a mapping, not a list\n" + file +
                                           ":7:1: an object needs apiVersion, a string");
}

TEST_F(ClusterObjectsTest, OtherObjectsAmongDefinitionsAreMistakes) {
  const std::string file = write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n");
  EXPECT_EQ(lines_of(read(Wanted::kDefinitions).mistakes),
            file + ":1:1: a Pod is not a CustomResourceDefinition: give it with --objects instead");
}

TEST_F(ClusterObjectsTest, FolderWithoutFilesAndAMissingOneAreMistakes) {
  const std::string empty = write("empty/readme.md", "");
  const std::filesystem::path folder = std::filesystem::path(empty).parent_path();
  EXPECT_EQ(lines_of(read_cluster_objects(folder).mistakes),
            folder.string() + ": has no .yaml, .yml or .json file");
  EXPECT_EQ(lines_of(read_cluster_objects("/nowhere").mistakes),
            "/nowhere: there is no such file or folder");
}

}  // namespace
}  // namespace davit::host

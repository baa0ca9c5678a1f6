/// The example in Rust, loaded from its file and run on the in-memory cluster.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <davit/kube/metadata.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

class ConfigMirrorTest : public ::testing::Test {
 protected:
  ConfigMirrorTest() {
    // Not closed again: Rust's thread-local destructors hold it anyway.
    void* library = dlopen(DAVIT_CONFIG_MIRROR, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    const auto entry = reinterpret_cast<davit_plugin_v1_fn>(dlsym(library, DAVIT_PLUGIN_SYMBOL));
    for (const char* ns : {"home", "team-a", "team-b", "test-1"}) add_namespace(ns);
    const davit_row& row = entry()->rows[0];
    EXPECT_TRUE(cluster_.start(from_c(row.name), row.init).ok());
  }

  void add_namespace(const std::string& name) {
    cluster_.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})");
  }
  void put(const std::string& ns, const std::string& to, const std::string& colour) {
    cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings",)"
                 R"("namespace":")" +
                 ns + R"(","annotations":{"config-mirror.davit.dev/to":")" + to +
                 R"("}},"data":{"colour":")" + colour + R"("}})");
    cluster_.run_until_idle();
  }
  /// data.colour of the object in `ns`; "-" when there is none.
  std::string colour(const std::string& ns) {
    const auto found = cluster_.find<ConfigMap>({ns, "settings"});
    return found ? std::string(found->value()["data"]["colour"].string()) : "-";
  }

  testing::Cluster cluster_;
};

TEST_F(ConfigMirrorTest, CopiesGoWhereTheSourceSaysAndStayEqual) {
  put("home", "team-a, test-*", "red");
  EXPECT_EQ(colour("team-a"), "red");
  EXPECT_EQ(colour("test-1"), "red");
  EXPECT_EQ(colour("team-b"), "-");

  put("home", "team-a, test-*", "blue");
  EXPECT_EQ(colour("team-a"), "blue");

  cluster_.merge<ConfigMap>({"team-a", "settings"}, R"({"data":{"colour":"green"}})");
  cluster_.run_until_idle();
  EXPECT_EQ(colour("team-a"), "blue") << "a copy that was changed by hand";
  EXPECT_TRUE(cluster_.violations().empty());
}

TEST_F(ConfigMirrorTest, NamespacesThatComeLaterGetTheirCopy) {
  put("home", "test-*", "red");
  add_namespace("test-2");
  cluster_.run_until_idle();
  EXPECT_EQ(colour("test-2"), "red");
}

TEST_F(ConfigMirrorTest, CopiesGoWithTheirSourceAndWithItsWish) {
  put("home", "team-a,team-b", "red");
  put("home", "team-b", "red");
  EXPECT_EQ(colour("team-a"), "-");
  EXPECT_EQ(colour("team-b"), "red");

  cluster_.remove<ConfigMap>({"home", "settings"});
  cluster_.run_until_idle();
  EXPECT_EQ(colour("team-b"), "-");
}

TEST_F(ConfigMirrorTest, ObjectsOfOthersAreLeftAlone) {
  put("team-a", "", "own");
  put("home", "team-a", "red");
  EXPECT_EQ(colour("team-a"), "own");
  const std::size_t writes = cluster_.writes().size();
  cluster_.run_until_idle();
  EXPECT_EQ(cluster_.writes().size(), writes);
}

}  // namespace
}  // namespace davit

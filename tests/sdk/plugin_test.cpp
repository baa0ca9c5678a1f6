/// Whole plugins, loaded from their files and run on the in-memory cluster.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <memory>

namespace davit {
namespace {

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

class PluginTest : public ::testing::Test {
 protected:
  const davit_plugin* load(const char* path) {
    library_.reset(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    EXPECT_NE(library_, nullptr) << dlerror();
    const auto entry =
        reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_.get(), DAVIT_PLUGIN_SYMBOL));
    return entry();
  }
  Library library_;  // Closed after the cluster destroyed its controllers.
  testing::Cluster cluster_;
};

TEST_F(PluginTest, NoteOfAnOpenPluginIsReadInEveryLanguage) {
  for (const auto& [file, name] :
       {std::pair(DAVIT_GREETER, "greeter"), std::pair(DAVIT_SWEEPER, "sweeper"),
        std::pair(DAVIT_TALLY, "tally")}) {
    load(file);
    const auto entry =
        reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_.get(), DAVIT_PLUGIN_SYMBOL));
    const auto note = testing::Json::parse(testing::note_of(entry));
    ASSERT_TRUE(note) << file;
    EXPECT_EQ(note->text_at({"name"}), name);
  }
}

TEST_F(PluginTest, TheExampleGreetsPodsThatAskForIt) {
  const davit_plugin* plugin = load(DAVIT_GREETER);
  ASSERT_EQ(plugin->row_count, 1u);
  EXPECT_EQ(from_c(plugin->rows[0].name), "greeter-controller");
  ASSERT_TRUE(cluster_.start("greeter-controller", plugin->rows[0].init).ok());

  cluster_.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "yes"));
  cluster_.add(testing::PodBuilder("shy"));
  cluster_.run_until_idle();

  EXPECT_EQ(cluster_.find<Pod>({"default", "web"})->label("greeting"), "hello");
  EXPECT_EQ(cluster_.find<Pod>({"default", "shy"})->label("greeting"), std::nullopt);
  EXPECT_EQ(cluster_.writes().size(), 1u);
}

TEST_F(PluginTest, TheExampleRefusesRowsThatItDoesNotHave) {
  const davit_plugin* plugin = load(DAVIT_GREETER);

  EXPECT_EQ(cluster_.start("other-controller", plugin->rows[0].init).message(),
            "the plugin has no such controller");
}

TEST_F(PluginTest, APluginInPlainCWorksThroughTheHeaderAlone) {
  const davit_plugin* plugin = load(DAVIT_SWEEPER);
  EXPECT_EQ(plugin->size, sizeof(davit_plugin));
  EXPECT_EQ(plugin->row_size, sizeof(davit_row));
  cluster_.add(testing::PodBuilder("old").annotation("example.davit.dev/sweep", ""));
  cluster_.add(testing::PodBuilder("kept"));

  ASSERT_TRUE(cluster_.start("sweeper-controller", plugin->rows[0].init).ok());
  cluster_.run_until_idle();

  EXPECT_FALSE(cluster_.find<Pod>({"default", "old"}));
  EXPECT_TRUE(cluster_.find<Pod>({"default", "kept"}));
  EXPECT_TRUE(cluster_.violations().empty());
}

}  // namespace
}  // namespace davit

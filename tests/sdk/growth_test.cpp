/// Plugins and hosts of other minors of the ABI: each side reads the members that both know.
///
/// The mock 1.1 has one more member at the end of each struct and table. Its plugins are built
/// against such a header (abi_grown.py); its host is that of the cluster, whose tables and context
/// are copied to larger ones before plugins of 1.0 get them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <list>
#include <memory>
#include <vector>

namespace davit {
namespace {

struct CloseGrownLibrary {
  void operator()(void* library) const { dlclose(library); }
};

/// The host of the mock 1.1.
namespace grown {

constexpr std::size_t kMore = 64;
davit_context host{};                    // The one that is wrapped.
davit_init_fn init{};                    // The plugin's.
std::list<std::vector<std::byte>> kept;  // Tables live as long as the process.

/// A copy of a struct that says its size, with members that the reader does not know.
template <typename T>
T* larger(const void* from) {
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof(size));
  std::vector<std::byte>& bytes = kept.emplace_back(size + kMore, std::byte{0xaa});
  std::memcpy(bytes.data(), from, size);
  size += kMore;
  std::memcpy(bytes.data(), &size, sizeof(size));
  return reinterpret_cast<T*>(bytes.data());
}

const void* capability(const davit_call* call, davit_str id) {
  const void* const table = host.capability(call, id);
  return table == nullptr ? nullptr : larger<const void>(table);
}

std::int32_t start(const davit_call* call, const davit_context* context, davit_controller* out) {
  host = *context;
  auto* const more = larger<davit_context>(context);
  more->abi_minor = DAVIT_ABI_MINOR + 1;
  more->capability = capability;
  return init(call, more, out);
}

}  // namespace grown

class GrowthTest : public ::testing::Test {
 protected:
  davit_init_fn load(const char* path) {
    library_.reset(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    EXPECT_NE(library_, nullptr) << dlerror();
    const auto entry =
        reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_.get(), DAVIT_PLUGIN_SYMBOL));
    plugin_ = entry();
    return plugin_->rows[0].init;
  }
  void expect_greeted() {
    cluster_.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "yes"));
    cluster_.run_until_idle();
    EXPECT_EQ(cluster_.find<Pod>({"default", "web"})->label("greeting"), "hello");
    EXPECT_TRUE(cluster_.violations().empty());
  }
  void expect_swept() {
    cluster_.add(testing::PodBuilder("old").annotation("example.davit.dev/sweep", ""));
    cluster_.run_until_idle();
    EXPECT_FALSE(cluster_.find<Pod>({"default", "old"}));
    EXPECT_TRUE(cluster_.violations().empty());
  }

  std::unique_ptr<void, CloseGrownLibrary> library_;  // Closed after the controllers are destroyed.
  testing::Cluster cluster_;
  const davit_plugin* plugin_ = nullptr;
};

TEST_F(GrowthTest, PluginOf10InCppRunsOnTheHostOf11) {
  grown::init = load(DAVIT_GREETER);
  ASSERT_TRUE(cluster_.start("greeter-controller", grown::start).ok());
  expect_greeted();
}

TEST_F(GrowthTest, PluginOf10InCRunsOnTheHostOf11) {
  grown::init = load(DAVIT_SWEEPER);
  ASSERT_TRUE(cluster_.start("sweeper-controller", grown::start).ok());
  expect_swept();
}

TEST_F(GrowthTest, PluginOf10InRustRunsOnTheHostOf11) {
  grown::init = load(DAVIT_TALLY);
  ASSERT_TRUE(cluster_.start("tally-controller", grown::start).ok());
  cluster_.run_until_idle();
  EXPECT_NE(cluster_.state_of("tally-controller"), "") << "its state side is found";
}

TEST_F(GrowthTest, PluginOf11InCppRunsOnTheHostOf10) {
  const davit_init_fn init = load(DAVIT_GREETER_GROWN);
  EXPECT_GT(plugin_->size, sizeof(davit_plugin));
  ASSERT_TRUE(cluster_.start("greeter-controller", init).ok());
  expect_greeted();
}

TEST_F(GrowthTest, PluginOf11InCRunsOnTheHostOf10) {
  const davit_init_fn init = load(DAVIT_SWEEPER_GROWN);
  EXPECT_GT(plugin_->size, sizeof(davit_plugin));
  ASSERT_TRUE(cluster_.start("sweeper-controller", init).ok());
  expect_swept();
}

TEST(ReadSizedTest, MembersBeyondTheSizeAreZero) {
  davit_queue_v1 whole{};
  whole.size = sizeof(whole);
  whole.open = [](auto*, auto*, auto*) { return davit_code{DAVIT_OK}; };
  whole.failures = [](auto*, davit_handle, davit_str) { return std::uint32_t{0}; };
  davit_queue_v1 shorter = whole;
  shorter.size = offsetof(davit_queue_v1, failures);

  davit_queue_v1 read{};
  read_sized(&shorter, read);

  EXPECT_EQ(read.open, whole.open);
  EXPECT_EQ(read.failures, nullptr);
}

}  // namespace
}  // namespace davit

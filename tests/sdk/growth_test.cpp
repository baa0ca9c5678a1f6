/// Plugins and hosts of other minors of the ABI: each side reads the members that both know.
///
/// The mock 1.1 has one more member at the end of each struct and table. Its plugins are built
/// against such a header (abi_grown.py); its host is that of the cluster, whose tables,
/// context, calls, events and results are copied to larger ones before plugins of 1.0 get them.
/// Plugins of 1.1 get the same copies, which say that they have the size of 1.0.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <list>
#include <memory>
#include <string_view>
#include <vector>

namespace davit {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct CloseGrownLibrary {
  void operator()(void* library) const { dlclose(library); }
};

/// The host of the mock 1.1, or of 1.0 as the mock sees it.
namespace grown {

constexpr std::size_t kMore = 64;
constexpr std::byte kUnknown{0xaa};  // Fills what the reader does not know.
/// The size in copies of structs, which have more bytes in any case.
enum class Says { kSizeOf10, kMore };
Says says = Says::kMore;
constexpr std::string_view kTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";
davit_context host{};                    // The one that is wrapped.
davit_init_fn init{};                    // The plugin's.
std::list<std::vector<std::byte>> kept;  // Tables live as long as the process.

/// A copy of a struct that says its size, with kMore bytes behind it.
template <typename T>
T* larger(const void* from) {
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof(size));
  std::vector<std::byte>& bytes = kept.emplace_back(size + kMore, kUnknown);
  std::memcpy(bytes.data(), from, size);
  if (says == Says::kMore) size += kMore;
  std::memcpy(bytes.data(), &size, sizeof(size));
  return reinterpret_cast<T*>(bytes.data());
}

/// Whether the bytes beyond the struct that larger() copied are as they were.
template <typename T>
bool is_untouched(const T* more) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(more);
  return std::all_of(bytes + sizeof(T), bytes + sizeof(T) + kMore,
                     [](std::byte each) { return each == kUnknown; });
}

// Callbacks of the plugin, which get larger calls, events and results.
std::list<davit_queue_options> queues;
std::list<davit_informer_options> informers;
const davit_queue_v1* queue_table{};
const davit_informer_v1* informer_table{};

davit_code sync(void* self, const davit_call* call, davit_str key, davit_sync_result* result) {
  const auto& queue = *static_cast<const davit_queue_options*>(self);
  auto* const more = larger<davit_sync_result>(result);
  auto* const traced = larger<davit_call>(call);
  traced->trace_id = to_c(kTraceId);
  const davit_code code = queue.sync(queue.self, traced, key, more);
  EXPECT_TRUE(is_untouched(more));
  result->backoff = more->backoff;
  result->again_ms = more->again_ms;
  return code;
}

void on_event(void* self, const davit_call* call, const davit_event* event) {
  const auto& informer = *static_cast<const davit_informer_options*>(self);
  informer.on_event(informer.self, larger<davit_call>(call), larger<davit_event>(event));
}

davit_code open_queue(const davit_call* call, const davit_queue_options* options,
                      davit_handle* out) {
  davit_queue_options own = *options;
  own.self = &queues.emplace_back(*options);
  own.sync = sync;
  return queue_table->open(call, &own, out);
}

davit_code open_informer(const davit_call* call, const davit_informer_options* options,
                         davit_handle* out) {
  davit_informer_options own = *options;
  own.self = &informers.emplace_back(*options);
  own.on_event = on_event;
  return informer_table->open(call, &own, out);
}

const void* capability(const davit_call* call, davit_str id) {
  const void* const table = host.capability(call, id);
  if (table == nullptr) return nullptr;
  if (from_c(id) == "davit.queue/1") {
    queue_table = static_cast<const davit_queue_v1*>(table);
    auto* const more = larger<davit_queue_v1>(table);
    more->open = open_queue;
    return more;
  }
  if (from_c(id) == "davit.informer/1") {
    informer_table = static_cast<const davit_informer_v1*>(table);
    auto* const more = larger<davit_informer_v1>(table);
    more->open = open_informer;
    return more;
  }
  return larger<const void>(table);
}

std::int32_t start(const davit_call* call, const davit_context* context, davit_controller* out) {
  host = *context;
  auto* const more = larger<davit_context>(context);
  if (says == Says::kMore) more->abi_minor = DAVIT_ABI_MINOR + 1;
  more->capability = capability;
  auto* const controller = larger<davit_controller>(out);
  const std::int32_t outcome = init(larger<davit_call>(call), more, controller);
  EXPECT_TRUE(is_untouched(controller));
  const std::uint32_t size = out->size;
  *out = *controller;
  out->size = std::min(size, out->size);
  return outcome;
}

}  // namespace grown

class GrowthTest : public ::testing::Test {
 protected:
  davit_init_fn load(const char* path, grown::Says says) {
    grown::says = says;
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
  void expect_counted() {
    cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap",
                     "metadata":{"name":"a","namespace":"default"}})");
    cluster_.run_until_idle();
    EXPECT_EQ(cluster_.state_of("tally-controller"),
              R"({"counts":[{"key":"default/a","syncs":1}]})");
    ASSERT_EQ(cluster_.log().size(), 1U);
    EXPECT_THAT(cluster_.log()[0].fields, ElementsAre(Pair("trace", grown::kTraceId)));
    EXPECT_TRUE(cluster_.violations().empty());
  }

  std::unique_ptr<void, CloseGrownLibrary> library_;  // Closed after the controllers are destroyed.
  testing::Cluster cluster_;
  const davit_plugin* plugin_ = nullptr;
};

TEST_F(GrowthTest, PluginOf10InCppRunsOnTheHostOf11) {
  grown::init = load(DAVIT_GREETER, grown::Says::kMore);
  ASSERT_TRUE(cluster_.start("greeter-controller", grown::start).ok());
  expect_greeted();
}

TEST_F(GrowthTest, PluginOf10InCRunsOnTheHostOf11) {
  grown::init = load(DAVIT_SWEEPER, grown::Says::kMore);
  ASSERT_TRUE(cluster_.start("sweeper-controller", grown::start).ok());
  expect_swept();
}

TEST_F(GrowthTest, PluginOf10InRustRunsOnTheHostOf11) {
  grown::init = load(DAVIT_TALLY, grown::Says::kMore);
  ASSERT_TRUE(cluster_.start("tally-controller", grown::start).ok());
  expect_counted();
}

TEST_F(GrowthTest, PluginOf11InCppRunsOnTheHostOf10) {
  grown::init = load(DAVIT_GREETER_GROWN, grown::Says::kSizeOf10);
  EXPECT_GT(plugin_->size, sizeof(davit_plugin));
  ASSERT_TRUE(cluster_.start("greeter-controller", grown::start).ok());
  expect_greeted();
}

TEST_F(GrowthTest, PluginOf11InCRunsOnTheHostOf10) {
  grown::init = load(DAVIT_SWEEPER_GROWN, grown::Says::kSizeOf10);
  EXPECT_GT(plugin_->size, sizeof(davit_plugin));
  ASSERT_TRUE(cluster_.start("sweeper-controller", grown::start).ok());
  expect_swept();
}

TEST_F(GrowthTest, PluginOf11InRustRunsOnTheHostOf10) {
  grown::init = load(DAVIT_TALLY_GROWN, grown::Says::kSizeOf10);
  EXPECT_GT(plugin_->size, sizeof(davit_plugin));
  ASSERT_TRUE(cluster_.start("tally-controller", grown::start).ok());
  expect_counted();
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

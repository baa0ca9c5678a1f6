/// Discovery as a controller in C++ sees it, on the in-memory cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace davit {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr const char* kWidget =
    R"({"apiVersion":"example.com/v1","kind":"Widget",
        "metadata":{"namespace":"default","name":"w"}})";

/// Calls `look` in each sync of its one key, which changes of discovery add.
class Explorer final : public Controller {
 public:
  using Look = std::function<void(const Discovery&)>;

  Explorer(Context& context, Look look)
      : discovery_(context.discovery()),
        look_(std::move(look)),
        queue_(context.open_queue({.name = "explorer"}, [this](const Key&) -> Result<Again> {
          look_(discovery_);
          return Again::when_changed();
        })) {
    EXPECT_TRUE(discovery_.wake(queue_, {"", "all"}).ok());
    EXPECT_TRUE(discovery_.wake(queue_, {"", "all"}).ok()) << "repeating it is no error";
  }

 private:
  Discovery discovery_;
  Look look_;
  Queue queue_;
};

class DiscoveryTest : public ::testing::Test {
 protected:
  void start(Explorer::Look look) {
    const Status started = cluster_.start("explorer", [look](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<Explorer>(context, look));
    });
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }
  /// Notes at each change which resources of a group there are.
  void note_resources_of(const std::string& group) {
    start([this, group](const Discovery& discovery) {
      const Result<ServedCatalog> catalog = discovery.catalog();
      ASSERT_TRUE(catalog);
      std::string names;
      for (const ServedResource& each : catalog->resources) {
        if (each.group() == group) names += std::string(each.resource()) + " ";
      }
      seen_.push_back(names);
    });
  }

  testing::Cluster cluster_;
  std::vector<std::string> seen_;
};

TEST_F(DiscoveryTest, AKindLeadsToItsResourceAndBack) {
  start([this](const Discovery& discovery) {
    const Result<ServedResource> sets = discovery.find_kind("apps/v1", "ReplicaSet");
    ASSERT_TRUE(sets) << sets.error().message();
    EXPECT_EQ(sets->resource(), "replicasets");
    EXPECT_TRUE(sets->is_namespaced());
    EXPECT_TRUE(sets->has_verb("watch"));
    EXPECT_FALSE(sets->has_verb("fly"));
    EXPECT_TRUE(sets->has_subresource("scale"));
    const Result<ServedResource> nodes = discovery.find("", "v1", "nodes");
    ASSERT_TRUE(nodes) << nodes.error().message();
    EXPECT_EQ(nodes->kind(), "Node");
    EXPECT_EQ(nodes->api_version(), "v1");
    EXPECT_FALSE(nodes->is_namespaced());
    EXPECT_EQ(discovery.find_kind("apps/v1", "Widget").error().code(), Code::kNotFound);
    EXPECT_EQ(discovery.find("example.com", "", "widgets").error().code(), Code::kNotFound);
    seen_.emplace_back("looked");
  });

  EXPECT_THAT(seen_, Contains("looked"));
}

TEST_F(DiscoveryTest, TheCatalogMarksPreferredVersionsAndHasNoSubresourcesOfItsOwn) {
  start([this](const Discovery& discovery) {
    const Result<ServedCatalog> catalog = discovery.catalog();
    ASSERT_TRUE(catalog);
    for (const ServedResource& each : catalog->resources) {
      EXPECT_EQ(each.resource().find('/'), std::string_view::npos);
      if (each.is_preferred()) seen_.push_back(each.api_version() + " " + std::string(each.kind()));
    }
    EXPECT_THAT(catalog->unknown, IsEmpty());
  });

  EXPECT_THAT(seen_, IsSupersetOf({"v1 Pod", "apps/v1 Deployment", "batch/v1 Job"}));
}

TEST_F(DiscoveryTest, AControllerIsWokenWhenAResourceComesAndWhenItGoes) {
  note_resources_of("example.com");
  ASSERT_THAT(seen_, Each(""));
  seen_.clear();

  cluster_.add(kWidget);
  cluster_.run_until_idle();
  EXPECT_THAT(seen_, ElementsAre("widgets "));

  cluster_.remove_resource("widgets");
  cluster_.run_until_idle();
  EXPECT_THAT(seen_, ElementsAre("widgets ", ""));
}

TEST_F(DiscoveryTest, AChangeOfObjectsDoesNotWakeDiscoverySubscribers) {
  note_resources_of("example.com");
  seen_.clear();

  cluster_.add(testing::PodBuilder("web"));
  cluster_.run_until_idle();

  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(DiscoveryTest, AnotherBuildOfTheControllerIsWokenInsteadOfTheOneBefore) {
  note_resources_of("example.com");
  const auto count = [this](const Discovery&) { seen_.emplace_back("new build"); };
  ASSERT_TRUE(cluster_
                  .swap("explorer",
                        [count](Context& context) -> InitResult {
                          return std::unique_ptr<Controller>(
                              std::make_unique<Explorer>(context, count));
                        })
                  .ok());
  cluster_.run_until_idle();
  seen_.clear();

  cluster_.add(kWidget);
  cluster_.run_until_idle();

  EXPECT_THAT(seen_, ElementsAre("new build"));
}

}  // namespace
}  // namespace davit

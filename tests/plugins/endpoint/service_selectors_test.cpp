#include "plugins/endpoint/service_selectors.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/endpoint/endpoints_fixture.hpp"

namespace davit::endpoint {
namespace {

class ServiceSelectorsTest : public EndpointsTest {
 protected:
  void put(const std::string& name, std::string_view selector) {
    add_service(R"({"spec":{"selector":)" + std::string(selector) + "}}", name);
    selectors_.put(service(name));
  }
  [[nodiscard]] Service service(const std::string& name) {
    return *cluster().find<Service>({"t", name});
  }
  [[nodiscard]] std::set<Key> candidates(const Labels& labels) const {
    return selectors_.candidates("t", labels);
  }

  ServiceSelectors selectors_;
};

TEST_F(ServiceSelectorsTest, AServiceIsACandidateForEachPodThatItSelects) {
  put("one", R"({"app":"a"})");
  put("two", R"({"app":"a","tier":"front"})");

  EXPECT_EQ(candidates({{"app", "a"}, {"tier", "front"}}),
            (std::set<Key>{{"t", "one"}, {"t", "two"}}));
  EXPECT_EQ(candidates({{"app", "b"}, {"tier", "back"}}), std::set<Key>());
  EXPECT_EQ(selectors_.candidates("other", {{"app", "a"}}), std::set<Key>());
}

TEST_F(ServiceSelectorsTest, ALabelThatAllHaveInCommonMakesNoneACandidate) {
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    put("s" + number, R"({"app":"a)" + number + R"(","part-of":"shop"})");
  }

  // The first one found neither of its labels taken.
  EXPECT_LE(candidates({{"app", "a7"}, {"part-of", "shop"}}).size(), 2U);
  EXPECT_TRUE(candidates({{"app", "a7"}, {"part-of", "shop"}}).contains(Key{"t", "s7"}));
}

TEST_F(ServiceSelectorsTest, AChangedSelectorAndADeletionMoveTheService) {
  put("s", R"({"app":"a"})");
  edit_service(R"({"spec":{"selector":{"app":"b"}}})");
  selectors_.put(service("s"));

  EXPECT_EQ(candidates({{"app", "a"}}), std::set<Key>());
  EXPECT_EQ(candidates({{"app", "b"}}), (std::set<Key>{{"t", "s"}}));

  selectors_.erase(service("s"));
  EXPECT_EQ(candidates({{"app", "b"}}), std::set<Key>());
}

TEST_F(ServiceSelectorsTest, AServiceWithoutSelectorIsNoCandidate) {
  put("s", "null");

  EXPECT_EQ(candidates({{"app", "a"}}), std::set<Key>());
}

TEST_F(ServiceSelectorsTest, APodIsFoundByTheSelectorThatTheServiceGotLater) {
  start();
  add_service();
  run_until_idle();
  edit_service(R"({"spec":{"selector":{"app":"b"}}})");
  run_until_idle();

  add_pod("p", "10.0.0.1", R"({"metadata":{"labels":{"app":"b"}}})");
  run_until_idle();

  EXPECT_EQ(subsets(), Texts({"10.0.0.1||http:8080/TCP"}));
}

}  // namespace
}  // namespace davit::endpoint

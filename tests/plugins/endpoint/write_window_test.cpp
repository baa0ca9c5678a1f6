/// Writes of the endpoint controllers with their default configuration.
#include <gmock/gmock.h>

#include "tests/plugins/endpoint/endpoints_fixture.hpp"
#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using std::chrono::milliseconds;

template <typename Fixture>
class EndpointWindowTest : public Fixture {
 protected:
  /// Two pods are ready, the object is written, and no window is open.
  EndpointWindowTest() {
    this->add_pod("p1", "10.0.0.1");
    this->add_pod("p2", "10.0.0.2");
    this->add_service();
    this->start(std::string_view());
    this->advance(std::chrono::seconds(5));
    this->clear_records();
  }

  [[nodiscard]] std::size_t writes() { return this->cluster().writes().size(); }
  void change(const std::string& pod) {
    this->set_ready(pod, "False");
    this->run_until_idle();
  }
};

using Fixtures = ::testing::Types<EndpointsTest, SlicesTest>;
TYPED_TEST_SUITE(EndpointWindowTest, Fixtures);

TYPED_TEST(EndpointWindowTest, AFirstChangeIsWrittenAtOnce) {
  this->change("p1");

  EXPECT_EQ(this->writes(), 1U);
}

TYPED_TEST(EndpointWindowTest, ChangesSoonAfterAWriteAreWrittenTogetherAtTheEndOfItsWindow) {
  this->change("p1");
  this->change("p2");
  this->advance(milliseconds(50));
  this->erase_pod("p1");
  this->run_until_idle();
  EXPECT_EQ(this->writes(), 1U);

  this->advance(milliseconds(49));
  EXPECT_EQ(this->writes(), 1U);
  this->advance(milliseconds(1));
  EXPECT_EQ(this->writes(), 2U);
  this->advance(std::chrono::seconds(5));
  EXPECT_EQ(this->writes(), 2U);
}

TYPED_TEST(EndpointWindowTest, AWriteOfASlowServerOpensALongerWindow) {
  this->cluster().on_request([this](const auto&) { this->cluster().skip(milliseconds(20)); });
  this->change("p1");
  this->change("p2");

  this->advance(milliseconds(379));
  EXPECT_EQ(this->writes(), 1U);
  this->advance(milliseconds(1));
  EXPECT_EQ(this->writes(), 2U);
}

TYPED_TEST(EndpointWindowTest, AnotherServiceDoesNotWait) {
  this->change("p1");
  this->add_service("{}", "other");
  this->run_until_idle();

  EXPECT_EQ(this->writes(), 2U);
}

class RemovalWindowTest : public EndpointWindowTest<EndpointsTest> {};

TEST_F(RemovalWindowTest, EndpointsOfADeletedServiceGoAtOnce) {
  change("p1");
  remove_service();
  run_until_idle();

  EXPECT_FALSE(has_endpoints());
}

TEST_F(RemovalWindowTest, AWindowOutOfItsRangeIsRefused) {
  cluster().stop(kController);
  const Status started =
      cluster().start(kController, &EndpointsController::open, R"({"writeWindow":"1m"})");

  EXPECT_THAT(started.message(),
              ::testing::HasSubstr("writeWindow must be a duration from \"0s\" to \"10s\""));
}

}  // namespace
}  // namespace davit::endpoint

/// A provider with a thread of its own. Ids: docs/spec/cloud.md.
#include <thread>

#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CloudThreadsTest : public CloudFixture {
 protected:
  CloudThreadsTest() { script.opens_waker = true; }
  ~CloudThreadsTest() override { script.waker.reset(); }
  /// A thread that is not the host's has the provider look at a Service.
  void wake(const std::string& key) {
    std::jthread([this, &key] { woken_ = script.waker->wake(Key::parse(key)).ok(); }).join();
    cluster_.run_until_idle();
  }
  bool woken_ = false;
};

TEST_F(CloudThreadsTest, CLD124_AThreadOfTheProviderHasAServiceLookedAt) {
  begin_with_service();
  wake("default/s");
  EXPECT_TRUE(woken_);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
  clear();
  wake("default/none");
  EXPECT_THAT(script.calls, IsEmpty());
}

TEST_F(CloudThreadsTest, CLD124_AThreadThatOutlivesTheProviderWakesNothing) {
  begin_with_service();
  cluster_.stop(kProvider);
  wake("default/s");
  EXPECT_FALSE(woken_);
}

}  // namespace
}  // namespace davit::cloud

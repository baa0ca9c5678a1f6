#include <gtest/gtest.h>

#include <chrono>
#include <davit/write_window.hpp>

namespace davit {
namespace {

using std::chrono::milliseconds;

constexpr Time kBegin{std::chrono::hours(1)};
const Key kWindowed{"default", "web"};

class WriteWindowTest : public ::testing::Test {
 protected:
  WriteWindow window_{milliseconds(100)};
};

TEST_F(WriteWindowTest, AFirstWriteDoesNotWait) {
  EXPECT_EQ(window_.wait(kWindowed, kBegin), Duration::zero());
}

TEST_F(WriteWindowTest, ALaterWriteWaitsForTheEndOfTheWindow) {
  window_.wrote(kWindowed, kBegin);

  EXPECT_EQ(window_.wait(kWindowed, kBegin), milliseconds(100));
  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(30)), milliseconds(70));
  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(100)), Duration::zero());
  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(500)), Duration::zero());
}

TEST_F(WriteWindowTest, ObjectsDoNotWaitForEachOther) {
  window_.wrote(kWindowed, kBegin);

  EXPECT_EQ(window_.wait(Key{"default", "api"}, kBegin), Duration::zero());
  EXPECT_EQ(window_.wait(Key{"other", "web"}, kBegin), Duration::zero());
}

TEST_F(WriteWindowTest, EachWriteOpensTheNextWindow) {
  window_.wrote(kWindowed, kBegin);
  window_.wrote(kWindowed, kBegin + milliseconds(100));

  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(150)), milliseconds(50));
}

TEST_F(WriteWindowTest, AWriteThatDidNotWaitOpensAWindowAsWell) {
  window_.wrote(kWindowed, kBegin);
  window_.wrote(kWindowed, kBegin + milliseconds(50));
  window_.wrote(Key{"default", "api"}, kBegin + milliseconds(110));

  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(120)), milliseconds(30));
}

TEST_F(WriteWindowTest, WindowsThatHaveEndedAreForgotten) {
  for (int i = 0; i < 1000; ++i) {
    window_.wrote(Key{"default", "s" + std::to_string(i)}, kBegin + milliseconds(i));
  }

  EXPECT_EQ(window_.size(), 100U);
}

TEST_F(WriteWindowTest, AWriteThatTookLongOpensALongerWindowWithinABound) {
  window_.wrote(kWindowed, kBegin, milliseconds(4));
  EXPECT_EQ(window_.wait(kWindowed, kBegin), milliseconds(100));

  window_.wrote(kWindowed, kBegin, milliseconds(20));
  EXPECT_EQ(window_.wait(kWindowed, kBegin), milliseconds(400));

  window_.wrote(kWindowed, kBegin, milliseconds(700));
  EXPECT_EQ(window_.wait(kWindowed, kBegin), milliseconds(1000));
}

TEST_F(WriteWindowTest, ALongWindowOutlivesShorterOnesThatWereOpenedLater) {
  window_.wrote(kWindowed, kBegin, milliseconds(20));
  window_.wrote(Key{"default", "api"}, kBegin + milliseconds(50));
  window_.wrote(Key{"default", "db"}, kBegin + milliseconds(200));

  EXPECT_EQ(window_.size(), 2U);
  EXPECT_EQ(window_.wait(kWindowed, kBegin + milliseconds(200)), milliseconds(200));
}

TEST(WriteWindowOfNoLengthTest, NoWriteWaitsAndNoneIsRemembered) {
  WriteWindow window(Duration::zero());
  window.wrote(kWindowed, kBegin, std::chrono::seconds(1));

  EXPECT_EQ(window.wait(kWindowed, kBegin), Duration::zero());
  EXPECT_EQ(window.size(), 0U);
}

}  // namespace
}  // namespace davit

#include "lib/base/line_pipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits.h>

#include "lib/base/child_process.hpp"
#include "lib/base/write_all.hpp"

namespace davit {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class LinePipeTest : public testing::Test {
 protected:
  std::vector<std::string> take() { return reader_.take(milliseconds(0)); }

  Pipe pipe_ = std::move(*Pipe::open());
  LineReader reader_{pipe_.read.get()};
  const LineWriter writer_{pipe_.write.get()};
};

TEST_F(LinePipeTest, LineIsTakenOnceItIsWhole) {
  ASSERT_TRUE(write_all(pipe_.write.get(), "one\ntw"));
  EXPECT_THAT(take(), ElementsAre("one"));
  ASSERT_TRUE(write_all(pipe_.write.get(), "o\n"));
  EXPECT_THAT(take(), ElementsAre("two"));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_FALSE(reader_.ended());
}

TEST_F(LinePipeTest, TextAfterTheLastLineBreakIsALineAtTheEnd) {
  ASSERT_TRUE(write_all(pipe_.write.get(), "one\ntwo"));
  pipe_.write.reset();
  EXPECT_THAT(take(), ElementsAre("one", "two"));
  EXPECT_TRUE(reader_.ended());
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(LinePipeTest, LineWithoutEndIsCut) {
  const std::string piece(4096, 'x');
  std::vector<std::string> taken;
  std::size_t written = 0;
  while (taken.empty() && written < (std::size_t{1} << 20)) {
    ASSERT_TRUE(write_all(pipe_.write.get(), piece));
    written += piece.size();
    taken = take();
  }
  EXPECT_THAT(taken, ElementsAre(std::string(written, 'x')));
  EXPECT_EQ(written, std::size_t{1} << 16);
}

TEST_F(LinePipeTest, WriterKeepsALineInOnePiece) {
  writer_.say("failed", "first\nsecond");
  writer_.say("log", std::string(2 * PIPE_BUF, 'x'));
  EXPECT_THAT(take(), ElementsAre("failed first second", "log " + std::string(PIPE_BUF - 5, 'x')));
}

}  // namespace
}  // namespace davit

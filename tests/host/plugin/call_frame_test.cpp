#include "host/plugin/call_frame.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "host/object/parse.hpp"

namespace davit::host {
namespace {

class CallFrameTest : public ::testing::Test {
 protected:
  ObjectRef object(const std::string& name) {
    return *parse_object(space_, R"({"metadata":{"name":")" + name + R"("}})");
  }
  static std::string_view name_of(davit_value value) {
    return Value(value)["metadata"]["name"].string();
  }

  ObjectSpace space_;
  // Frames only compare addresses.
  std::array<char, 2> addresses_{};
  const davit_host* const host_ = reinterpret_cast<const davit_host*>(&addresses_[0]);
  const davit_host* const other_ = reinterpret_cast<const davit_host*>(&addresses_[1]);
};

TEST_F(CallFrameTest, FrameIsFoundByItsOwnControllerOnItsOwnThreadOnly) {
  EXPECT_EQ(CallFrame::current(host_), nullptr);
  CallFrame frame(host_, Phase::kSync, "default/web", {});

  EXPECT_EQ(CallFrame::current(host_), &frame);
  EXPECT_EQ(CallFrame::current(other_), nullptr);
  std::jthread([this] { EXPECT_EQ(CallFrame::current(host_), nullptr); }).join();
  EXPECT_EQ(frame.key(), "default/web");
  EXPECT_EQ(frame.phase(), Phase::kSync);
}

TEST_F(CallFrameTest, InnermostFrameCounts) {
  CallFrame outer(host_, Phase::kSync, {}, {});
  {
    CallFrame inner(other_, Phase::kProbe, {}, {});
    EXPECT_EQ(CallFrame::current(host_), nullptr);
    EXPECT_EQ(CallFrame::current(other_), &inner);
  }
  EXPECT_EQ(CallFrame::current(host_), &outer);
}

TEST_F(CallFrameTest, LentObjectsListsAndTextsStayWhereTheyAre) {
  CallFrame frame(host_, Phase::kSync, {}, {});
  std::vector<davit_value> values;
  std::vector<davit_list> lists;
  std::vector<davit_str> texts;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "n" + std::to_string(i);
    values.push_back(frame.lend(object(name), kFullMask));
    lists.push_back(frame.lend(std::vector<ObjectRef>{object(name), object(name)}, kFullMask));
    texts.push_back(frame.lend(name));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string name = "n" + std::to_string(i);
    EXPECT_EQ(name_of(values[i]), name);
    ASSERT_EQ(lists[i].count, 2u);
    EXPECT_EQ(name_of(lists[i].items[1]), name);
    EXPECT_EQ(view(texts[i]), name);
  }
}

TEST_F(CallFrameTest, LastErrorTextWins) {
  CallFrame frame(host_, Phase::kSync, {}, {});
  EXPECT_EQ(frame.error(), "");
  frame.set_error("first");
  frame.set_error("second");
  EXPECT_EQ(frame.error(), "second");
}

TEST_F(CallFrameTest, TextWithoutDataIsEmptyWhateverItsSize) {
  EXPECT_EQ(view(davit_str{nullptr, 7}), "");
  EXPECT_EQ(view(davit_str{"text", 2}), "te");
}

}  // namespace
}  // namespace davit::host

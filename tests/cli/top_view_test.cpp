#include "cli/top_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A host with everything: "c0", "c1", … with rising numbers of errors.
Json large_status(int controllers) {
  Json status = Json::object({{"version", "1"}, {"time", "T"}});
  for (const char* list : {"controllers", "informers", "plugins"}) {
    Json items = Json::array();
    for (int i = 0; i < controllers; ++i) {
      const std::string name = list[0] + std::to_string(i);
      items.push_back(Json::object({{"name", name}, {"resource", name}, {"errors", i}}));
    }
    status.set(list, std::move(items));
  }
  return status;
}

constexpr StatusTextOptions kTerminal{.rows_max = 41, .columns_max = 120};

std::string frame_after(std::initializer_list<TopKey> keys, const Json& status) {
  TopView view;
  std::string text = view.frame(status, kTerminal);
  for (const TopKey each : keys) {
    view.press(each);
    text = view.frame(status, kTerminal);
  }
  return text;
}

TEST(TopViewTest, InformersAreShownOn120Times42) {
  const std::string text = frame_after({}, large_status(24));

  EXPECT_THAT(text, HasSubstr("\nc23 "));
  EXPECT_THAT(text, HasSubstr("\nINFORMER "));
  EXPECT_THAT(text, HasSubstr("\ni9 "));
  EXPECT_EQ(std::ranges::count(text, '\n'), 41);
}

TEST(TopViewTest, ArrowsAndPagesScrollWithinTheText) {
  const Json status = large_status(24);

  EXPECT_THAT(frame_after({TopKey::kDown, TopKey::kDown}, status), Not(HasSubstr("CONTROLLER")));
  EXPECT_EQ(frame_after({TopKey::kDown, TopKey::kUp}, status), frame_after({}, status));
  EXPECT_EQ(frame_after({TopKey::kUp}, status), frame_after({}, status)) << "the top";
  EXPECT_THAT(frame_after({TopKey::kPageDown}, status), HasSubstr("\nPLUGIN "));
  const std::string end = frame_after({TopKey::kLast}, status);
  EXPECT_THAT(end, HasSubstr("\np23"));
  EXPECT_EQ(std::ranges::count(end, '\n'), 41);
  EXPECT_EQ(frame_after({TopKey::kLast, TopKey::kDown, TopKey::kPageDown}, status), end);
  EXPECT_EQ(
      frame_after({TopKey::kPageDown, TopKey::kPageDown, TopKey::kPageUp, TopKey::kPageUp}, status),
      frame_after({}, status));
  EXPECT_EQ(frame_after({TopKey::kLast, TopKey::kFirst}, status), frame_after({}, status));
}

TEST(TopViewTest, AStatusThatShrinksLeavesNoEmptyWindow) {
  TopView view;
  (void)view.frame(large_status(24), kTerminal);
  view.press(TopKey::kLast);

  EXPECT_THAT(view.frame(large_status(2), kTerminal), HasSubstr("\nc0 "));
}

TEST(TopViewTest, TheHeadStaysAndTheLastLineSaysTheKeys) {
  const std::string text = frame_after({TopKey::kLast}, large_status(24));

  EXPECT_TRUE(text.starts_with("davit 1 "));
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_THAT(last, HasSubstr("q: quit"));
  EXPECT_LE(last.size(), 121U);
}

TEST(TopViewTest, TheKeyTogglesTheColumnThatSorts) {
  const Json status = large_status(3);
  TopView view;
  EXPECT_THAT(view.frame(status, kTerminal), testing::ContainsRegex("c0.*\nc1.*\nc2"));

  std::string text;
  for (int i = 0; i < 8; ++i) view.press(TopKey::kSort);
  text = view.frame(status, kTerminal);
  EXPECT_THAT(text, HasSubstr("ERRORS▼"));
  EXPECT_THAT(text, testing::ContainsRegex("c2.*\nc1.*\nc0"));

  view.press(TopKey::kSort);
  view.press(TopKey::kSort);
  text = view.frame(status, kTerminal);
  EXPECT_THAT(text, Not(HasSubstr("▼")));
  EXPECT_THAT(text, testing::ContainsRegex("c0.*\nc1.*\nc2"));
}

TEST(TopViewTest, ATinyTerminalShowsWhatFits) {
  for (std::size_t rows = 1; rows < 5; ++rows) {
    TopView view;
    EXPECT_LE(std::ranges::count(view.frame(large_status(3), {.rows_max = rows}), '\n'),
              static_cast<std::ptrdiff_t>(std::max<std::size_t>(rows, 3)));
  }
}

TEST(TopKeyDecoderTest, KnowsTheKeysOfTerminals) {
  TopKeyDecoder decoder;

  EXPECT_THAT(decoder.read("qsjk"),
              ElementsAre(TopKey::kQuit, TopKey::kSort, TopKey::kDown, TopKey::kUp));
  EXPECT_THAT(
      decoder.read("\033[A\033OB\033[5~\033[6~\033[4~"),
      ElementsAre(TopKey::kUp, TopKey::kDown, TopKey::kPageUp, TopKey::kPageDown, TopKey::kLast));
}

TEST(TopKeyDecoderTest, ASequenceMayArriveByteByByte) {
  TopKeyDecoder decoder;
  std::vector<TopKey> keys;
  for (const char c : std::string("\033[6~q")) {
    for (const TopKey each : decoder.read({&c, 1})) keys.push_back(each);
  }
  EXPECT_THAT(keys, ElementsAre(TopKey::kPageDown, TopKey::kQuit));
}

TEST(TopKeyDecoderTest, UnknownKeysMeanNothingAndTheirLettersNeither) {
  TopKeyDecoder decoder;

  EXPECT_THAT(decoder.read("x\033[1;5D\033[24~\033q\t"), IsEmpty());
  EXPECT_THAT(decoder.read("\033[" + std::string(100, '1')), Not(testing::Contains(TopKey::kQuit)));
  EXPECT_THAT(decoder.read("\033"), IsEmpty());
  EXPECT_THAT(decoder.read("\033[B"), ElementsAre(TopKey::kDown)) << "after a lone escape";
}

}  // namespace
}  // namespace davit::host

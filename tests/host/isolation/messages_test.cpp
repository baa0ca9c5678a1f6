#include "host/isolation/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace davit::host {
namespace {

std::vector<ChildMessage> child_messages() {
  return {Locked{1, 6, true},
          Ready{},
          LogLine{ChildSeverity::kError, "größer"},
          ControllerReport{"greeter", "running", 7, false, "the queue is stuck"},
          ControllerReport{"greeter", "filling", 0, true, ""},
          Connect{7, "api.example.com", 443},
          Connect{8, "fd00::1", 65535},
          Drained{},
          Failed{"no server responds"},
          AnswerPart{3, std::string("\xff\0x", 3)},
          Answer{3, 200, 4, "text/plain"}};
}

std::vector<HostMessage> host_messages() {
  return {Token{"header.payload.signature"},
          MayWrite{UINT64_MAX},
          Connected{7, ""},
          Connected{7, "connection refused"},
          AskPart{5, std::string("\xff\0x", 3)},
          Ask{5, AskKind::kReadState, "greeter", 4},
          Drain{}};
}

template <typename Decode, typename Message>
void expect_all_cuts_refused(const Decode& decode, const Message& message) {
  const std::string frame = encode(message);
  for (std::size_t length = 0; length < frame.size(); length += length < 64 ? 1 : 997) {
    EXPECT_FALSE(decode(frame.substr(0, length))) << length << " of " << frame.size();
  }
  EXPECT_FALSE(decode(frame + '\0'));
}

TEST(IsolationMessagesTest, EveryMessageOfTheChildIsReadAsItWasWritten) {
  for (const ChildMessage& each : child_messages()) {
    const auto read = decode_child_message(encode(each));
    ASSERT_TRUE(read) << each.index();
    EXPECT_TRUE(*read == each) << each.index();
  }
}

TEST(IsolationMessagesTest, EveryMessageOfTheHostIsReadAsItWasWritten) {
  for (const HostMessage& each : host_messages()) {
    const auto read = decode_host_message(encode(each));
    ASSERT_TRUE(read) << each.index();
    EXPECT_TRUE(*read == each) << each.index();
  }
}

TEST(IsolationMessagesTest, TheSamplesHaveEveryKind) {
  std::vector<bool> child(std::variant_size_v<ChildMessage>);
  for (const ChildMessage& each : child_messages()) child[each.index()] = true;
  std::vector<bool> host(std::variant_size_v<HostMessage>);
  for (const HostMessage& each : host_messages()) host[each.index()] = true;
  EXPECT_EQ(child, std::vector<bool>(child.size(), true));
  EXPECT_EQ(host, std::vector<bool>(host.size(), true));
}

TEST(IsolationMessagesTest, NoFrameIsReadBeforeItsEndOrBeyond) {
  for (const ChildMessage& each : child_messages()) {
    expect_all_cuts_refused(decode_child_message, each);
  }
  for (const HostMessage& each : host_messages()) {
    expect_all_cuts_refused(decode_host_message, each);
  }
}

TEST(IsolationMessagesTest, AnyOneByteThatChangesMakesAnotherMessageOrNone) {
  for (const ChildMessage& message : child_messages()) {
    const std::string frame = encode(message);
    if (frame.size() > 1024) continue;
    for (std::size_t at = 0; at < frame.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = frame;
        changed[at] = static_cast<char>(value);
        const auto read = decode_child_message(changed);
        if (read) {
          EXPECT_EQ(encode(*read), changed);
        }
      }
    }
  }
}

struct Hostile {
  const char* name;
  std::string frame;
};

std::string u32(std::uint32_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

// The kinds by their index in ChildMessage.
const std::string kLog(1, 2), kReport(1, 3), kConnect(1, 4), kPart(1, 7), kAnswer(1, 8);

std::string connect(const std::string& server, const std::string& port) {
  return kConnect + u32(1) + u32(static_cast<std::uint32_t>(server.size())) + server + port;
}

class HostileFrameTest : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileFrameTest, IsRefused) {
  const auto read = decode_child_message(GetParam().frame);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), Code::kInvalid);
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileFrameTest,
    ::testing::Values(Hostile{"Empty", ""}, Hostile{"UnknownKind", std::string(1, 9)},
                      Hostile{"LargestKind", std::string(1, '\xff')},
                      Hostile{"LongerThanAFrame", std::string(kFrameBytesMax + 1, 5)},
                      Hostile{"LengthBeyondTheFrame", kLog + '\0' + u32(0xffffffff) + "x"},
                      Hostile{"LogLineBeyondItsLimit", kLog + '\0' + u32(kLogLineBytesMax + 1) +
                                                           std::string(kLogLineBytesMax + 1, 'x')},
                      Hostile{"SeverityThatIsNone", kLog + '\3' + u32(1) + "x"},
                      Hostile{"LogLineThatIsNotUtf8", kLog + '\0' + u32(1) + "\xff"},
                      Hostile{"BooleanOfTwo",
                              kReport + u32(1) + "a" + u32(1) + "b" + u32(0) + '\2' + u32(0)},
                      Hostile{"HealthyWithAReason",
                              kReport + u32(1) + "a" + u32(1) + "b" + u32(0) + '\1' + u32(1) + "b"},
                      Hostile{"UnhealthyWithoutAReason",
                              kReport + u32(1) + "a" + u32(1) + "b" + u32(0) + '\0' + u32(0)},
                      Hostile{"ServerWithoutAName", connect("", "\1\1")},
                      Hostile{"ServerWithASlash", connect("a/b", "\1\1")},
                      Hostile{"ServerWithAUser", connect("a@b", "\1\1")},
                      Hostile{"ServerWithALineBreak", connect("a\nb", "\1\1")},
                      Hostile{"PortZero", connect("a", std::string(2, '\0'))},
                      Hostile{"PartWithoutBytes", kPart + u32(1) + u32(0)},
                      Hostile{"PartBeyondItsLimit", kPart + u32(1) + u32(kPartBytesMax + 1) +
                                                        std::string(kPartBytesMax + 1, 'x')},
                      Hostile{"StatusThatHttpDoesNotHave",
                              kAnswer + u32(1) + std::string(2, '\0') + u32(0) + u32(0)}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace davit::host

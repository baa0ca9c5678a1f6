#include "host/isolation/frame_channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "host/isolation/messages.hpp"
#include "lib/base/child_process.hpp"

namespace davit::host {
namespace {

using Descriptors = FrameChannel::Descriptors;

class FrameChannelTest : public ::testing::Test {
 protected:
  FrameChannelTest() : FrameChannelTest(FrameChannel::open().value()) {}
  explicit FrameChannelTest(FrameChannel::Pair&& pair)
      : host_(std::move(pair.host)), child_(std::move(pair.child)) {}

  /// Sends what a child may send that does not keep to the class: so many copies of a descriptor.
  void send_descriptors(std::size_t count) const {
    std::string byte = "x";
    iovec bytes{byte.data(), byte.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(count * sizeof(int));
    for (std::size_t i = 0; i < count; ++i) {
      const int descriptor = child_.fd();
      std::memcpy(CMSG_DATA(first) + i * sizeof(int), &descriptor, sizeof descriptor);
    }
    ASSERT_EQ(sendmsg(child_.fd(), &header, 0), 1);
  }

  /// The lowest free descriptor: that nothing stays open shows by it.
  static int next_descriptor() {
    const UniqueFd probe(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return probe.get();
  }

  FrameChannel host_;
  FrameChannel child_;
};

TEST_F(FrameChannelTest, FramesArriveWholeAndInOrder) {
  const std::string large(kFrameBytesMax, 'x');
  ASSERT_TRUE(child_.send("a").ok());
  ASSERT_TRUE(child_.send(large).ok());
  EXPECT_EQ(host_.receive(Descriptors::kRefused).value()->frame, "a");
  EXPECT_EQ(host_.receive(Descriptors::kRefused).value()->frame, large);
  EXPECT_FALSE(host_.receive(Descriptors::kRefused).value().has_value());
}

TEST_F(FrameChannelTest, SideThatDoesNotReadNeverBlocksTheOther) {
  const std::string large(kFrameBytesMax, 'x');
  Status last;
  for (int i = 0; i < 1000 && last.ok(); ++i) last = host_.send(large);
  EXPECT_EQ(last.code(), Code::kUnavailable);
  ASSERT_TRUE(child_.receive(Descriptors::kRefused).value().has_value());
  EXPECT_TRUE(host_.send("a").ok());
}

TEST_F(FrameChannelTest, EndOfTheOtherSideIsSeenAfterItsLastFrame) {
  ASSERT_TRUE(child_.send("last words").ok());
  { const FrameChannel ended = std::move(child_); }
  EXPECT_EQ(host_.receive(Descriptors::kRefused).value()->frame, "last words");
  EXPECT_EQ(host_.receive(Descriptors::kRefused).error().code(), Code::kCancelled);
  EXPECT_EQ(host_.send("a").code(), Code::kCancelled);
}

TEST_F(FrameChannelTest, PacketLongerThanAFrameIsRefused) {
  const std::string larger(kFrameBytesMax + 1, 'x');
  ASSERT_EQ(send(child_.fd(), larger.data(), larger.size(), 0),
            static_cast<ssize_t>(larger.size()));
  EXPECT_EQ(host_.receive(Descriptors::kRefused).error().code(), Code::kInvalid);
}

TEST_F(FrameChannelTest, EmptyPacketEndsTheConversation) {
  ASSERT_EQ(send(child_.fd(), "", 0, 0), 0);
  EXPECT_EQ(host_.receive(Descriptors::kRefused).error().code(), Code::kCancelled);
}

TEST_F(FrameChannelTest, DescriptorThatIsExpectedWorksOnTheOtherSide) {
  Pipe pipe = Pipe::open().value();
  ASSERT_TRUE(host_.send("a", pipe.write.get()).ok());
  pipe.write.reset();
  auto received = child_.receive(Descriptors::kOne).value();
  ASSERT_TRUE(received && received->descriptor.valid());
  EXPECT_NE(fcntl(received->descriptor.get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(write(received->descriptor.get(), "b", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(pipe.read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'b');
}

TEST_F(FrameChannelTest, DescriptorsThatMayNotComeAreRefusedAndClosed) {
  const int before = next_descriptor();
  for (const std::size_t count : {1, 2, 3, 64}) {
    send_descriptors(count);
    EXPECT_EQ(host_.receive(Descriptors::kRefused).error().code(), Code::kInvalid) << count;
    EXPECT_EQ(next_descriptor(), before) << count;
  }
}

TEST_F(FrameChannelTest, MoreDescriptorsThanOneAreRefusedAndClosed) {
  const int before = next_descriptor();
  send_descriptors(2);
  EXPECT_EQ(host_.receive(Descriptors::kOne).error().code(), Code::kInvalid);
  EXPECT_EQ(next_descriptor(), before);
}

}  // namespace
}  // namespace davit::host

#include "host/transport/raw_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/mutex.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using State = ByteConnection::State;

/// All that `peer` gets until it ends with `last`, or until the client ends.
std::string read_until(const Peer& peer, std::string_view last) {
  std::string out;
  char piece[4096];
  while (last.empty() || !out.ends_with(last)) {
    const ssize_t got = ::recv(peer.descriptor(), piece, sizeof piece, 0);
    if (got <= 0) break;
    out.append(piece, static_cast<std::size_t>(got));
  }
  return out;
}

/// A connection whose output a test waits for.
class Conversation {
 public:
  Conversation(const std::string& server, std::string first) {
    ConnectionConfig config;
    config.server = server;
    auto opened = open_raw_connection(config, nullptr, std::move(first), *clock_);
    EXPECT_TRUE(opened) << opened.error().message();
    connection_ = *std::move(opened);
    connection_->on_ready([this] {
      MutexLock lock(mutex_);
      ++news_;
      changed_.notify_all();
    });
  }
  ~Conversation() { connection_.reset(); }  // Its callbacks use the members.
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  ByteConnection* operator->() { return connection_.get(); }
  [[nodiscard]] State state() const { return state_; }

  /// The bytes that come until they end with `last`, or the connection has ended.
  std::string read_until(std::string_view last) {
    std::string out;
    while (state_ == State::kOpen && (last.empty() || !out.ends_with(last))) {
      const int seen = news();
      const std::size_t before = out.size();
      state_ = connection_->read(out, std::size_t{1} << 20U);
      if (state_ == State::kOpen && out.size() == before) wait_beyond(seen);
    }
    return out;
  }

 private:
  int news() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return news_;
  }
  void wait_beyond(int seen) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (news_ == seen) changed_.wait(mutex_);
  }

  const std::unique_ptr<Clock> clock_ = make_system_clock();
  Mutex mutex_;
  CondVar changed_;
  int news_ GUARDED_BY(mutex_) = 0;
  State state_ = State::kOpen;
  std::unique_ptr<ByteConnection> connection_;
};

TEST(RawConnectionTest, BytesPassInBothDirectionsUntilThePeerCloses) {
  TinyServer server([](Peer& peer) {
    EXPECT_EQ(read_until(peer, "!"), "first!");
    peer.write("one.");
    EXPECT_EQ(read_until(peer, "!"), "second!");
    peer.write("two.");
  });
  Conversation conversation(server.url(), "first!");

  EXPECT_EQ(conversation.read_until("."), "one.");
  conversation->write("second!");
  EXPECT_EQ(conversation.read_until(""), "two.");
  EXPECT_EQ(conversation.state(), State::kEnded);
  EXPECT_EQ(conversation->fault(), "");
}

TEST(RawConnectionTest, BytesThatWereWrittenBeforeTheEndArrive) {
  const std::string large(std::size_t{8} << 20U, 'x');
  std::promise<std::size_t> received;
  TinyServer server([&](Peer& peer) { received.set_value(read_until(peer, "").size()); });
  Conversation conversation(server.url(), "first");

  conversation->write(large);
  conversation->end();

  EXPECT_EQ(received.get_future().get(), large.size() + 5);
  EXPECT_EQ(conversation.read_until(""), "");
  EXPECT_EQ(conversation->fault(), "");
}

TEST(RawConnectionTest, MoreThanWaitsIsReadPieceByPiece) {
  const std::string large(std::size_t{8} << 20U, 'x');
  TinyServer server([&](Peer& peer) {
    read_until(peer, "first");
    EXPECT_TRUE(peer.write(large));
  });
  Conversation conversation(server.url(), "first");

  EXPECT_EQ(conversation.read_until("").size(), large.size());
}

TEST(RawConnectionTest, AServerThatRefusesIsAFault) {
  std::string url;
  {
    TinyServer server([](Peer&) {});
    url = server.url();
  }
  Conversation conversation(url, "first");

  EXPECT_EQ(conversation.read_until(""), "");
  EXPECT_THAT(conversation->fault(), HasSubstr("connect"));
}

TEST(RawConnectionTest, ItsOwnerMayLeaveAtAnyTime) {
  std::promise<void> closed;
  TinyServer server([&](Peer& peer) {
    read_until(peer, "first");
    peer.write(".");
    read_until(peer, "");
    closed.set_value();
  });
  {
    Conversation conversation(server.url(), "first");
    EXPECT_EQ(conversation.read_until("."), ".");
  }
  closed.get_future().wait();
}

TEST(RawConnectionTest, AnAddressThatCannotBeReadIsAnError) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  ConnectionConfig config;
  config.server = "https://a b";
  EXPECT_FALSE(open_raw_connection(config, nullptr, "", *clock));
}

}  // namespace
}  // namespace davit::host

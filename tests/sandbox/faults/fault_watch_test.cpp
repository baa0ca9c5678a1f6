#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/faults/fake_server.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using State = HttpBodyStream::State;
using testing::ElementsAre;
using testing::HasSubstr;

std::string added(std::string_view name) {
  return R"({"type":"ADDED","object":{"metadata":{"namespace":"a","name":")" + std::string(name) +
         R"("}}})";
}

/// The events available now: the objects' names, and the end in brackets.
std::vector<std::string> read(HttpBodyStream& stream, std::size_t bytes_max = 10'000) {
  std::vector<std::string> out;
  while (true) {
    std::string body;
    const State state = stream.read(body, bytes_max);
    std::string_view rest = body;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      out.push_back(json_literal(line).text_at({"object", "metadata", "name"}));
      rest.remove_prefix(line.size() + 1);
    }
    if (state == State::kEnded) out.emplace_back("(end)");
    if (state == State::kCut) out.emplace_back("(cut)");
    if (state != State::kOpen || body.empty()) return out;
  }
}

class FaultWatchTest : public testing::Test {
 protected:
  std::unique_ptr<HttpBodyStream> watch(std::string target = "/api/v1/pods?watch=1") {
    return faulty_.get(std::move(target)).stream;
  }
  void put(std::initializer_list<const char*> names) {
    for (const char* name : names) faulty_.server.watch.lines.push_back(added(name));
  }

  FaultyServer faulty_;
};

TEST_F(FaultWatchTest, WatchWithoutFaultsIsPassedOn) {
  const auto stream = watch();
  put({"p", "q"});
  EXPECT_THAT(read(*stream), ElementsAre("p", "q"));
  faulty_.server.watch.next = faulty_.clock.now() + seconds(60);
  EXPECT_EQ(stream->next_read(), faulty_.clock.now() + seconds(60));
  faulty_.server.watch.ended = true;
  EXPECT_THAT(read(*stream), ElementsAre("(end)"));
}

TEST_F(FaultWatchTest, StalledWatchGetsAllInOrderWhenItsTimeIsOver) {
  faulty_.add(R"({"fault":"hold","afterEvents":1,"for":"10s"})");
  const auto stream = watch();
  put({"p", "q", "r"});
  EXPECT_THAT(read(*stream), ElementsAre("p"));
  EXPECT_EQ(stream->next_read(), faulty_.clock.now() + seconds(10));
  put({"s"});
  EXPECT_THAT(read(*stream), ElementsAre());

  faulty_.clock.advance(seconds(10));
  EXPECT_THAT(read(*stream), ElementsAre("q", "r", "s"));
}

TEST_F(FaultWatchTest, StalledWatchDoesNotEvenEnd) {
  faulty_.add(R"({"fault":"hold"})");
  const auto stream = watch();
  faulty_.server.watch.ended = true;
  faulty_.server.watch.next = faulty_.clock.now();
  EXPECT_THAT(read(*stream), ElementsAre());
  EXPECT_EQ(stream->next_read(), Time::max());
}

TEST_F(FaultWatchTest, RuleBefallsAndReleasesOpenWatches) {
  const auto stream = watch();
  const auto other = watch("/api/v1/nodes?watch=1");
  int woken = 0;
  stream->on_ready([&] { ++woken; });
  const std::uint64_t rule = faulty_.add(R"({"fault":"hold","target":{"resource":"pods"}})");
  EXPECT_EQ(woken, 1);
  put({"p"});
  EXPECT_THAT(read(*stream), ElementsAre());
  EXPECT_THAT(read(*other), ElementsAre("p")) << "another resource";

  put({"q"});
  EXPECT_TRUE(faulty_.layer.remove(rule));
  EXPECT_EQ(woken, 2);
  EXPECT_THAT(read(*stream), ElementsAre("q"));
}

TEST_F(FaultWatchTest, OpenWatchesUseUpACountToo) {
  const auto first = watch();
  const auto second = watch();
  faulty_.add(R"({"fault":"cut","count":1})");
  EXPECT_THAT(read(*first), ElementsAre("(cut)"));
  EXPECT_THAT(read(*second), ElementsAre());
}

TEST_F(FaultWatchTest, WatchIsCutAtItsTimeAlthoughNothingHappens) {
  faulty_.add(R"({"fault":"cut","after":"5s"})");
  const auto stream = watch();
  put({"p"});
  EXPECT_THAT(read(*stream), ElementsAre("p"));
  EXPECT_EQ(stream->next_read(), faulty_.clock.now() + seconds(5));
  faulty_.clock.advance(seconds(5));
  put({"q"});
  EXPECT_THAT(read(*stream), ElementsAre("(cut)"));
}

TEST_F(FaultWatchTest, CleanCutIsAnEnd) {
  faulty_.add(R"({"fault":"cut","clean":true,"afterEvents":1})");
  const auto stream = watch();
  put({"p", "q"});
  EXPECT_THAT(read(*stream), ElementsAre("p", "(end)"));
}

TEST_F(FaultWatchTest, GoneIsSaidInAnEvent) {
  faulty_.add(R"({"fault":"status","code":410})");
  const HttpServerResponse response = faulty_.get("/api/v1/pods?watch=1");
  EXPECT_EQ(response.status, 200);
  std::string body;
  EXPECT_EQ(response.stream->read(body, 10'000), State::kEnded);
  const Json error = json_literal(body);
  EXPECT_EQ(error.text_at({"type"}), "ERROR");
  EXPECT_EQ(error.text_at({"object", "reason"}), "Expired");
  EXPECT_EQ(error.text_at({"object", "message"}), "too old resource version: 0 (1)");
}

TEST_F(FaultWatchTest, OtherStatusRefusesTheWatch) {
  faulty_.add(R"({"fault":"status","code":503})");
  const HttpServerResponse response = faulty_.get("/api/v1/pods?watch=1");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.stream, nullptr);
}

TEST_F(FaultWatchTest, GapLeavesEventsOut) {
  const auto stream = watch();
  faulty_.add(R"({"fault":"gap","skip":1,"count":2})");
  put({"p", "q", "r", "s"});
  EXPECT_THAT(read(*stream), ElementsAre("p", "s"));
}

TEST_F(FaultWatchTest, GapKnowsTheObjectOfATable) {
  faulty_.add(R"({"fault":"gap","target":{"name":"q"}})");
  const auto stream = watch();
  for (const char* name : {"p", "q"}) {
    faulty_.server.watch.lines.push_back(
        R"({"type":"ADDED","object":{"kind":"Table","rows":[{"object":{"metadata":{"name":")" +
        std::string(name) + R"("}}}]}})");
  }
  std::string body;
  EXPECT_EQ(stream->read(body, 10'000), State::kOpen);
  EXPECT_THAT(body, HasSubstr(R"("name":"p")"));
  EXPECT_THAT(body, Not(HasSubstr(R"("name":"q")")));
}

TEST_F(FaultWatchTest, SmallReadsGetTheSameEvents) {
  for (const std::size_t bytes_max : {1u, 70u, 200u}) {
    faulty_.layer.clear();
    faulty_.add(R"({"fault":"gap","skip":2,"count":1})");
    const auto stream = watch();
    put({"p", "q", "r", "s", "t"});
    EXPECT_THAT(read(*stream, bytes_max), ElementsAre("p", "q", "s", "t")) << bytes_max;
  }
}

TEST_F(FaultWatchTest, LostResponseOfAWatchLeavesNoStream) {
  faulty_.add(R"({"fault":"lost"})");
  const HttpServerResponse response = faulty_.get("/api/v1/pods?watch=1");
  EXPECT_EQ(response.stream, nullptr);
  EXPECT_TRUE(response.aborted);
}

}  // namespace
}  // namespace davit::sandbox

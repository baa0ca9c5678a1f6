// Each single fault at each request of a host with threads: what the explorer tries on one thread.
#include "tests/system/fault_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

/// World knows it for davit.
constexpr char kLoginToken[] = "davit";
constexpr int kPods = 2;
/// Longer than a lease lasts, and than a client waits for a response.
constexpr Duration kOutage = std::chrono::minutes(1);

bool is_exec(const FaultPoint& point) { return point.fault.starts_with("exec-"); }

/// The life of a Deployment, with one fault in it, and the administrator who starts again what has
/// ended. The lease is not given back by a process that crashes.
class Story {
 public:
  explicit Story(FaultPoint chosen) : chooser_(std::move(chosen)), world_(options()) {
    world_.pass(std::chrono::seconds(5));  // It leads.
    if (point().fault.starts_with("takeover")) world_.start_host();
    world_.employ([this](World&) { act(); });
  }

  /// The number of requests of each kind.
  std::map<std::string, int> play() {
    world_.deploy("web", kPods);
    world_.await_rollout("web", kPods);
    world_.set_image("web", "web:2");
    world_.await_rollout("web", kPods);
    EXPECT_EQ(world_.images("web"), "web:2");
    world_.expect_order("web");
    world_.expect_silence("web");
    chooser_.let_go();
    return chooser_.passed();
  }
  /// Whether the request came that was chosen.
  [[nodiscard]] bool has_met() const { return has_met_; }

 private:
  [[nodiscard]] const FaultPoint& point() const { return chooser_.point(); }

  WorldOptions options() {
    WorldOptions out{.nodes = 1, .host = {}};
    out.host.election = HostOptions::Election::kOn;
    out.host.content_type = host::kContentTypeJson;
    if (is_exec(point())) out.rights = WorldOptions::Rights::kPrinted;
    out.way = [this](Transport& common, QuietClock& clock) { return way(common, clock); };
    return out;
  }

  std::unique_ptr<Transport> way(Transport& common, QuietClock& clock) {
    const bool is_first = std::exchange(is_first_, false);
    const bool is_login = is_first && is_exec(point());
    if (is_first) clock.stand_still_while([this] { return chooser_.is_running_program(); });
    std::unique_ptr<host::Credentials> made = std::move(*host::make_credentials(
        is_login ? program_.config() : host::ConnectionConfig(), clock, metrics_, Logger(log_)));
    host::Credentials* const credentials = made.get();
    std::unique_ptr<Transport> out = host::add_credentials(common, std::move(made));
    if (!is_first) return out;
    return chooser_.way(std::move(out), credentials, is_login ? &program_ : nullptr);
  }

  /// At every moment at which time stands still.
  void act() {
    if (has_met_ || !chooser_.is_holding()) return;
    has_met_ = true;
    const std::string& fault = point().fault;
    const bool is_end = fault.starts_with("crash") || fault.starts_with("takeover");
    if (is_end) return end();
    if (fault == "shutdown") return shut_down();
    if (fault == "swap") return swap();
    if (fault == "suspend") return suspend();
    chooser_.let_go();
    if (fault == "exec-hangs") hang();
  }

  void end() {
    chooser_.cut();
    chooser_.let_go();
    replace_host();
  }

  void shut_down() {
    world_.host().stop();
    world_.clock().wait_until_idle();
    chooser_.let_go();
    replace_host();
  }

  /// Both plugins at once, the first of which waits for the request.
  void swap() {
    std::atomic<bool> is_done = false;
    std::jthread swapping([&] {
      for (const char* plugin : {"deployment", "replicaset"}) {
        const host::SwapReport report = world_.host().swap(plugin);
        EXPECT_TRUE(report.ok()) << plugin << ": " << report.text;
      }
      is_done.store(true);
    });
    world_.clock().wait_until_idle();
    chooser_.let_go();
    world_.await("the swap is done", [&is_done] { return is_done.load(); });
  }

  /// The host's process stands still in the middle of a request, and its lease ends.
  void suspend() {
    chooser_.hold_lease(true);
    world_.start_host();
    world_.pass(kOutage);
    chooser_.let_go();
    world_.clock().wait_until_idle();
    world_.stop_host();
  }

  /// The same, because no request gets credentials.
  void hang() {
    world_.start_host();
    world_.pass(kOutage);
    program_.let_go();
    chooser_.program_hangs(false);
    world_.clock().wait_until_idle();
    world_.stop_host();
  }

  void replace_host() {
    const bool has_standby = point().fault.starts_with("takeover");
    world_.stop_host();
    if (!has_standby) world_.start_host();
  }

  Chooser chooser_;
  const CredentialProgram program_{kLoginToken};
  host::NoRestMetrics metrics_;
  RecordingLogSink log_;
  bool is_first_ = true;
  bool has_met_ = false;
  World world_;
};

/// Each request of the run without a fault that this fault can befall.
std::vector<FaultPoint> points_of(const std::string& fault) {
  std::vector<FaultPoint> out;
  for (const auto& [request, count] : Story({}).play()) {
    const bool is_read = request.starts_with("get") || request.starts_with("list");
    if (is_read && fault == "conflict") continue;
    for (int number = 1; number <= count; ++number) out.push_back({request, number, fault});
  }
  return out;
}

constexpr std::size_t kUsualPoints = 2;

/// DAVIT_FAULT_POINTS=100 for each test to play so many, of which there may be fewer.
std::size_t points_max() {
  const char* const given = std::getenv("DAVIT_FAULT_POINTS");
  return given == nullptr ? kUsualPoints : std::strtoull(given, nullptr, 10);
}

/// Others for each commit.
std::string seed() {
  const char* const given = std::getenv("DAVIT_SYSTEM_SEED");
  return given == nullptr ? "1" : given;
}

class FaultPointsTest : public testing::TestWithParam<std::string> {};

TEST_P(FaultPointsTest, ARolloutEndsAsWithoutTheFault) {
  std::vector<FaultPoint> points = points_of(GetParam());
  ASSERT_GE(points.size(), kUsualPoints);
  std::ranges::sort(points, {}, [](const FaultPoint& each) {
    return std::hash<std::string>()(seed() + to_text(each));
  });
  points.resize(std::min(points.size(), points_max()));
  for (const FaultPoint& each : points) {
    SCOPED_TRACE(to_text(each));
    Story story(each);
    story.play();
    if (!story.has_met()) std::printf("%s: the threads sent fewer\n", to_text(each).c_str());
  }
}

std::vector<std::string> all_faults() {
  std::vector<std::string> out = request_faults();
  const std::vector<std::string> more = exec_faults();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, FaultPointsTest, testing::ValuesIn(all_faults()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// DAVIT_FAULT_POINT has another line to play.
TEST(FaultPointTest, ALinePlaysItsFaultAgain) {
  const char* const given = std::getenv("DAVIT_FAULT_POINT");
  const std::string line = given == nullptr ? "create pods#2=crash-after" : given;
  const Result<FaultPoint> point = parse_fault_point(line);
  ASSERT_TRUE(point) << point.error().message();
  EXPECT_EQ(to_text(*point), line);
  Story story(*point);
  story.play();
  EXPECT_TRUE(story.has_met()) << "no such request was sent";
}

TEST(FaultPointTest, AMistakeInALineIsRefused) {
  for (const char* line : {"", "create pods", "create pods#0=swap", "create pods#1=fly"}) {
    EXPECT_FALSE(parse_fault_point(line)) << line;
  }
}

}  // namespace
}  // namespace davit::test

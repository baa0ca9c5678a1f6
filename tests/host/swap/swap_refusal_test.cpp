// Refused swaps, after which the old build keeps serving.
#include <sys/resource.h>

#include <csignal>
#include <future>

#include "host/loading/signature.hpp"
#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// As long as it lives no file of this process may grow beyond a few bytes, as on a full disk.
class TinyFiles {
 public:
  TinyFiles() : on_excess_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tiny{16, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tiny);
  }
  TinyFiles(const TinyFiles&) = delete;
  TinyFiles& operator=(const TinyFiles&) = delete;
  ~TinyFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, on_excess_);
  }

 private:
  rlimit before_{};
  void (*on_excess_)(int);
};

struct Refusal {
  const char* name;
  const char* build;  // Empty: no file at all.
  SwapOutcome outcome;
  const char* text;
};

// clang-format off
constexpr Refusal kRefusals[] = {
    {"FailedInit", "init_fails", SwapOutcome::kInitFailed,
     "controller sample-controller failed to start: no luck today"},
    {"ThrowingInit", "init_throws", SwapOutcome::kInitFailed,
     "the plugin threw an exception: no luck"},
    {"RenamedController", "renamed", SwapOutcome::kLacksController,
     "the new build has no controller sample-controller, which is running: disable it first"},
    {"OtherPlugin", "other_plugin", SwapOutcome::kOtherPlugin, "is the plugin other, not sample"},
    {"NoFile", "", SwapOutcome::kNotStaged, "there is no such file"},
};
// clang-format on

class SwapRefusalTest : public SwapTest, public testing::WithParamInterface<Refusal> {};

TEST_P(SwapRefusalTest, LeavesTheOldBuildServing) {
  start();
  if (*GetParam().build != '\0') {
    place(GetParam().build);
  } else {
    std::filesystem::remove(file());
  }

  const SwapReport report = swap();

  EXPECT_EQ(report.outcome, GetParam().outcome) << to_string(report.outcome);
  EXPECT_THAT(report.text, HasSubstr(GetParam().text));
  EXPECT_EQ(report.residents, 0U);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
  EXPECT_EQ(pods_.requests(), 2);
  // And the next good build comes in.
  place("v2");
  EXPECT_TRUE(swap().ok());
}

INSTANTIATE_TEST_SUITE_P(All, SwapRefusalTest, testing::ValuesIn(kRefusals),
                         [](const auto& each) { return each.param.name; });

TEST_F(SwapTest, AHalfWrittenFileIsRefused) {
  start();
  const std::string whole = content("v2");
  for (const std::size_t eighths : {0U, 1U, 4U, 7U}) {
    put(std::string_view(whole).substr(0, whole.size() * eighths / 8));
    const SwapReport report = swap();
    EXPECT_EQ(report.outcome, SwapOutcome::kRefused) << eighths << "/8: " << report.text;
  }
  place("v2");
  EXPECT_TRUE(swap().ok());
}

TEST_F(SwapTest, AFileThatIsReplacedMeanwhileChangesNothing) {
  start();
  place("v2");
  const std::string digest = read_plugin_file(file())->digest;
  on_phase_ = [&](SwapPhase phase) {
    if (phase == SwapPhase::kFill) put("no plugin any more");
  };

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.to.digest, digest);
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v2-a");
}

TEST_F(SwapTest, ABuildMustHaveTheDigestThatTheManifestWants) {
  sha256_ = read_plugin_file(file())->digest;
  start();
  place("v2");

  const SwapReport report = swap();

  EXPECT_EQ(report.outcome, SwapOutcome::kRefused);
  EXPECT_THAT(report.text, HasSubstr("the manifest requires " + sha256_));
}

TEST_F(SwapTest, ABuildMustBeSignedWhereTheManifestHasKeys) {
  const Result<SigningKey> key = SigningKey::generate();
  limits_.signatures.keys = {{"release", key->public_key()}};
  start();
  place("v2");
  EXPECT_EQ(swap().outcome, SwapOutcome::kRefused) << "not signed";
  const std::string digest = read_plugin_file(file())->digest;
  const std::string signature = signature_path(file()).filename().string();

  (void)directory_.write(signature, key->sign({"another digest", "sample", "1"}));
  const SwapReport changed = swap();
  EXPECT_EQ(changed.outcome, SwapOutcome::kRefused);
  EXPECT_THAT(changed.text, HasSubstr("it has changed since the key release"));
  EXPECT_EQ(set_->load({file()}).outcome, SwapOutcome::kRefused) << "nor is it loaded";
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b") << "the old build serves";

  (void)directory_.write(signature, key->sign({digest, "sample", "v2"}));
  const SwapReport report = swap();
  EXPECT_TRUE(report.ok()) << report.text;
}

TEST_F(SwapTest, MissingSpaceForTheCopyIsHarmless) {
  start();
  std::filesystem::remove_all(limits_.staging);
  place("v2");

  EXPECT_EQ(swap().outcome, SwapOutcome::kNotStaged);

  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
}

TEST_F(SwapTest, AFullDiskWhileStagingIsHarmless) {
  start();
  place("v2");
  {
    const TinyFiles full;
    EXPECT_EQ(swap().outcome, SwapOutcome::kNotStaged);
  }
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
  EXPECT_TRUE(std::filesystem::is_empty(limits_.staging)) << "no half copy is left";
  EXPECT_TRUE(swap().ok());
}

TEST_F(SwapTest, ABuildWithFewerControllersThanRunIsRefused) {
  place("two");
  start();
  ASSERT_TRUE(set_->enable("more-controller").ok());
  place("v2");

  const SwapReport report = swap();

  EXPECT_EQ(report.outcome, SwapOutcome::kLacksController);
  EXPECT_THAT(report.text, HasSubstr("no controller more-controller, which is running"));
  ASSERT_TRUE(set_->disable("more-controller").ok());
  EXPECT_TRUE(swap().ok());
}

TEST_F(SwapTest, AnInitFuncThatDoesNotEndIsLeftBehindAndCounted) {
  start();
  place("init_asks");
  discovery_transport_.respond(test::open_response(404, "{}"));
  const Time until = clock_.now() + limits_.init;

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  discovery_transport_.await_requests(1);
  clock_.await_deadline(until);
  clock_.advance(limits_.init);
  const SwapReport report = swapping.get();

  EXPECT_EQ(report.outcome, SwapOutcome::kInitTimedOut);
  EXPECT_EQ(report.residents, 1U);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
  EXPECT_FALSE(set_->stop({clock_.now(), clock_.now()})) << "foreign code may still run";
  discovery_transport_.finish(0);
}

TEST_F(SwapTest, AFurtherControllerOfTheNewBuildIsReportedAndLeftOff) {
  start();
  place("more");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.not_started, ElementsAre("more-controller"));
  EXPECT_EQ(set_->serving().state().plugins[0].controllers[1].state, "off");
  place("v2");
  EXPECT_TRUE(swap().ok()) << "what does not run may go";
}

TEST_F(SwapTest, APluginThatIsNotLoadedIsNamed) {
  start();
  const SwapReport report = set_->swap({"other", file()});
  EXPECT_EQ(report.outcome, SwapOutcome::kUnknown);
  EXPECT_EQ(report.text, "no plugin other is loaded (loaded: sample)");
}

}  // namespace
}  // namespace davit::host

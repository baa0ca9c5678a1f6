// Random requests to a real kube-apiserver, as recorded and today, and to the sandbox: the same
// responses.
//
// DAVIT_DIFFERENTIAL_SEED and DAVIT_DIFFERENTIAL_OPERATIONS choose the sequence;
// DAVIT_DIFFERENTIAL_TRACE prints every operation on paths that contain its text;
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recordings again.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/live/differential/recording.hpp"
#include "tests/live/differential/side.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/support/sandbox_api.hpp"

namespace davit::live {
namespace {

constexpr std::size_t kOperations = 10'000;
constexpr int kReportsMax = 25;

/// Seeds of the recordings, and how many operations each has.
constexpr std::uint64_t kRecordedSeeds[] = {1, 2, 3, 4};
constexpr std::size_t kRecordedOperations = 2'500;

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

std::string recording_file(std::uint64_t seed) {
  return std::string(DAVIT_DIFFERENTIAL_RECORDINGS) + "/seed_" + std::to_string(seed) + ".gz";
}

/// Compares answers, and reports the first of those that differ.
class Comparison {
 public:
  Comparison(const char* wanted_from, const char* given_by)
      : wanted_from_(wanted_from), given_by_(given_by) {}

  void compare(std::size_t number, const Operation& operation, const std::string& wanted,
               const std::string& given) {
    if (wanted == given || is_full()) return;
    ++reports_;
    ADD_FAILURE() << "operation " << number << ": " << operation.str() << "\n " << wanted_from_
                  << ": " << wanted << "\n " << given_by_ << ": " << given;
  }
  [[nodiscard]] bool is_full() const { return reports_ >= kReportsMax; }

 private:
  const char* wanted_from_;
  const char* given_by_;
  int reports_ = 0;
};

/// Plays the recorded requests of a seed; the same answers must come.
void replay(std::uint64_t seed, checks::Server& server, const char* name) {
  const Result<std::vector<Exchange>> recorded = read_exchanges(recording_file(seed));
  ASSERT_TRUE(recorded) << recorded.error().message();
  Side side(server);
  Comparison comparison("recorded", name);
  for (std::size_t i = 0; i < recorded->size() && !comparison.is_full(); ++i) {
    const auto& [operation, answer] = (*recorded)[i];
    comparison.compare(i, operation, answer, side.answer(operation));
  }
}

/// Writes what the server answers to the requests of a seed.
void record(std::uint64_t seed, checks::Server& server) {
  Side side(server);
  std::vector<Exchange> exchanges;
  for (Operation& each : operations_of(seed, kRecordedOperations)) {
    std::string answer = side.answer(each);
    exchanges.push_back({std::move(each), std::move(answer)});
  }
  write_exchanges(recording_file(seed), exchanges);
}

class RecordedDifferential : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RecordedDifferential, SandboxGivesTheRecordedAnswers) {
  test::SandboxApi sandbox;
  replay(GetParam(), sandbox, "sandbox");
}

TEST_P(RecordedDifferential, RealServerStillGivesTheRecordedAnswers) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") != nullptr) return record(GetParam(), server);
  replay(GetParam(), server, "today");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecordedDifferential, testing::ValuesIn(kRecordedSeeds));

TEST(Differential, RandomRequestsGetTheSameResponses) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const std::uint64_t seed = number_from("DAVIT_DIFFERENTIAL_SEED", 1);
  const std::size_t count = number_from("DAVIT_DIFFERENTIAL_OPERATIONS", kOperations);
  std::printf("%zu operations from seed %llu\n", count, static_cast<unsigned long long>(seed));
  ControlPlane plane;
  HttpApi real_server(plane.server(), plane.ca_file(), [] {});
  test::SandboxApi sandbox_server;
  Side real(real_server);
  Side sandbox(sandbox_server);

  const char* trace = std::getenv("DAVIT_DIFFERENTIAL_TRACE");  // A part of a path.
  Comparison comparison("real", "sandbox");
  const std::vector<Operation> operations = operations_of(seed, count);
  for (std::size_t i = 0; i < operations.size() && !comparison.is_full(); ++i) {
    const Operation& operation = operations[i];
    comparison.compare(i, operation, real.answer(operation), sandbox.answer(operation));
    if (trace != nullptr && operation.target.find(trace) != std::string::npos) {
      std::printf("operation %zu: %s\n real:    %s\n sandbox: %s\n", i, operation.str().c_str(),
                  real.last_body().c_str(), sandbox.last_body().c_str());
    }
  }
}

}  // namespace
}  // namespace davit::live

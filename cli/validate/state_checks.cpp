/// Checks how a plugin reads damaged and foreign states ("davit.state/1").
#include <davit/abi.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/cluster_play.hpp"
#include "cli/validate/holdings.hpp"
#include "cli/validate/sample_objects.hpp"

namespace davit::host {
namespace {

constexpr Duration kHoldLimit = std::chrono::seconds(5);
/// The number of random states of each sort.
constexpr std::size_t kOfEachSort = 8;

/// A state as a build gets it.
struct Blob {
  std::string what;  ///< For people.
  std::uint32_t form = 1;
  std::string bytes;
};

std::size_t one_of(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random.next() % limit;
}

std::string random_bytes(Random& random, std::size_t size) {
  std::string out(size, '\0');
  for (char& each : out) each = static_cast<char>(random.next());
  return out;
}

/// The state of the build itself, damaged.
void add_damaged(const std::string& own, std::uint32_t form, Random& random,
                 std::vector<Blob>& out) {
  for (std::size_t i = 0; i < kOfEachSort; ++i) {
    const std::size_t size = one_of(random, own.size());
    out.push_back(
        {"the first " + std::to_string(size) + " bytes of its own", form, own.substr(0, size)});
    std::string flipped = own;
    for (std::size_t n = one_of(random, 4) + 1; n > 0 && !own.empty(); --n) {
      flipped[one_of(random, own.size())] = static_cast<char>(random.next());
    }
    out.push_back({"its own with other bytes", form, std::move(flipped)});
  }
  out.push_back({"its own, twice", form, own + own});
  const auto tree = parse_json(own);
  for (std::size_t i = 0; tree && i < kOfEachSort; ++i) {
    Json corrupted = *tree;
    corrupt_value(corrupted, random);
    out.push_back({"its own with another content", form, to_text(corrupted)});
  }
}

/// Adds states that are unrelated to the build.
void add_foreign(std::uint32_t form, Random& random, std::vector<Blob>& out) {
  for (const char* text : {"", "null", "{}", "[]", "[[]]", "{\"\":{}}", "0", "\"\""}) {
    out.push_back({"the text '" + std::string(text) + "'", form, text});
  }
  for (std::size_t i = 0; i < kOfEachSort; ++i) {
    constexpr std::size_t kMost = 4096;
    std::string bytes = random_bytes(random, one_of(random, kMost) + 1);
    out.push_back({std::to_string(bytes.size()) + " random bytes", form, std::move(bytes)});
  }
}

/// Adds states that are valid except for their format number. A later host may pass such states.
void add_unknown_forms(const std::string& own, StateForms forms, std::vector<Blob>& out) {
  for (const std::uint32_t form :
       {std::uint32_t{0}, forms.writes + 1, std::numeric_limits<std::uint32_t>::max()}) {
    out.push_back({"its own in the unknown form " + std::to_string(form), form, own});
  }
}

std::vector<Blob> huge_blobs(std::uint32_t form, Random& random) {
  constexpr std::size_t kDeep = std::size_t{1} << 20;
  constexpr std::size_t kMost = DAVIT_STATE_BYTES_MAX;
  std::vector<Blob> out;
  out.push_back(
      {"64 MiB of one random byte", form, std::string(kMost, static_cast<char>(random.next()))});
  out.push_back({"a list in a list, a million times", form, std::string(kDeep, '[')});
  std::string text = "{\"a\":\"";
  text.resize(kMost - 2, 'a');
  out.push_back({"a text of 64 MiB", form, text + "\"}"});
  return out;
}

/// Tries states on one controller that has been drained.
class StateTrial {
 public:
  StateTrial(TrialHost& host, ControllerHost& from, const CheckReporter& reporter,
             std::uint64_t seed)
      : host_(host), from_(from), reporter_(reporter), seed_(seed) {}

  /// Writes the controller's state. False: it does not, which has been reported.
  [[nodiscard]] bool write_own() {
    reporter_.step(from_.name() + " writes its state");
    if (!with_successor([&](ControllerHost&) { own_ = from_.plugin().write_state(); }))
      return false;
    if (!own_) {
      reporter_.fail(from_.name() + " does not write its state: " + own_.error().message());
      return false;
    }
    return read({"its own", forms().writes, *own_}) == Verdict::kTaken ||
           fail("refuses the state that it wrote itself: " + why_);
  }

  /// States of a reasonable size, always the same ones.
  void try_garbage() {
    const std::unique_ptr<Random> random = make_seeded_random(seed_);
    std::vector<Blob> blobs;
    add_damaged(*own_, forms().writes, *random, blobs);
    add_foreign(forms().writes, *random, blobs);
    add_unknown_forms(*own_, forms(), blobs);
    for (const Blob& each : blobs) {
      if (read(each) == Verdict::kTaken) ++taken_;
      ++tried_;
    }
  }
  void try_huge() {
    const std::unique_ptr<Random> random = make_seeded_random(seed_);
    for (const Blob& each : huge_blobs(forms().writes, *random)) (void)read(each);
  }
  [[nodiscard]] std::string summary() const {
    return from_.name() + ": " + std::to_string(own_->size()) + " bytes of state; of " +
           std::to_string(tried_) + " damaged states it accepted " + std::to_string(taken_);
  }

 private:
  enum class Verdict { kTaken, kRefused };

  [[nodiscard]] StateForms forms() const { return *from_.plugin().state_forms(); }
  bool fail(const std::string& text) {
    reporter_.fail(from_.name() + " " + text);
    return false;
  }

  /// A build that has seen the caches, and whose handlers rest as those of `from_`, for the time of
  /// `call`.
  template <typename Call>
  bool with_successor(const Call& call) {
    Result<std::unique_ptr<ControllerHost>> made = host_.successor(from_);
    if (!made) return fail(made.error().message());
    ControllerHost& to = **made;
    const Time now = clock_->now();
    if (!from_.hand_over().hold_handlers(to.hand_over(), now + kHoldLimit)) {
      fail("has handlers that have not returned");
      reporter_.leave();
    }
    call(to);
    from_.hand_over().release_handlers();
    to.hand_over().release_handlers();
    if (to.runner().stop({now, clock_->now() + kHoldLimit}, ControllerRunner::Successor::kRuns)) {
      return true;
    }
    fail("has calls that have not returned");
    reporter_.leave();
  }

  Verdict read(const Blob& blob) {
    Status status;
    reporter_.step(from_.name() + " reads a state: " + blob.what);
    const bool ran = with_successor(
        [&](ControllerHost& to) { status = to.plugin().read_state(blob.form, blob.bytes); });
    why_ = status.message();
    if (ran && why_.starts_with(kThrew)) fail("throws when it reads a state: " + blob.what);
    return ran && status.ok() ? Verdict::kTaken : Verdict::kRefused;
  }

  TrialHost& host_;
  ControllerHost& from_;
  const CheckReporter& reporter_;
  const std::uint64_t seed_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  Result<std::string> own_{std::string()};
  std::string why_;  // The reason of the last refusal.
  int tried_ = 0;
  int taken_ = 0;
};

}  // namespace

void check_state(const Subject& subject, const CheckReporter& reporter) {
  constexpr std::size_t kFewestRounds = 4;
  constexpr std::size_t kMostRounds = 24;
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  std::vector<ControllerHost*> with_state = host->serving();
  std::erase_if(with_state, [](ControllerHost* each) { return !each->plugin().state_forms(); });
  if (with_state.empty()) reporter.note("hands over no state");
  if (!with_state.empty()) {
    const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
    add_ordinary(*host, *random);
    wait_until_idle(*host, reporter);
  }
  for (ControllerHost* const each : with_state) {
    StateTrial trial(*host, *each, reporter, subject.seed);
    if (!each->drain(make_system_clock()->now() + kHoldLimit) || !trial.write_own()) continue;
    trial.try_huge();
    std::vector<Holdings> rounds;
    std::size_t lost = 0;
    // As with other leaks, growth that levels off may look like a leak for some rounds.
    while (rounds.size() < kFewestRounds || (lost > kHeapNoise && rounds.size() < kMostRounds)) {
      reporter.progress(each->name() + ", round " + std::to_string(rounds.size() + 1));
      trial.try_garbage();
      rounds.push_back(Holdings::now());
      lost = steady_growth(rounds, &Holdings::heap);
    }
    if (lost > kHeapNoise) {
      reporter.fail(each->name() + " loses " + std::to_string(lost) +
                    " bytes or more with each round of states");
    }
    reporter.note(trial.summary());
  }
  end(std::move(host), reporter);
}

}  // namespace davit::host

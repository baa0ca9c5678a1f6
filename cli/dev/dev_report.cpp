#include "cli/dev/dev_report.hpp"

#include <charconv>
#include <cstdio>
#include <utility>

#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

/// More than a person reads in that time.
constexpr int kShownMost = 20;
constexpr Duration kSecond = std::chrono::seconds(1);

template <typename Number>
Number take_number(std::string_view& text) {
  const std::string_view word = take_until(text, " ");
  Number out{};
  std::from_chars(word.data(), word.data() + word.size(), out);
  return out;
}

std::string seconds(Duration time) {
  char text[32];
  const double value = std::chrono::duration<double>(time).count();
  const int size = std::snprintf(text, sizeof(text), "%.2f s", value);
  return {text, static_cast<std::size_t>(size)};
}

std::string some(int count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string listed(int syncs, int writes, int errors) {
  return some(syncs, "sync") + ", " + some(writes, "write") + ", " + some(errors, "error");
}

}  // namespace

void DevReport::starts(const std::optional<Saved>& saved) {
  saved_ = saved;
  first_sync_.reset();
  generation_ = 0;
  replaced_ = 0;
  serving_ = false;
}

void DevReport::swaps(const Saved& saved) {
  saved_ = saved;
  first_sync_.reset();
  replaced_ = generation_;
  serving_ = false;
}

std::vector<std::string> DevReport::receive(std::string_view report, Time now) {
  const std::string_view word = take_until(report, " ");
  const std::string text(report);
  if (word == "sync") {
    on_sync(report, now);
  } else if (word == "write") {
    show("    " + text, &Counts::writes, now);
  } else if (word == "warning" || word == "error") {
    show("    " + std::string(word) + ": " + text, &Counts::errors, now);
  } else if (word == "log") {
    lines_.push_back("    log: " + text);
  } else if (word == "ready") {
    lines_.push_back("==> running: " + text);
    generation_ = 1;
    serving_ = true;
  } else if (word == "failed") {
    lines_.push_back("==> not running: " + text);
  } else if (word == "swapped") {
    on_swapped(report, now);
  } else if (word == "refused") {
    lines_.push_back("==> not swapped, the old build keeps serving: " + text);
    saved_.reset();
  }
  report_first_sync();
  return std::exchange(lines_, {});
}

/// "MONOTONIC_NS GENERATION KEY"
void DevReport::on_sync(std::string_view text, Time now) {
  const Time at{Duration(take_number<std::int64_t>(text))};
  const auto generation = take_number<std::uint64_t>(text);
  show("    sync " + std::string(text), &Counts::syncs, now);
  if (saved_ && !first_sync_ && generation > replaced_) first_sync_ = at;
}

/// "GENERATION TEXT"
void DevReport::on_swapped(std::string_view text, Time now) {
  generation_ = take_number<std::uint64_t>(text);
  serving_ = true;
  std::string line = "==> swapped: " + std::string(text);
  if (saved_) line += " (" + seconds(now - saved_->at) + " after the save)";
  lines_.push_back(std::move(line));
}

/// Once the host has said that the build serves: what a sync says may come before that.
void DevReport::report_first_sync() {
  if (!saved_ || !first_sync_ || !serving_) return;
  lines_.push_back("==> " + seconds(*first_sync_ - saved_->at) +
                   " from the save to the end of the first sync (build: " + seconds(saved_->build) +
                   ")");
  saved_.reset();
  first_sync_.reset();
}

void DevReport::show(std::string text, int Counts::*kind, Time now) {
  if (!second_ || now >= *second_ + kSecond) {
    for (std::string& line : counted(now)) lines_.push_back(std::move(line));
    second_ = now;
    shown_ = 0;
  }
  ++(counts_.*kind);
  if (++shown_ > kShownMost) {
    ++(hidden_.*kind);
  } else {
    lines_.push_back(std::move(text));
  }
}

std::optional<Time> DevReport::due() const {
  if (shown_ <= kShownMost || !second_) return std::nullopt;
  return *second_ + kSecond;
}

std::vector<std::string> DevReport::counted(Time now) {
  if (!due() || now < *due()) return {};
  shown_ = 0;
  const Counts hidden = std::exchange(hidden_, {});
  return {"    and " + listed(hidden.syncs, hidden.writes, hidden.errors) + " in this second"};
}

std::string DevReport::summary() {
  const Counts counts = std::exchange(counts_, {});
  return "==> that build: " + listed(counts.syncs, counts.writes, counts.errors);
}

}  // namespace davit::host

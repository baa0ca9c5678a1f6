#include "host/process/rights_preflight.hpp"

#include <davit/mutant.hpp>
#include <utility>

#include "host/process/rights_review.hpp"
#include "lib/base/await_stop.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

std::string in_one_line(const std::set<std::string>& rights) {
  std::string out;
  std::size_t shown = 0;
  for (const std::string& each : rights) {
    if (shown == kRightsInLine) {
      return out + " and " + std::to_string(rights.size() - shown) + " more";
    }
    out += (shown == 0 ? "" : ", ") + each;
    ++shown;
  }
  return out;
}

}  // namespace

RightsPreflight::RightsPreflight(RightsTerms terms, Seams seams, Logger log)
    : terms_(std::move(terms)), seams_(std::move(seams)), log_(std::move(log)) {}

Status RightsPreflight::start() {
  const auto body = [this](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)await_stop(seams_.clock, step(stop), stop);
  };
  if (start_thread(thread_, "rights", body)) return {};
  return {Code::kUnavailable, "cannot start a thread that reviews rights"};
}

RightsPreflight::Round RightsPreflight::next_round() {
  const Time now = seams_.clock.now();
  const std::uint64_t refusals = seams_.refusals();
  const bool refused = refusals != refusals_ && now >= earliest_;
  if (now < full_due_ && !refused) return Round::kRest;
  refusals_ = refusals;
  full_due_ = now + kPeriod;
  earliest_ = now + kAfterRefusal;
  return Round::kFull;
}

void RightsPreflight::review(const std::string& account, const RightsOwners& owners, Round round,
                             const std::stop_token& stop) {
  std::map<Right, Answer>& known = answers_[account];
  std::erase_if(known, [&](const auto& each) { return !owners.contains(each.first); });
  std::set<Right> asked;
  std::size_t again = 0;
  for (const auto& [right, controllers] : owners) {
    const auto found = known.find(right);
    const bool is_new = found == known.end();
    const bool is_open = !is_new && found->second != Answer::kAllowed;
    if (is_open) ++again;
    if (round == Round::kFull || is_new || (is_open && again <= kAgainMax)) asked.insert(right);
  }
  RestClient* const client = asked.empty() ? nullptr : seams_.client_of(account);
  if (client == nullptr) return;
  const RightsReview found = review_rights(*client, asked, stop);
  if (stop.stop_requested()) return;
  for (const Right& each : asked) {
    const auto [at, is_new] = known.try_emplace(each, Answer::kUnknown);
    if (found.unknown.contains(each)) {
      if (mutant("unknown-right")) at->second = Answer::kMissing;
      continue;
    }
    const Answer answer = found.missing.contains(each) ? Answer::kMissing : Answer::kAllowed;
    // A role was granted: the others may be allowed now, too.
    if (!is_new && answer == Answer::kAllowed && at->second != answer) full_due_ = Time::min();
    at->second = answer;
  }
  const std::string failure = found.unknown.empty() ? "" : found.failure.message();
  std::string& last = failures_[account];
  if (!failure.empty() && failure != last) {
    log_.info(0, "Cannot review rights", {{"account", account}, {"err", failure}});
  }
  last = failure;
}

Time RightsPreflight::step(const std::stop_token& stop) {
  const auto needed = owners_of_rights(seams_.controllers(), terms_);
  std::erase_if(answers_, [&](const auto& each) { return !needed.contains(each.first); });
  std::erase_if(failures_, [&](const auto& each) { return !needed.contains(each.first); });
  const Round round = next_round();
  for (const auto& [account, owners] : needed) {
    review(account, owners, round, stop);
    if (stop.stop_requested()) return seams_.clock.now();
  }
  publish(needed);
  return seams_.clock.now() + kAgain;
}

void RightsPreflight::publish(const std::map<std::string, RightsOwners>& needed) {
  Missing missing;
  for (const auto& [account, owners] : needed) {
    const std::map<Right, Answer>& known = answers_[account];
    const std::string as = account.empty() ? "" : " as the ServiceAccount " + account;
    for (const auto& [right, controllers] : owners) {
      const auto found = known.find(right);
      const bool is_missing = found != known.end() && found->second == Answer::kMissing;
      for (const std::string& controller : controllers) {
        std::set<std::string>& lacks = missing[controller];
        if (is_missing) lacks.insert(text_of(right) + as);
      }
    }
  }
  seams_.report(missing);
  const bool lacked = !logged_.empty();
  for (const auto& [controller, rights] : missing) {
    const auto before = logged_.find(controller);
    if (rights.empty() || (before != logged_.end() && before->second == rights)) continue;
    log_.warning("Rights are missing; `davit rbac` prints roles with them",
                 {{"controller", controller}, {"rights", in_one_line(rights)}});
  }
  std::erase_if(missing, [](const auto& each) { return each.second.empty(); });
  logged_ = std::move(missing);
  if (lacked && logged_.empty()) log_.info(0, "No right is missing any more");
}

std::vector<std::string> lines_of(const RightsPreflight::Missing& missing) {
  std::vector<std::string> lines;
  for (const auto& [controller, rights] : missing) {
    if (rights.empty()) continue;
    lines.push_back(controller + " lacks rights: " + in_one_line(rights) +
                    "; `davit rbac --check` prints all of them as rules");
  }
  return lines;
}

}  // namespace davit::host

#include "tests/live/oracle/play.hpp"

#include <algorithm>

namespace davit::oracle {

namespace {

/// "rollouts.yaml:12" of each `rest` step whose picture a play has.
std::vector<std::string> places_of_rests(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const Step& each : scenario.steps) {
    if (each.action == Step::Action::kRest) out.push_back(each.place);
  }
  if (scenario.compare == Compare::kEnds && out.size() > 1) out.erase(out.begin(), out.end() - 1);
  return out;
}

}  // namespace

Play play_of(const Scenario& scenario, const Transcript& transcript,
             const KnownDifferences& known) {
  Play out;
  if (scenario.compare == Compare::kEnds) {
    // An earlier rest must not pass for the last one.
    if (!transcript.rests.empty() && transcript.failures.empty()) {
      out.rests.push_back(transcript.rests.back().second);
    }
    return out;
  }
  for (const auto& [place, picture] : transcript.rests) out.rests.push_back(picture);
  const Names names(transcript.lives);
  out.history = histories(transcript.lives, names, known, scenario.compare);
  out.events = events(transcript.lives, names, known, scenario.compare);
  return out;
}

std::vector<std::string> differences(const Scenario& scenario, const Play& original,
                                     const Play& ours) {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& place, std::vector<std::string> found) {
    for (std::string& each : found) out.push_back(place + ": " + std::move(each));
  };
  const std::vector<std::string> places = places_of_rests(scenario);
  const std::size_t rests = std::min(original.rests.size(), ours.rests.size());
  for (std::size_t i = 0; i < rests; ++i) {
    add(i < places.size() ? places[i] : scenario.place,
        differences(original.rests[i], ours.rests[i]));
  }
  if (original.rests.size() != ours.rests.size()) {
    add(scenario.place, {std::to_string(original.rests.size()) + " rests, but " +
                         std::to_string(ours.rests.size()) + " here"});
  }
  add("history", differences(original.history, ours.history));
  add("events", differences(original.events, ours.events));
  return out;
}

}  // namespace davit::oracle

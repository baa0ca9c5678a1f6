/// The answer to `davit why`: what was done to an object and because of it, and what is waited for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/journal/journal_json.hpp"
#include "host/why/story.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// A line about a key or an object as it is at the moment.
struct WhyNow {
  std::string subject;  ///< "replicaset-controller default/web-1", "pods web-1-x".
  std::string text;
  std::size_t depth = 0;
};

struct WhyAnswer {
  StoryObject target;
  Story story;               ///< With the latest entries only.
  std::size_t left_out = 0;  ///< Earlier entries.
  std::vector<WhyNow> now;
  std::optional<Time> reaches_back_to;  ///< Nothing: no controller of this host has worked.
  WallClockReading clock;
};

}  // namespace davit::host

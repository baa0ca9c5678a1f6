/// The state of a namespace at a `rest` step and the events in it, without values that may differ
/// between two runs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/oracle/known_differences.hpp"
#include "tests/live/oracle/names.hpp"
#include "tests/live/oracle/world.hpp"

namespace davit::oracle {

/// Objects that controllers write, as (name, canonical JSON), sorted: equal pictures are equal.
using Picture = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] Picture picture(const std::vector<Life>& lives, const Names& names,
                              const KnownDifferences& known, Compare compare);

/// The events, one line each with its count.
using Record = std::map<std::string, std::int64_t>;

/// The values that each field of each object went through. Repeats are dropped, and what
/// known_differences.yaml calls passing; of numbers only the turning points are kept unless
/// `compare` is kSteps, because how far one write goes depends on how many pods were ready by then.
/// The fields of Endpoints and EndpointSlices are the endpoints: absent, not ready, or ready.
[[nodiscard]] Record histories(const std::vector<Life>& lives, const Names& names,
                               const KnownDifferences& known, Compare compare);
/// Events of controllers by object, reason and message; 1 where the count depends on timing.
/// ScalingReplicaSet, unless `compare` is kSteps, counts how many more or fewer there were than
/// changes of the sets' sizes.
[[nodiscard]] Record events(const std::vector<Life>& lives, const Names& names,
                            const KnownDifferences& known, Compare compare);

/// The lines that are in one record only, or whose counts differ; one line each.
[[nodiscard]] std::vector<std::string> differences(const Record& original, const Record& ours);
/// The objects in one picture only, and the members that differ in objects of both.
[[nodiscard]] std::vector<std::string> differences(const Picture& original, const Picture& ours);

}  // namespace davit::oracle

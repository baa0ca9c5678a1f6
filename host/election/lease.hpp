/// The Lease object (coordination.k8s.io/v1) as leader election reads and writes it. Pure.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The spec that a candidate writes; the times are for people, and no decision depends on them.
struct LeaseRecord {
  std::string holder;  ///< "": no holder.
  std::int64_t duration_seconds = 0;
  std::string acquire_time;  ///< RFC 3339 with microseconds.
  std::string renew_time;
  std::int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

/// Whether both records are of one time in office of one holder. Acquire times count in whole
/// seconds, since a client may drop the rest.
[[nodiscard]] bool is_same_term(const LeaseRecord& a, const LeaseRecord& b);

/// A Lease as read.
struct Lease {
  std::string uid;
  std::string resource_version;
  LeaseRecord record;
  /// The record with times cut to whole seconds, to detect changes.
  std::string raw;
};

/// kWrongType if `json` is not a Lease (cut, too deep, wrong types).
[[nodiscard]] Result<Lease> parse_lease(std::string_view json);

/// A new Lease.
[[nodiscard]] std::string lease_json(std::string_view ns, std::string_view name,
                                     const LeaseRecord& record);

/// `json` with the record put into its spec; everything else, known or not, stays (managedFields
/// are left out, which the server takes as "unchanged"). kWrongType as above.
[[nodiscard]] Result<std::string> with_record(std::string_view json, const LeaseRecord& record);

}  // namespace davit::host

/// The metrics, with upstream's names. Rule: docs/spec/dra.md, A9.
#pragma once

#include <array>
#include <cstdint>
#include <davit/context.hpp>
#include <map>
#include <string_view>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// Counts the cached claims by what they are.
class ClaimCounts {
 public:
  explicit ClaimCounts(Context& cluster);

  /// Counts a claim in place of what it was. [handler]
  void on_claim(const Event<Claim>& event);
  /// A request to create a claim with this spec. [any thread]
  void requested(Value spec, bool is_ok) const;

 private:
  /// allocated, admin_access, source
  using Labels = std::array<std::string_view, 3>;

  [[nodiscard]] static Labels labels_of(const Claim& claim);
  void add(const Labels& labels, std::int64_t change);

  const Metric claims_;
  const Metric creates_;
  std::map<Labels, std::int64_t> counts_;  // None is zero. Handlers only.
};

}  // namespace davit::resourceclaim

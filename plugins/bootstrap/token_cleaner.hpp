/// The token cleaner: deletes bootstrap tokens that have expired.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

/// Rule: docs/spec/certificates.md, part E.
class TokenCleaner final : public Controller {
 public:
  /// Refuses every option.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit TokenCleaner(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Result<DynamicInformer> secrets_;
};

}  // namespace davit::bootstrap

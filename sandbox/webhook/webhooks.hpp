/// Webhooks: the webhook configurations in force, and what their servers say of writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/policy/reinvocation.hpp"
#include "sandbox/policy/write_view.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/webhook/admission_review.hpp"
#include "sandbox/webhook/hook_connector.hpp"

namespace davit::sandbox {

/// Thread-safe; takes no lock while it calls. The rules of
/// k8s.io/apiserver/pkg/admission/plugin/webhook.
class Webhooks {
 public:
  /// Borrowed, each thread-safe.
  struct Parts {
    const Store& store;
    const Resources& resources;
    Clock& clock;
    Random& random;
    HookConnector* connector;  ///< Null: no webhook is called.
  };

  explicit Webhooks(const Parts& parts) : parts_(parts) {}

  /// The webhooks that have a rule for resources of this name: "CONFIGURATION/NAME/N".
  [[nodiscard]] std::vector<std::string> concerned(std::string_view resource) EXCLUDES(mutex_);

  /// Lets mutating webhooks change `object`, which is that of `write`; null: a deletion. `round`:
  /// that of the write's webhooks, over both passes. Blocks.
  [[nodiscard]] ApiFailure mutate(JudgedWrite write, Json* object, const PolicyContext& context,
                                  Reinvocation& round) EXCLUDES(mutex_);

  /// Refuses the write if a validating webhook does. Blocks.
  [[nodiscard]] ApiFailure judge(const JudgedWrite& write, const PolicyContext& context)
      EXCLUDES(mutex_);

 private:
  struct Hook {
    std::string name;
    std::string key;  ///< Unlike those of the others.
    Json spec;
    Json match;  ///< The spec's rules and selectors as a MatchResources.
    std::vector<cel::AdmissionExpression> conditions;
  };
  using Hooks = std::vector<Hook>;
  /// The hooks of one kind, and the stored versions that they were made of.
  struct Known {
    std::vector<VersionPtr> sources;
    std::shared_ptr<const Hooks> hooks;
  };
  class Run;

  /// Null: there are none.
  [[nodiscard]] std::shared_ptr<const Hooks> hooks(HookKind kind) EXCLUDES(mutex_);
  [[nodiscard]] static std::shared_ptr<const Hooks> made_of(const std::vector<VersionPtr>& sources);

  const Parts parts_;
  Mutex mutex_;
  Known mutating_ GUARDED_BY(mutex_);
  Known validating_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox

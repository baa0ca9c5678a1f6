/// A write as the expressions of policies and webhooks see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/cel/admission.hpp"
#include "lib/cel/authorizer.hpp"
#include "lib/kube/user_info.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The parts of a request that policies and webhooks see, and where warnings go. Borrowed for the
/// call.
struct PolicyContext {
  const RestParts& parts;
  const Call& call;
  const UserInfo& who;
  const Authorizer& authorizer;
  std::vector<std::string>& warnings;  ///< See add_warning().
  /// Set instead of calling a webhook; null: the thread may wait for webhooks.
  bool* hook_wanted = nullptr;
};

/// Adds a text that is valid in a header, unless it is already present.
void add_warning(std::vector<std::string>& warnings, std::string text);

/// The values of a write whose object is seen as one of `matched`. All arguments must outlive it.
class WriteView {
 public:
  WriteView(const JudgedWrite& write, const Resource& matched, const PolicyContext& context,
            const Store& store);
  WriteView(const WriteView&) = delete;
  WriteView& operator=(const WriteView&) = delete;

  /// Why the object has no form of `matched`: its webhook does not convert it. The values are then
  /// those of the write's own version.
  [[nodiscard]] const ApiFailure& failure() const { return failure_; }
  /// Without parameters.
  [[nodiscard]] const cel::AdmissionValues& values() const { return values_; }

 private:
  [[nodiscard]] std::optional<Json> form_of(const Json* object, const JudgedWrite& write,
                                            const Resource& matched, const RestParts& parts);

  ApiFailure failure_;
  std::optional<Json> object_;
  std::optional<Json> old_;
  Json request_;
  std::optional<Json> space_;
  cel::AccessCheck check_;
  cel::AdmissionValues values_;  // Last: it points to the others.
};

}  // namespace davit::sandbox

/// The common parts of kinds that create pods: a template, a selector, and counts in status.
#pragma once

#include <initializer_list>
#include <string_view>

#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/kind_rules.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

/// Rules of a kind with `spec.template`: its pods' defaults, a status that starts at `status`, and
/// a warning for names that make no good host names.
class WorkloadRules : public PlainRules {
 public:
  /// `status`: what is written although nothing was counted yet, as JSON.
  WorkloadRules(const KindFacts& facts, std::string_view status)
      : PlainRules(facts), status_(json_literal(status)) {}

  void set_defaults(Json& object) const override;
  void prepare_create(Json& object) const override { object.set("status", status_); }
  /// About the name, for a new object, and about the template.
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override;

 protected:
  [[nodiscard]] static std::vector<std::string> name_warnings(const Json& object);

 private:
  const Json status_;
};

/// The PodSpec's defaults in `holder.template`.
void set_template_defaults(Json& holder);

/// spec.selector: there, well-formed and not empty. `kind` is as messages say it: "deployment".
void check_selector(const Json& spec, std::string_view kind, const FieldPath& path,
                    FieldErrors& errors);
/// Whether the selector can be evaluated at all.
[[nodiscard]] bool is_sound_selector(const Json& selector);
/// Checks that the template's labels match spec.selector. A missing selector matches nothing.
void check_selector_matches(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// Checks all of spec.template; its pods run forever. `kind` is the name in messages: "ReplicaSet".
void check_lasting_template(const Json& spec, std::string_view kind, const FieldPath& path,
                            FieldErrors& errors, const VolumeNames& more_volumes = {});

/// Each of `fields` of a status may be at most status.replicas.
void check_at_most_replicas(const Json& status, std::initializer_list<std::string_view> fields,
                            const FieldPath& path, FieldErrors& errors);
void check_available_at_most_ready(const Json& status, const FieldPath& path, FieldErrors& errors);
/// status.collisionCount never goes back.
void check_collision_count(const Json& object, const Json& old, FieldErrors& errors);

}  // namespace davit::sandbox

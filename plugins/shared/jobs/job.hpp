/// Job: a view of what several controllers read of Jobs.
#pragma once

#include <davit/kube/condition.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>

namespace davit::jobs {

class Job : public ObjectView {
 public:
  static constexpr Resource kResource = {"batch", "v1", "jobs", "Job"};
  using ObjectView::ObjectView;

  /// The first condition Complete or Failed that is True; a Job that has one is finished.
  [[nodiscard]] std::optional<ConditionView> finish() const {
    for (const Value each : status()[&Names::conditions].elements()) {
      const ConditionView condition(each);
      const bool is_end = condition.type() == "Complete" || condition.type() == "Failed";
      if (is_end && condition.is_true()) return condition;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_finished() const { return finish().has_value(); }
};

}  // namespace davit::jobs

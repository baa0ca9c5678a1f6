/// ControllerRevision: a typed view.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>

namespace davit::history {

class ControllerRevision : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "controllerrevisions", "ControllerRevision"};
  using ObjectView::ObjectView;

  /// Any JSON object; see revision_data().
  [[nodiscard]] Value data() const { return value()["data"]; }
  /// The pod template that the data restores, with one more member: "$patch".
  [[nodiscard]] Value pod_template() const { return data()[&Names::spec][&Names::pod_template]; }
  /// Its place in the order of the owner's revisions.
  [[nodiscard]] std::int64_t revision() const { return value()["revision"].integer_or(0); }
};

}  // namespace davit::history

/// Endpoints of core/v1: a typed view.
#pragma once

#include <davit/kube/metadata.hpp>

namespace davit {

/// The Endpoints of a Service.
class Endpoints : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "endpoints", "Endpoints"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value subsets() const { return value()[&Names::subsets]; }
};

}  // namespace davit

/// The cleaner of PodCertificateRequests: deletes them when they are old.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/certificates/views.hpp"

namespace davit::certificates {

class PodCertificateRequest : public ObjectView {
 public:
  static constexpr Resource kResource = {kGroup, "v1beta1", "podcertificaterequests",
                                         "PodCertificateRequest"};
  using ObjectView::ObjectView;
};

/// Looks at all of them every five minutes. Rule: docs/spec/certificates.md, part F.
class PodRequestCleaner final : public Controller {
 public:
  /// Skipped unless its feature gate is on and the server has the resource.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit PodRequestCleaner(Context& cluster);

 private:
  void clean() const;

  Context& cluster_;
  Informer<PodCertificateRequest> requests_;
};

}  // namespace davit::certificates

/// The request cleaner: deletes requests that are of no more use.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Looks at all of them once an hour, for the first time when the cache is filled.
/// Rule: docs/spec/certificates.md, part C.
class RequestCleaner final : public Controller {
 public:
  explicit RequestCleaner(Context& cluster);

 private:
  void clean() const;

  Context& cluster_;
  Informer<SigningRequest> requests_;
};

}  // namespace davit::certificates

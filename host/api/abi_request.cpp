#include "host/api/abi_request.hpp"

#include <davit/abi.h>

namespace davit::host {

Verb api_verb(std::int32_t verb) {
  switch (verb) {
    case DAVIT_LIST:
      return Verb::kList;
    case DAVIT_CREATE:
      return Verb::kCreate;
    case DAVIT_UPDATE:
      return Verb::kUpdate;
    case DAVIT_PATCH:
      return Verb::kPatch;
    case DAVIT_DELETE:
      return Verb::kDelete;
    case DAVIT_DELETE_COLLECTION:
      return Verb::kDeleteCollection;
    default:
      return Verb::kGet;
  }
}

PatchType api_patch(std::int32_t type) {
  switch (type) {
    case DAVIT_PATCH_JSON:
      return PatchType::kJson;
    case DAVIT_PATCH_STRATEGIC:
      return PatchType::kStrategic;
    case DAVIT_PATCH_APPLY:
      return PatchType::kApply;
    default:
      return PatchType::kMerge;
  }
}

Propagation api_propagation(std::int32_t propagation) {
  switch (propagation) {
    case DAVIT_PROPAGATION_ORPHAN:
      return Propagation::kOrphan;
    case DAVIT_PROPAGATION_BACKGROUND:
      return Propagation::kBackground;
    case DAVIT_PROPAGATION_FOREGROUND:
      return Propagation::kForeground;
    default:
      return Propagation::kDefault;
  }
}

}  // namespace davit::host

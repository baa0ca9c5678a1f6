#include <davit/kube/resource.hpp>

namespace davit {

std::string Resource::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

}  // namespace davit

#include "plugins/cloud/options.hpp"

#include <davit/options.hpp>

namespace davit::cloud {

Result<Options> read_options(Value config) {
  constexpr std::string_view kClusterName = "clusterName";
  if (Status s = check_options(config, {kClusterName}); !s.ok()) return s;
  Options out;
  const Value name = config[kClusterName];
  if (name.is_absent()) return out;
  if (name.string().empty()) {
    return Status(Code::kInvalid, "clusterName must be a string that is not empty");
  }
  out.cluster = name.string();
  return out;
}

}  // namespace davit::cloud

#include "cli/validate/trial_content.hpp"

#include <iterator>
#include <utility>

namespace davit::host {

Result<TrialContent> read_trial_content(const std::vector<std::string>& configs,
                                        const std::filesystem::path& definitions,
                                        const std::filesystem::path& objects) {
  TrialContent content;
  std::vector<Mistake> mistakes;
  const auto add = [&](const std::filesystem::path& path, Wanted wanted) {
    if (path.empty()) return;
    ClusterObjects read = read_cluster_objects(path, wanted);
    std::move(read.objects.begin(), read.objects.end(), std::back_inserter(content.objects));
    std::move(read.mistakes.begin(), read.mistakes.end(), std::back_inserter(mistakes));
  };
  add(definitions, Wanted::kDefinitions);
  add(objects, Wanted::kAll);
  if (!mistakes.empty()) return Status(Code::kInvalid, lines_of(mistakes));
  Result<std::vector<ControllerConfig>> read = read_controller_configs(configs);
  if (!read) return read.error();
  content.configs = std::move(*read);
  return content;
}

}  // namespace davit::host

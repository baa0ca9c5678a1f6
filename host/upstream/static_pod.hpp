/// Finds kube-controller-manager's command line in a pod. Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// The command and the arguments of the container kube-controller-manager in a Pod, or in the
/// template of a Deployment or another workload; `text` is YAML or JSON, and `file` only for
/// messages. Variables of the container, `$(NAME)`, are replaced if the pod contains their value.
/// kInvalid: one line with the position of the error; also for a container that runs a shell.
[[nodiscard]] Result<std::vector<std::string>> command_line_of_pod(std::string_view text,
                                                                   const std::string& file);

}  // namespace davit::host

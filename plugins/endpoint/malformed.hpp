/// Finds the mistakes in an object, as far as this plugin reads it. The object is degraded, never
/// refused: a wrong member counts as absent.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/log.hpp>
#include <span>
#include <string>
#include <vector>

namespace davit::endpoint {

/// One line for each mistake, such as "spec.ports is not a list".
[[nodiscard]] std::vector<std::string> mistakes_in(const Service& service);
[[nodiscard]] std::vector<std::string> mistakes_in(const Pod& pod);

/// Reports all of them, each with the object's name.
void log_mistakes(const Log& log, const Service& service);
void log_mistakes(const Log& log, std::span<const Pod> pods);

}  // namespace davit::endpoint

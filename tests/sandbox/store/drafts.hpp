/// Small objects for the store's tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

inline const Collection kPods{"", "pods"};
inline const Collection kNodes{"", "nodes"};

/// A draft that differs from others of its name by `mark`.
inline Draft draft(std::string ns, std::string name, std::string mark = "") {
  Json metadata = Json::object({{"name", name}, {"uid", "uid-of-" + name}});
  if (!ns.empty()) metadata.set("namespace", ns);
  Json object = Json::object({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}});
  if (!mark.empty()) object.set("mark", mark);
  return {std::move(ns), std::move(name), std::move(object), {}, {}};
}

inline std::string mark_of(const VersionPtr& version) { return version->json().text_at({"mark"}); }

/// "ns/name" of each, in order.
inline std::vector<std::string> names(const std::vector<VersionPtr>& objects) {
  std::vector<std::string> out;
  for (const VersionPtr& each : objects) out.push_back(each->ns + '/' + each->name);
  return out;
}

}  // namespace davit::sandbox

/// A store with a ServiceAccount and a pod of its.
#pragma once

#include <string>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

inline void put(Store& store, const Collection& collection, const std::string& ns,
                const std::string& name, Json object) {
  object["metadata"].set("name", name);
  if (!ns.empty()) object["metadata"].set("namespace", ns);
  object["metadata"].set("uid", "uid-of-" + name);
  Draft draft;
  draft.ns = ns;
  draft.name = name;
  draft.object = std::move(object);
  static_cast<void>(store.create(collection, std::move(draft)));
}

/// Account "ns/robot" and pod "ns/pod".
inline void put_robot(Store& store) {
  put(store, {"", "serviceaccounts"}, "ns", "robot", Json::object());
  put(store, {"", "pods"}, "ns", "pod", json_literal(R"({"spec":{"serviceAccountName":"robot"}})"));
}

inline void remove(Store& store, const Collection& collection, const std::string& ns,
                   const std::string& name) {
  const VersionPtr found = store.get(collection, ns, name);
  Draft draft;
  draft.ns = ns;
  draft.name = name;
  draft.object = found->json();
  static_cast<void>(store.remove(collection, std::move(draft), found->revision));
}

}  // namespace davit::sandbox

/// Services and what davit makes of them.
#pragma once

#include <string>
#include <vector>

#include "tests/system/world.hpp"

namespace davit::test {

inline constexpr char kServices[] = "/api/v1/namespaces/default/services";
inline constexpr char kEndpoints[] = "/api/v1/namespaces/default/endpoints";

/// A Service of port 80 over the pods app=`name`.
inline void expose(World& world, const std::string& name) {
  world.send("POST", kServices,
             R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + name +
                 R"("}},"spec":{"selector":{"app":")" + name + R"("},"ports":[{"port":80}]}})");
}

/// The ready ones of Endpoints.
[[nodiscard]] inline std::size_t addresses(const Json& endpoints) {
  std::size_t out = 0;
  for (const Json& subset : endpoints.get("subsets").items()) {
    out += subset.get("addresses").items().size();
  }
  return out;
}

/// The slices of the Service `name`; the server has one of its own.
[[nodiscard]] inline std::vector<Json> slices(const World& world, const std::string& name) {
  std::vector<Json> out;
  for (const auto& [uid, slice] : world.record().slices()) {
    if (slice.text_at({"metadata", "labels", "app"}) == name) out.push_back(slice);
  }
  return out;
}

}  // namespace davit::test

/// Random requests to an API server, the same for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::live {

/// Methods of operations that are no requests of their own: from here on the events of the
/// selection `target` count, and these are they.
inline constexpr char kWatchStart[] = "START WATCH";
inline constexpr char kWatchEnd[] = "END WATCH";

/// One request, or a part of a watch. `@RV@` in target and body stands for the resourceVersion that
/// the object has on the server at hand.
struct Operation {
  std::string method;
  std::string target;
  std::string type;  ///< Content type; empty: no body.
  std::string body;
  std::string object;  ///< Path of the object whose resourceVersion `@RV@` means.

  /// For the report: "PATCH /api/v1/… (merge) {…}".
  [[nodiscard]] std::string str() const;
};

/// `count` operations of a seed, with a watch over every few of them.
[[nodiscard]] std::vector<Operation> operations_of(std::uint64_t seed, std::size_t count);

/// One kind to play with.
struct FuzzedKind {
  std::string path;  ///< The path of its collection.
  std::string api_version;
  std::string kind;
  std::string content;               ///< Everything but metadata, as JSON.
  std::vector<std::string> changes;  ///< Merge patches, good and bad.
  bool custom_fields = false;        ///< Has field selectors of its own.
};

/// The namespace of the objects.
inline constexpr char kFuzzNamespace[] = "fuzz";

[[nodiscard]] const std::vector<FuzzedKind>& fuzzed_kinds();

/// Draws operations over the main kinds: create, read, list with selectors and limits, update,
/// patches of every type, status, scale, delete with every option. Few names, so that they meet.
class OperationSource {
 public:
  explicit OperationSource(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Operation next();
  /// A list or watch query of a random kind: path and query without resourceVersion.
  [[nodiscard]] std::string selection();

 private:
  [[nodiscard]] std::size_t below(std::size_t limit);
  [[nodiscard]] bool chance(std::size_t percent) { return below(100) < percent; }
  template <typename T>
  [[nodiscard]] const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  [[nodiscard]] Json object_of(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Json metadata(const std::string& name);
  [[nodiscard]] Json labels();
  /// A small change of the kind, as a merge patch.
  [[nodiscard]] Json change_of(const FuzzedKind& kind);
  /// Spoils one value, so that decoding or validation has something to say.
  void damage(Json& object);

  [[nodiscard]] Operation create(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation update(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation patch(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation apply(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation remove(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation read(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] Operation subresource(const FuzzedKind& kind, const std::string& name);
  [[nodiscard]] std::string query_of(const FuzzedKind& kind);

  std::mt19937_64 random_;
};

}  // namespace davit::live

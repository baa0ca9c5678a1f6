/// The content of an explored cluster, without what differs between two runs that mean the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/store/store.hpp"

namespace davit::explore {

/// The origin of a write.
enum class Writer : std::uint8_t { kScenario, kController };

/// Numbers of objects. The key is a resource and its controlling owner: "pods of ReplicaSet/web".
using Counts = std::map<std::string, int>;

/// The limits that an undisturbed run sets to others.
struct ContentLimits {
  Counts most;       ///< Objects at once; those that are being deleted do not count.
  Counts deletions;  ///< Those that controllers have made.
};

/// Follows the changes of a server. Events and the Lease of the leader are left out. In an object's
/// text, UIDs, versions and times are taken out, and a generated name is its generateName with a
/// star.
class Content {
 public:
  /// A number that the limits forbid.
  struct Excess {
    std::string oracle;  ///< "surplus" or "deletion"
    std::string resource;
    std::string text;
  };

  /// A collection, and namespace and name of an object in it.
  using Place = std::pair<sandbox::Collection, std::pair<std::string, std::string>>;

  /// Null limits: there are none. `left_out`: further members that do not count. Both outlive this.
  Content(const ContentLimits* limits, const std::vector<std::string>& left_out)
      : limits_(limits), left_out_(left_out) {}

  /// Takes in a change.
  std::optional<Excess> take(const sandbox::Collection& collection, const sandbox::Change& change,
                             Writer by);

  /// Whether the change is left out.
  [[nodiscard]] static bool is_ignored(const sandbox::Collection& collection,
                                       const sandbox::Change& change);
  /// The texts of all objects, sorted.
  [[nodiscard]] std::vector<std::string> picture() const;
  /// The same for equal pictures.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// The greatest numbers of this run so far.
  [[nodiscard]] const ContentLimits& seen() const { return seen_; }
  /// The revision at which the object with this UID was created; 0: unknown.
  [[nodiscard]] sandbox::Revision born(const std::string& uid) const;
  /// The objects that the garbage collector would delete: whose owners are all gone. Those that are
  /// being deleted do not count.
  [[nodiscard]] std::vector<Place> left_over() const;
  /// A name without its generated part.
  [[nodiscard]] std::string common_name(const std::string& name) const;

 private:
  struct Entry {
    std::string text;
    std::string group;
    std::string uid;
    std::vector<std::string> owners;  // Their UIDs.
    bool is_live = false;
    bool is_deleting = false;
  };
  void remember_name(const Json& object, const std::string& uid, sandbox::Revision revision);
  [[nodiscard]] std::string text_of(const Json& object) const;
  [[nodiscard]] std::string group_of(const sandbox::Collection& collection,
                                     const Json& object) const;
  void drop(const Entry& entry);
  std::optional<Excess> count(const sandbox::Collection& collection, const Entry& before,
                              const Entry& after, Writer by);

  const ContentLimits* const limits_;
  const std::vector<std::string>& left_out_;
  std::map<Place, Entry> objects_;
  std::map<std::string, std::string> generated_;  // Names that were, to what they are here.
  std::map<std::string, sandbox::Revision> born_;
  Counts live_;
  ContentLimits seen_;
  std::uint64_t hash_ = 0;
};

/// The first difference of two pictures, for people; empty: they are equal.
[[nodiscard]] std::string first_difference(const std::vector<std::string>& expected,
                                           const std::vector<std::string>& found);

}  // namespace davit::explore

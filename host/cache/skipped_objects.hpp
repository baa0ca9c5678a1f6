/// Objects that the server holds and a cache cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/identity_scan.hpp"
#include "host/object/parse.hpp"

namespace davit::host {

/// Why a cache cannot hold an object: its text is too large, nested too deep, not UTF-8 or not
/// JSON, or a field of it has another type than the API says.
enum class SkipReason : std::uint8_t { kTooLarge, kTooDeep, kEncoding, kMalformed, kWrongType };

/// The value of the metrics' label `reason`.
[[nodiscard]] std::string_view label_of(SkipReason reason);
/// The reason for what the parser found. An object that it read all the same has a wrong type.
[[nodiscard]] SkipReason reason_of(ParseFault fault);

/// One state of an object that was passed over.
struct SkippedObject {
  ObjectIdentity identity{};  ///< Empty where it could not be read.
  SkipReason reason = SkipReason::kMalformed;
  std::string why{};     ///< For people.
  bool is_kept = false;  ///< The cache holds an older state of it.
};

/// The objects that a store, or its next content, has skipped, by namespace and name. One entry is
/// smaller than its object, so there is no limit. Not thread-safe.
class SkippedObjects {
 public:
  /// Adds it, in place of an earlier state.
  void add(SkippedObject object);
  /// The object was read, or is gone.
  void erase(std::string_view ns, std::string_view name);
  /// Whether a state of this very object is here; an unknown UID is equal to each.
  [[nodiscard]] bool has(std::string_view ns, std::string_view name, std::string_view uid) const;
  /// Marks the entry of that name as one of which the cache holds an older state; ignored
  /// without such an entry.
  void keep(std::string_view ns, std::string_view name);
  /// Names the kind of those whose text did not: the items of a list.
  void set_kind(std::string_view api_version, std::string_view kind);
  /// Makes `next` the content. Entries already returned here are not returned again.
  void replace(SkippedObjects next);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::vector<SkippedObject> list() const;
  /// The entries that were not returned before, each version once.
  [[nodiscard]] std::vector<SkippedObject> take_unreported();
  /// The first without an older state in the cache whose controlling owner has this UID, or null.
  [[nodiscard]] const SkippedObject* lacking(std::string_view owner_uid) const;

 private:
  struct Entry {
    SkippedObject object;
    bool is_unreported = true;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Whether two UIDs may be of one object: they are equal, or one is unknown.
[[nodiscard]] bool same_uid(std::string_view a, std::string_view b);

}  // namespace davit::host

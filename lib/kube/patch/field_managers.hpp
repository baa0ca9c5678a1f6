/// FieldManagers: metadata.managedFields, one entry for each way in which a client writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/patch/apply.hpp"

namespace davit {

enum class Operation : bool { kUpdate, kApply };

/// One entry of managedFields.
struct ManagerEntry {
  std::string manager;
  Operation operation = Operation::kUpdate;
  std::string api_version;
  std::string subresource;
  std::string time;  ///< Empty: none.
  Json fields;       ///< fieldsV1

  /// An applier has one entry, regardless of the versions that it uses.
  [[nodiscard]] bool same_manager(const ManagerEntry& other) const;
  /// The form in conflicts: `"m3" using v1`.
  [[nodiscard]] std::string text() const;
};

class FieldManagers {
 public:
  /// Nothing if an entry is malformed. Null, an empty list and [{}] have no entries. Does not check
  /// the content of fieldsV1.
  [[nodiscard]] static std::optional<FieldManagers> parse(const Json& managed_fields);
  /// Entry by entry: what parse() takes, with sets that parse_fields() takes.
  [[nodiscard]] static bool valid(const Json& managed_fields);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::vector<ManagerEntry>& entries() { return entries_; }
  [[nodiscard]] ManagerEntry* find(const ManagerEntry& like);

  /// Merges the oldest Update entries until at most kUpdateEntriesMax are left.
  void merge_old_updates();
  /// Into metadata.managedFields of `object`: appliers first, then by time.
  void store(Json& object);

  /// k8s: DefaultMaxUpdateManagers. Else a cluster of short-lived clients would fill the object.
  static constexpr std::size_t kUpdateEntriesMax = 10;

 private:
  std::vector<ManagerEntry> entries_;
};

/// An owner of a map as one leaf gets everything that `live` has in it, as far as the schema
/// distinguishes its members (k8s: typed.ReconcileFieldSetWithSchema). Changes `fields` of each
/// entry.
void expand_owned_maps(FieldManagers& managers, const Json& live, const Message* schema);

/// The entry that `manager` writes, without fields.
[[nodiscard]] ManagerEntry entry_of(const FieldManager& manager, Operation operation);

}  // namespace davit

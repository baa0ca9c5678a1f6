/// The options of requests, from the query or from a DELETE's body, checked as the real server
/// checks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/patch/apply.hpp"
#include "sandbox/admission/dry_run.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::sandbox {

enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

/// The options of POST, PUT and PATCH.
struct WriteOptions {
  DryRun dry_run = DryRun::kNo;
  FieldValidation validation = FieldValidation::kWarn;
  std::string field_manager;  ///< As sent; may be empty.
  std::optional<Force> force;
};

/// The type of a write: names the options in messages and decides whether `force` is allowed.
enum class WriteKind : std::uint8_t { kCreate, kUpdate, kPatch, kApply };

[[nodiscard]] ApiResult<WriteOptions> parse_write_options(const Query& query, WriteKind kind);

enum class RevisionMatch : std::uint8_t { kUnset, kExact, kNotOlderThan };

/// The options of LIST and WATCH. Selectors are still text.
struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::int64_t limit = 0;  ///< Not above 0: none.
  std::string continue_token;
  std::string revision;  ///< resourceVersion as given.
  RevisionMatch match = RevisionMatch::kUnset;
  std::optional<std::int64_t> timeout_seconds;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;
};

enum class ListKind : std::uint8_t { kList, kWatch };

[[nodiscard]] ApiResult<ListOptions> parse_list_options(const Query& query, ListKind kind);

enum class Propagation : std::uint8_t { kDefault, kOrphan, kBackground, kForeground };

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds;
  std::string uid;       ///< Precondition; empty: none.
  std::string revision;  ///< Precondition; empty: none.
  Propagation propagation = Propagation::kDefault;
  bool keeps_dependents_away = false;  ///< orphanDependents: false was given.
  DryRun dry_run = DryRun::kNo;
};

/// From a DeleteOptions object.
[[nodiscard]] ApiResult<DeleteOptions> parse_delete_options(const Json& body);
/// From the query, for a DELETE without a body.
[[nodiscard]] ApiResult<DeleteOptions> parse_delete_query(const Query& query);

/// A resourceVersion that is to be a number; 500 or 400 is the caller's business, the message is
/// Go's.
[[nodiscard]] Result<Revision> parse_revision(std::string_view text);

/// `strconv.ParseInt: parsing "abc": invalid syntax`, 400.
[[nodiscard]] ApiResult<std::int64_t> parse_query_integer(std::string_view text);

}  // namespace davit::sandbox

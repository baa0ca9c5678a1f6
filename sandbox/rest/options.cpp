#include "sandbox/rest/options.hpp"

#include <algorithm>
#include <charconv>

#include "lib/base/utf8.hpp"

namespace davit::sandbox {

namespace {

std::string options_kind(WriteKind kind) {
  switch (kind) {
    case WriteKind::kCreate:
      return "CreateOptions";
    case WriteKind::kUpdate:
      return "UpdateOptions";
    case WriteKind::kPatch:
    case WriteKind::kApply:
      break;
  }
  return "PatchOptions";
}

/// k8s: ValidateDryRun.
ApiResult<DryRun> read_dry_run(const std::vector<std::string>& values, const std::string& kind) {
  DryRun out = DryRun::kNo;
  for (const std::string& value : values) {
    if (value == "All") {
      out = DryRun::kYes;
    } else if (!value.empty() || values.size() > 1) {
      Json list = Json::array();
      for (const std::string& each : values) list.push_back(each);
      return invalid_options(kind, {field_not_supported("dryRun", list, {"All"})});
    }
  }
  return out;
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

/// k8s: ValidateFieldManager and the force rules of ValidatePatchOptions.
FieldErrors check_manager(const WriteOptions& options, WriteKind kind) {
  constexpr std::size_t kManagerBytesMax = 128;
  FieldErrors errors;
  if (kind != WriteKind::kApply && options.force) {
    errors.push_back(field_forbidden("force", "may not be specified for non-apply patch"));
  }
  if (kind == WriteKind::kApply && options.field_manager.empty()) {
    errors.push_back(field_required("fieldManager", "is required for apply patch"));
  }
  if (options.field_manager.size() > kManagerBytesMax) {
    errors.push_back(field_too_long("fieldManager", kManagerBytesMax));
  }
  if (!is_printable(options.field_manager)) {
    errors.push_back(field_invalid("fieldManager", options.field_manager,
                                   "should only contain printable characters"));
  }
  return errors;
}

std::optional<FieldValidation> field_validation(std::string_view text) {
  if (text.empty() || text == "Warn") return FieldValidation::kWarn;
  if (text == "Ignore") return FieldValidation::kIgnore;
  if (text == "Strict") return FieldValidation::kStrict;
  return std::nullopt;
}

/// k8s: ValidateListOptions.
FieldErrors check_list(const ListOptions& options, std::string_view match) {
  FieldErrors errors;
  const auto forbid = [&](std::string_view why) {
    errors.push_back(field_forbidden("resourceVersionMatch", why));
  };
  if (!match.empty()) {
    if (options.revision.empty()) {
      forbid("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      forbid("resourceVersionMatch is forbidden when continue is provided");
    }
    if (options.match == RevisionMatch::kUnset) {
      errors.push_back(
          field_not_supported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""}));
    }
    if (options.match == RevisionMatch::kExact && options.revision == "0") {
      forbid("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.send_initial_events) {
    errors.push_back(
        field_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

/// k8s: validateWatchOptions.
FieldErrors check_watch(const ListOptions& options, std::string_view match) {
  FieldErrors errors;
  const auto forbid = [&](std::string_view why) {
    errors.push_back(field_forbidden("resourceVersionMatch", why));
  };
  if (options.send_initial_events && options.match != RevisionMatch::kNotOlderThan) {
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (!match.empty()) {
    if (!options.send_initial_events) {
      forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (options.match != RevisionMatch::kNotOlderThan) {
      errors.push_back(field_not_supported("resourceVersionMatch", match, {"NotOlderThan"}));
    }
    if (!options.continue_token.empty()) {
      forbid("resourceVersionMatch is forbidden when continue is provided");
    }
  }
  return errors;
}

/// k8s: ValidateDeleteOptions. `orphan` is orphanDependents, `policy` propagationPolicy.
FieldErrors read_propagation(const std::optional<bool>& orphan,
                             const std::optional<std::string>& policy, DeleteOptions& out) {
  if (policy && orphan) {
    return {field_invalid("propagationPolicy", *policy,
                          "orphanDependents and deletionPropagation cannot be both set")};
  }
  if (orphan) out.propagation = *orphan ? Propagation::kOrphan : Propagation::kBackground;
  out.keeps_dependents_away = orphan && !*orphan;
  if (!policy) return {};
  if (*policy == "Foreground") {
    out.propagation = Propagation::kForeground;
  } else if (*policy == "Background") {
    out.propagation = Propagation::kBackground;
  } else if (*policy == "Orphan") {
    out.propagation = Propagation::kOrphan;
  } else {
    return {field_not_supported("propagationPolicy", *policy,
                                {"Foreground", "Background", "Orphan", "nil"})};
  }
  return {};
}

}  // namespace

ApiResult<WriteOptions> parse_write_options(const Query& query, WriteKind kind) {
  WriteOptions out;
  const std::string name = options_kind(kind);
  out.field_manager = query.get("fieldManager");
  if (query.find("force")) out.force = query.flag("force") ? Force::kYes : Force::kNo;
  FieldErrors errors = check_manager(out, kind);
  const ApiResult<DryRun> dry_run = read_dry_run(query.all("dryRun"), name);
  if (!dry_run) {
    const FieldErrors& found = dry_run.error().details->causes;
    errors.insert(errors.end(), found.begin(), found.end());
  } else {
    out.dry_run = *dry_run;
  }
  const std::string_view validation = query.get("fieldValidation");
  if (const std::optional<FieldValidation> known = field_validation(validation)) {
    out.validation = *known;
  } else {
    errors.push_back(
        field_not_supported("fieldValidation", validation, {"", "Ignore", "Strict", "Warn"}));
  }
  if (!errors.empty()) return invalid_options(name, std::move(errors));
  return out;
}

ApiResult<ListOptions> parse_list_options(const Query& query, ListKind kind) {
  ListOptions out;
  out.label_selector = query.get("labelSelector");
  out.field_selector = query.get("fieldSelector");
  out.continue_token = query.get("continue");
  out.revision = query.get("resourceVersion");
  out.allow_bookmarks = query.flag("allowWatchBookmarks");
  if (query.find("sendInitialEvents")) out.send_initial_events = query.flag("sendInitialEvents");
  const std::string_view match = query.get("resourceVersionMatch");
  if (match == "Exact") out.match = RevisionMatch::kExact;
  if (match == "NotOlderThan") out.match = RevisionMatch::kNotOlderThan;
  if (const auto limit = query.find("limit"); limit && !limit->empty()) {
    const ApiResult<std::int64_t> number = parse_query_integer(*limit);
    if (!number) return number.error();
    out.limit = *number;
  }
  if (const auto timeout = query.find("timeoutSeconds"); timeout && !timeout->empty()) {
    const ApiResult<std::int64_t> number = parse_query_integer(*timeout);
    if (!number) return number.error();
    out.timeout_seconds = *number;
  }
  FieldErrors errors = kind == ListKind::kWatch ? check_watch(out, match) : check_list(out, match);
  if (!errors.empty()) return invalid_options("ListOptions", std::move(errors));
  return out;
}

ApiResult<DeleteOptions> parse_delete_options(const Json& body) {
  DeleteOptions out;
  if (const Json* grace = body.find("gracePeriodSeconds"); grace != nullptr && !grace->is_null()) {
    const std::optional<std::int64_t> seconds = grace->integer();
    if (!seconds) {
      return bad_request("json: cannot unmarshal " +
                         std::string(grace->is_string() ? "string" : "value") +
                         " into Go struct field DeleteOptions.gracePeriodSeconds of type int64");
    }
    out.grace_seconds = seconds;
  }
  out.uid = body.text_at({"preconditions", "uid"});
  out.revision = body.text_at({"preconditions", "resourceVersion"});
  std::vector<std::string> dry_run;
  for (const Json& each : body.get("dryRun").items()) dry_run.push_back(each.text());
  const ApiResult<DryRun> dry = read_dry_run(dry_run, "DeleteOptions");
  if (!dry) return dry.error();
  out.dry_run = *dry;
  std::optional<bool> orphan;
  if (body.get("orphanDependents").is_boolean()) orphan = body.get("orphanDependents").boolean();
  std::optional<std::string> policy;
  if (body.get("propagationPolicy").is_string()) policy = body.get("propagationPolicy").text();
  FieldErrors errors = read_propagation(orphan, policy, out);
  if (!errors.empty()) return invalid_options("DeleteOptions", std::move(errors));
  return out;
}

ApiResult<DeleteOptions> parse_delete_query(const Query& query) {
  DeleteOptions out;
  if (const auto grace = query.find("gracePeriodSeconds"); grace && !grace->empty()) {
    const ApiResult<std::int64_t> number = parse_query_integer(*grace);
    if (!number) return number.error();
    out.grace_seconds = *number;
  }
  const ApiResult<DryRun> dry = read_dry_run(query.all("dryRun"), "DeleteOptions");
  if (!dry) return dry.error();
  out.dry_run = *dry;
  std::optional<bool> orphan;
  if (query.find("orphanDependents")) orphan = query.flag("orphanDependents");
  std::optional<std::string> policy;
  if (const auto text = query.find("propagationPolicy")) policy = std::string(*text);
  FieldErrors errors = read_propagation(orphan, policy, out);
  if (!errors.empty()) return invalid_options("DeleteOptions", std::move(errors));
  return out;
}

Result<Revision> parse_revision(std::string_view text) {
  Revision out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const std::string quoted = to_text(Json(text));
  if (error == std::errc::result_out_of_range) {
    return Status(Code::kInvalid, "strconv.ParseUint: parsing " + quoted + ": value out of range");
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return Status(Code::kInvalid, "strconv.ParseUint: parsing " + quoted + ": invalid syntax");
  }
  return out;
}

ApiResult<std::int64_t> parse_query_integer(std::string_view text) {
  std::int64_t out = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  const std::string quoted = to_text(Json(text));
  if (error == std::errc::result_out_of_range) {
    return bad_request("strconv.ParseInt: parsing " + quoted + ": value out of range");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return bad_request("strconv.ParseInt: parsing " + quoted + ": invalid syntax");
  }
  return out;
}

}  // namespace davit::sandbox

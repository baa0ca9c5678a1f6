#include "host/api/response_check.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <string>

#include "host/api/expected_kind.hpp"
#include "host/api/request_builder.hpp"
#include "host/config/names.hpp"
#include "host/object/json_scan.hpp"
#include "host/object/parse.hpp"

namespace davit::host {
namespace {

/// The longest part of a text from a response in an error.
constexpr std::size_t kShownMax = 128;

/// The text of a JSON string; empty for any other value.
std::string string_of(std::string_view json) {
  if (json.size() < 2 || json.front() != '"') return {};
  if (json.find('\\') == json.npos) return std::string(json.substr(1, json.size() - 2));
  ObjectSpace names;  // Only for this text, which is small and read once.
  const Result<ObjectRef> read = parse_object(names, R"({"text":)" + std::string(json) + "}");
  return read ? std::string(read->root()["text"].string()) : std::string();
}

/// The parts of an object that say what it is; empty where it has no such string.
struct BodyIdentity {
  std::string kind{};
  std::string api_version{};
  std::string name{};
  std::string generate_name{};
  std::string ns{};
  std::string uid{};
  std::string version{};
  std::string_view items{};    ///< JSON.
  std::string_view details{};  ///< JSON.
  std::string status{};        ///< "Success", if it is a Status.
  std::string message{};
};

void read_metadata(std::string_view json, BodyIdentity& out) {
  if (!json.starts_with('{')) return;
  MemberWalk walk(json);
  while (walk.next()) {
    if (walk.key() == "name") out.name = string_of(walk.value());
    if (walk.key() == "generateName") out.generate_name = string_of(walk.value());
    if (walk.key() == "namespace") out.ns = string_of(walk.value());
    if (walk.key() == "uid") out.uid = string_of(walk.value());
    if (walk.key() == "resourceVersion") out.version = string_of(walk.value());
  }
}

/// False if the text is not one JSON object. The inside of its members may be anything.
bool read_body(std::string_view json, BodyIdentity& out) {
  const char* const end = json.data() + json.size();
  const char* const begin = skip_space(json.data(), end);
  json = json.substr(static_cast<std::size_t>(begin - json.data()));
  if (!json.starts_with('{')) return false;
  MemberWalk walk(json);
  while (walk.next()) {
    if (walk.key() == "kind") out.kind = string_of(walk.value());
    if (walk.key() == "apiVersion") out.api_version = string_of(walk.value());
    if (walk.key() == "metadata") read_metadata(walk.value(), out);
    if (walk.key() == "items") out.items = walk.value();
    if (walk.key() == "details") out.details = walk.value();
    if (walk.key() == "status") out.status = string_of(walk.value());
    if (walk.key() == "message") out.message = string_of(walk.value());
  }
  return walk.ok();
}

std::string kind_text(const BodyIdentity& body) {
  if (body.kind.empty()) return "an object without a kind";
  std::string out = "a " + body.kind.substr(0, kShownMax);
  if (!body.api_version.empty()) out += " of " + body.api_version.substr(0, kShownMax);
  return out;
}

bool has_word(std::string_view list, std::string_view word) {
  return (' ' + std::string(list) + ' ').find(' ' + std::string(word) + ' ') != std::string::npos;
}

class ResponseCheck {
 public:
  ResponseCheck(const ApiRequest& request, std::string_view sent_body)
      : request_(request),
        sent_body_(sent_body),
        expected_({request.path.group, request.path.version, request.path.resource},
                  request.accept == kAcceptMetadata || request.accept == kAcceptMetadataList
                      ? ExpectedKind::Form::kMetadata
                      : ExpectedKind::Form::kWhole,
                  request.catalog) {}

  [[nodiscard]] Status run(std::string_view body) const {
    BodyIdentity found;
    if (!read_body(body, found)) return wrong("is not a JSON object");
    if (found.kind == "Status") return check_status(found);
    if (request_.verb == Verb::kList || request_.verb == Verb::kDeleteCollection) {
      return check_list(found);
    }
    return check_object(found);
  }

 private:
  [[nodiscard]] Status wrong(const std::string& what) const {
    return {Code::kUnavailable, "the server's response " + what + " (" + describe(request_) + ")"};
  }

  [[nodiscard]] Status missing(const char* member) const {
    return wrong(std::string("has no ") + member);
  }

  /// Whether the resource at the end of the path has the objects of the one before it.
  [[nodiscard]] bool is_own_subresource() const {
    const std::string& name = request_.path.subresource;
    if (name.empty() || name == "status") return true;
    return is_built_in_group(request_.path.group) &&
           has_word("approval ephemeralcontainers finalize resize", name);
  }

  [[nodiscard]] bool may_be_status() const {
    const bool is_action = has_word("eviction binding", request_.path.subresource) ||
                           request_.path.resource == "bindings";
    return is_delete(request_.verb) || is_action || is_foreign_subresource();
  }

  /// One that only its server knows.
  [[nodiscard]] bool is_foreign_subresource() const {
    return !is_own_subresource() &&
           !has_word("scale token eviction binding", request_.path.subresource);
  }

  [[nodiscard]] Status check_status(const BodyIdentity& found) const {
    if (found.api_version != "v1") return wrong("is " + kind_text(found));
    if (found.status != "Success") {
      return wrong("is the Status of a failure: " + found.message.substr(0, kShownMax));
    }
    if (!may_be_status() && !mutant("status-body")) return wrong("is a Status");
    BodyIdentity details;
    if (found.details.starts_with('{')) read_metadata(found.details, details);
    const bool is_other = request_.verb == Verb::kDelete && !details.name.empty() &&
                          details.name != request_.path.name;
    return is_other ? wrong("is about another object") : Status();
  }

  [[nodiscard]] Status check_list(const BodyIdentity& found) const {
    if (is_foreign_subresource())
      return found.kind.empty() ? wrong("is " + kind_text(found)) : Status();
    if (!expected_.is_list(found.api_version, found.kind)) return other_kind(found, "a list of ");
    if (found.items.empty()) return missing("items");
    if (request_.verb == Verb::kDeleteCollection) return {};
    if (expected_.is_stored() && found.version.empty()) return missing("metadata.resourceVersion");
    return found.items == "null" ? Status() : check_items(found.items);
  }

  [[nodiscard]] Status check_items(std::string_view items) const {
    if (!items.starts_with('[')) return wrong("has items that are not a list");
    const char* const end = items.data() + items.size();
    const char* at = skip_space(items.data() + 1, end);
    while (at != end && *at != ']') {
      const char* const behind = skip_value(at, end);
      if (behind == nullptr) return wrong("has malformed items");
      const Status item = check_item({at, static_cast<std::size_t>(behind - at)});
      if (!item.ok()) return item;
      at = skip_space(behind, end);
      if (at != end && *at == ',') at = skip_space(at + 1, end);
    }
    return {};
  }

  /// Servers leave out kind and apiVersion of the items of built-in kinds.
  [[nodiscard]] Status check_item(std::string_view json) const {
    BodyIdentity item;
    if (!read_body(json, item)) return wrong("has an item that is not an object");
    const bool has_kind = !item.kind.empty() || !item.api_version.empty();
    if (has_kind && !expected_.is_object(item.api_version, item.kind)) {
      return other_kind(item, "items of ");
    }
    if (!expected_.is_stored()) return {};
    if (item.name.empty()) return wrong("has an item without metadata.name");
    if (item.uid.empty()) return wrong("has an item without metadata.uid");
    if (!request_.path.ns.empty() && item.ns != request_.path.ns) {
      return wrong("has an item of another namespace");
    }
    return {};
  }

  [[nodiscard]] Status check_object(const BodyIdentity& found) const {
    const std::string& subresource = request_.path.subresource;
    // A GET of a metric gives the list of its values, which have no name.
    if (is_metrics_group(request_.path.group) && found.kind.ends_with("List")) return {};
    if (is_foreign_subresource())
      return found.kind.empty() ? wrong("is " + kind_text(found)) : Status();
    if (subresource == "token") {
      const bool is_token =
          found.kind == "TokenRequest" && found.api_version.starts_with("authentication.k8s.io/");
      return is_token ? Status() : wrong("is " + kind_text(found) + " instead of a TokenRequest");
    }
    const bool is_scale = subresource == "scale";
    if (is_scale && found.kind != "Scale")
      return wrong("is " + kind_text(found) + " instead of a Scale");
    if (!is_scale && !is_own_kind(found)) return other_kind(found, "");
    return check_metadata(found, is_scale);
  }

  [[nodiscard]] bool is_own_kind(const BodyIdentity& found) const {
    if (!is_own_subresource()) return false;
    if (expected_.is_object(found.api_version, found.kind)) return true;
    // A request object of an aggregated server may give an object of another kind.
    return request_.verb == Verb::kCreate && !is_built_in_group(request_.path.group) &&
           !found.kind.empty() && found.api_version.starts_with(request_.path.group + '/');
  }

  [[nodiscard]] Status check_metadata(const BodyIdentity& found, bool is_scale) const {
    std::string name = request_.path.name;
    bool is_named = !name.empty();
    if (request_.verb == Verb::kCreate && name.empty()) {
      BodyIdentity sent;
      (void)read_body(sent_body_, sent);
      name = std::move(sent.name);
      is_named = !name.empty() || !sent.generate_name.empty();
    }
    // An object without a name may be a question to the server, which does not keep it.
    if ((!is_named && !expected_.is_stored()) || mutant("body-metadata")) return {};
    if (found.name.empty()) return missing("metadata.name");
    if (!name.empty() && found.name != name) return wrong("is about another object");
    if (found.ns != request_.path.ns) return wrong("is about an object of another namespace");
    if (!expected_.is_stored() && !is_scale) return {};
    if (found.uid.empty()) return missing("metadata.uid");
    const std::string& wanted = request_.delete_options.uid;
    if (!wanted.empty() && found.uid != wanted) return wrong("is about another object");
    // An object that a dry run creates never gets one.
    if (found.version.empty() && request_.dry_run == DryRun::kOff) {
      return missing("metadata.resourceVersion");
    }
    return {};
  }

  [[nodiscard]] Status other_kind(const BodyIdentity& found, const std::string& of) const {
    return wrong("is " + kind_text(found) + " instead of " + of + expected_.text());
  }

  const ApiRequest& request_;
  const std::string_view sent_body_;
  const ExpectedKind expected_;
};

}  // namespace

Status check_response(const ApiRequest& request, std::string_view sent_body,
                      std::string_view body) {
  if (body.empty() && is_delete(request.verb)) return {};
  return ResponseCheck(request, sent_body).run(body);
}

}  // namespace davit::host

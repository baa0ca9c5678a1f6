#include "sandbox/webhook/conversion_review.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/kube/schema/go_words.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/webhook/review_reply.hpp"

namespace davit::sandbox {

namespace {

constexpr ReviewKind kConversionReview{"apiextensions.k8s.io", "ConversionReview"};

/// The type of a value as Go prints it.
std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_null()) return "<nil>";
  return value.text().find_first_of(".eE") == std::string::npos ? "int64" : "float64";
}

/// A member that is a text; "" if it is missing or something else.
const std::string& text_of(const Json& object, std::string_view member) {
  static const std::string kEmpty;
  const Json& value = object.get(member);
  return value.is_string() ? value.text() : kEmpty;
}

/// Why the response is no success; empty: it is one.
std::string response_fault(const ConversionRequest& request, const Json& review) {
  const Json& response = review.get("response");
  const bool is_v1 = request.review_version == "v1";
  if (is_v1 && kind_text(review) != kind_text(kConversionReview)) {
    return "expected webhook response of " + kind_text(kConversionReview) + ", got " +
           kind_text(review);
  }
  if (!response.is_object()) return "no response provided";
  const std::string& uid = response.get("uid").text();
  if (is_v1 && uid != request.uid) {
    return "expected response.uid=" + to_text(Json(request.uid)) + ", got " + to_text(Json(uid));
  }
  const Json& result = response.get("result");
  const std::string& status = result.get("status").text();
  if (status == "Success") return "";
  const std::string& message = result.get("message").text();
  if (!message.empty()) return message;
  return "response.result.status was '" + status + "', not 'Success'";
}

/// Why the objects are no list; empty: they are one, or missing.
std::string list_fault(const Json& review) {
  const Json& list = review.get("response").get("convertedObjects");
  if (list.is_null() || list.is_array()) return "";
  return "json: cannot unmarshal " + std::string(go_kind(list)) +
         " into Go struct field ConversionResponse.response.convertedObjects of type "
         "[]runtime.RawExtension";
}

/// Why a value is no object of a kind; empty: it is one.
std::string object_fault(const Json& converted) {
  if (converted.is_null()) return "unexpected end of JSON input";
  if (!converted.is_object()) {
    return "json: cannot unmarshal " + std::string(go_kind(converted)) +
           " into Go value of type map[string]interface {}";
  }
  // Upstream loses the kind with a version that has more than one slash.
  const std::string& version = text_of(converted, "apiVersion");
  if (text_of(converted, "kind").empty() || std::ranges::count(version, '/') > 1) {
    return "Object 'Kind' is missing in '" + to_text(converted) + '\'';
  }
  return "";
}

/// The part of the identity that differs; empty: none does.
std::string identity_fault(const Json& original, const Json& converted) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMembers = {
      {{"name", "name"}, {"namespace", "namespace"}, {"uid", "UID"}}};
  for (const auto& [member, shown] : kMembers) {
    const std::string& before = text_of(original.get("metadata"), member);
    const std::string& after = text_of(converted.get("metadata"), member);
    if (before == after) continue;
    return "must have the same " + std::string(shown) + ": " + before + " != " + after;
  }
  return "";
}

/// The faults of labels or annotations, as Go prints several errors.
std::string entry_faults(std::string_view field, const Json& entries) {
  const FieldPath metadata = FieldPath("metadata");
  FieldErrors errors;
  if (field == "labels") {
    check_labels(entries, metadata.child("labels"), errors);
  } else {
    check_annotations(entries, metadata.child("annotation"), errors);
  }
  std::string out;
  for (const FieldError& each : errors) {
    out += (out.empty() ? "" : ", ") + each.field + ": " + each.message;
  }
  return errors.size() < 2 ? out : '[' + out + ']';
}

/// Labels or annotations of `converted`, checked where they differ from those of `original`.
std::string map_fault(std::string_view field, const Json& original, const Json& converted) {
  if (!converted.is_object()) {
    return "invalid metadata." + std::string(field) + " of type " +
           std::string(go_type(converted)) + " in converted object";
  }
  for (const Json::Member& each : converted.members()) {
    if (each.value.is_string()) continue;
    return "metadata." + std::string(field) + '[' + each.key + "] must be a string, but is " +
           std::string(go_type(each.value)) + " in converted object";
  }
  return converted == original ? "" : entry_faults(field, converted);
}

/// Puts the metadata of `original` back, but for labels and annotations. Says why it cannot.
std::string restore_metadata(const Json& original, Json& converted) {
  const Json* given = converted.find("metadata");
  if (given == nullptr) return "missing metadata in converted object";
  if (!given->is_object()) {
    return "invalid metadata of type " + std::string(go_type(*given)) + " in converted object";
  }
  const Json changed = *given;
  Json metadata = original.get("metadata");
  metadata.make_object();
  for (const std::string_view field : {"labels", "annotations"}) {
    const Json& value = changed.get(field);
    if (value.is_null()) {
      metadata.erase(field);
      continue;
    }
    if (std::string fault = map_fault(field, metadata.get(field), value); !fault.empty()) {
      return fault;
    }
    metadata.set(field, value);
  }
  if (!mutant("converted-metadata")) converted.set("metadata", std::move(metadata));
  return "";
}

/// "conversion webhook for example.com/v1, Kind=Widget ". A server names the object, not its list.
std::string subject_text(const std::vector<Json>& objects) {
  return "conversion webhook for " + kind_text(objects.front()) + ' ';
}

/// Checks a converted object, and puts its metadata right. The error; empty: it is fine.
std::string adopt(const ConversionRequest& request, const Json& original, Json& converted) {
  if (std::string fault = object_fault(converted); !fault.empty()) return fault;
  const std::string subject = subject_text(request.objects) + "returned invalid ";
  const std::string& version = text_of(converted, "apiVersion");
  if (version != request.api_version) {
    return subject + "object at index 0: invalid groupVersion (expected " + request.api_version +
           ", received " + version + ')';
  }
  const std::string& kind = original.get("kind").text();
  if (kind != converted.get("kind").text()) {
    return subject + "object at index 0: invalid kind (expected " + kind + ", received " +
           converted.get("kind").text() + ')';
  }
  std::string fault = identity_fault(original, converted);
  if (!fault.empty() && !mutant("converted-identity")) return subject + "object: " + fault;
  fault = restore_metadata(original, converted);
  return fault.empty() ? "" : subject + "metadata: " + fault;
}

}  // namespace

std::string conversion_error(const std::vector<Json>& objects, std::string_view why) {
  return subject_text(objects) + "failed: " + std::string(why);
}

std::string conversion_text(const ConversionRequest& request) {
  return request_text(kConversionReview, request.review_version,
                      Json::object({{"uid", request.uid},
                                    {"desiredAPIVersion", request.api_version},
                                    {"objects", Json(request.objects)}}));
}

Conversion read_conversion(const ConversionRequest& request, const HookReply& reply) {
  ReviewReply read = read_reply(reply, kConversionReview, request.review_version);
  if (read.error.empty()) read.error = list_fault(read.review);
  if (read.error.empty()) read.error = response_fault(request, read.review);
  if (!read.error.empty()) return {conversion_error(request.objects, read.error), {}};
  Json* const list = read.review.at({"response", "convertedObjects"});
  std::vector<Json> objects;
  if (list != nullptr && list->is_array()) objects = std::move(list->make_array());
  if (objects.size() != request.objects.size()) {
    return {subject_text(request.objects) + "returned " + std::to_string(objects.size()) +
                " objects, expected " + std::to_string(request.objects.size()),
            {}};
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::string fault = adopt(request, request.objects[i], objects[i]);
    if (!fault.empty()) return {std::move(fault), {}};
  }
  return {"", std::move(objects)};
}

}  // namespace davit::sandbox

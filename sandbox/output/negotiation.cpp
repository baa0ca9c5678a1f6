// Accept headers (k8s.io/apiserver/pkg/endpoints/handlers/negotiation).
#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "sandbox/output/output.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kServed =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// One entry of an Accept header.
struct Entry {
  std::string media;  ///< Lower case.
  std::vector<std::pair<std::string, std::string>> parameters;
  int quality = 1000;  ///< Thousandths.

  [[nodiscard]] std::string_view parameter(std::string_view name) const {
    const auto found =
        std::ranges::find_if(parameters, [&](const auto& each) { return each.first == name; });
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The part before `separator`, which is taken off with it.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

/// "0.8" as 800; what is no number counts as 1.
int thousandths(std::string_view text) {
  double value = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return 1000;
  return static_cast<int>(std::clamp(value, 0.0, 1.0) * 1000);
}

/// In the order of preference.
std::vector<Entry> parse_accept(std::string_view accept) {
  std::vector<Entry> out;
  while (!accept.empty()) {
    std::string_view part = take_part(accept, ',');
    if (part.empty()) continue;
    Entry entry;
    entry.media = lower(take_part(part, ';'));
    while (!part.empty()) {
      std::string_view parameter = take_part(part, ';');
      const std::string name = lower(take_part(parameter, '='));
      if (name == "q") {
        entry.quality = thousandths(parameter);
      } else {
        entry.parameters.emplace_back(name, parameter);
      }
    }
    out.push_back(std::move(entry));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &Entry::quality);
  return out;
}

std::optional<Media> media_of(const Entry& entry) {
  const bool any = entry.media == "*/*" || entry.media == "application/*";
  if (any || entry.media == "application/json") return Media::kJson;
  if (entry.media == "application/yaml") return Media::kYaml;
  return std::nullopt;
}

std::optional<Form> form_of(std::string_view as) {
  if (as.empty()) return Form::kWhole;
  if (as == "Table") return Form::kTable;
  if (as == "PartialObjectMetadata") return Form::kMetadata;
  if (as == "PartialObjectMetadataList") return Form::kMetadataList;
  return std::nullopt;
}

/// The form that `entry` asks for; nothing when nobody knows it.
std::optional<OutputForm> read_form(const Entry& entry, Media media) {
  OutputForm out;
  out.media = media;
  const std::optional<Form> form = form_of(entry.parameter("as"));
  if (!form) return std::nullopt;
  out.form = *form;
  if (*form == Form::kWhole) return out;
  out.meta_version = entry.parameter("v");
  const bool known = out.meta_version == "v1" || out.meta_version == "v1beta1";
  if (!known || entry.parameter("g") != "meta.k8s.io") return std::nullopt;
  return out;
}

/// A single object as a list of metadata, or the other way round.
ApiFailure check_shape(const OutputForm& form, AnswerShape shape, std::string_view kind) {
  const bool list = shape == AnswerShape::kList;
  if (form.form == Form::kMetadata && list) {
    return not_acceptable(
        "you requested PartialObjectMetadata, but the requested object is a list (*core." +
        std::string(kind) + ')');
  }
  if (form.form == Form::kMetadataList && shape == AnswerShape::kObject) {
    return not_acceptable(
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core." +
        std::string(kind) + ')');
  }
  return std::nullopt;
}

enum class Found : bool { kNoMedia, kNoForm };

ApiError nothing_acceptable(AnswerShape shape, Found found) {
  if (shape == AnswerShape::kWatch) {
    return not_acceptable(
        "only the following media types are accepted: application/json;stream=watch, "
        "application/vnd.kubernetes.protobuf;stream=watch");
  }
  if (found == Found::kNoForm) {
    return not_acceptable("only the following media types are accepted: " + std::string(kServed));
  }
  return not_acceptable("406: Not Acceptable\n\nAvailable representations: " +
                        std::string(kServed));
}

}  // namespace

ApiResult<OutputForm> negotiate(std::string_view accept, AnswerShape shape, std::string_view kind) {
  const std::vector<Entry> entries = parse_accept(accept);
  if (entries.empty()) return OutputForm();
  Found found = Found::kNoMedia;
  for (const Entry& entry : entries) {
    const std::optional<Media> media = media_of(entry);
    // A client that asks for nothing but protobuf takes JSON, too.
    if (!media && entry.media != "application/vnd.kubernetes.protobuf") continue;
    found = Found::kNoForm;
    const bool last = &entry == &entries.back();
    if (!media && !last) continue;
    if (media == Media::kYaml && shape == AnswerShape::kWatch) continue;
    const std::optional<OutputForm> form = read_form(entry, media.value_or(Media::kJson));
    if (!form) continue;
    if (ApiFailure failure = check_shape(*form, shape, kind)) return *failure;
    return *form;
  }
  return nothing_acceptable(shape, found);
}

ApiResult<IncludeObject> parse_include_object(std::string_view value) {
  if (value.empty() || value == "Metadata") return IncludeObject::kMetadata;
  if (value == "None") return IncludeObject::kNone;
  if (value == "Object") return IncludeObject::kWhole;
  return bad_request("Unable to convert to Table as requested: includeObject: Invalid value: " +
                     to_text(Json(value)) + ": must be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace davit::sandbox

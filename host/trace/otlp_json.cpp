#include "host/trace/otlp_json.hpp"

#include <algorithm>
#include <charconv>

#include "lib/base/json_text.hpp"
#include "lib/base/utf8.hpp"
#include "lib/base/version.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// The texts of an object may be as long as the object; the receiver keeps the beginning at most.
constexpr std::size_t kTextBytesMax = 1024;

std::string_view cut(std::string_view text) { return utf8_prefix(text, kTextBytesMax); }

/// Protobuf's JSON has integers of 64 bits as strings.
std::string nanoseconds(WallTime time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

std::string attribute(std::string_view key, const std::string& value_json) {
  return JsonText('{').text("key", key).raw("value", value_json).str();
}
std::string text_attribute(std::string_view key, std::string_view value) {
  return attribute(key, JsonText('{').text("stringValue", cut(value)).str());
}

std::string attribute_of(const Span::Attribute& from) {
  if (const auto* const number = std::get_if<std::int64_t>(&from.second)) {
    return attribute(from.first, JsonText('{').text("intValue", std::to_string(*number)).str());
  }
  return text_attribute(from.first, std::get<std::string>(from.second));
}

std::string span_of(const Span& from) {
  constexpr int kInternal = 1;  // SpanKind.
  constexpr int kClient = 3;
  constexpr int kError = 2;  // Status.StatusCode.
  JsonText span('{');
  span.text("traceId", from.context.trace_id).text("spanId", from.context.span_id);
  if (!from.parent_id.empty()) span.text("parentSpanId", from.parent_id);
  span.text("name", from.name)
      .number("kind", from.kind == Span::Kind::kClient ? kClient : kInternal)
      .text("startTimeUnixNano", nanoseconds(from.began))
      .text("endTimeUnixNano", nanoseconds(from.ended));
  JsonText attributes('[');
  for (const Span::Attribute& each : from.attributes) attributes.raw("", attribute_of(each));
  span.raw("attributes", attributes.str());
  if (from.outcome == Span::Outcome::kError) {
    JsonText status('{');
    if (!from.error.empty()) status.text("message", cut(from.error));
    span.raw("status", status.number("code", kError).str());
  }
  return span.str();
}

}  // namespace

std::string otlp_json(const TraceResource& resource, std::span<const Span> spans) {
  JsonText attributes('[');
  for (const auto& [key, value] : resource) attributes.raw("", text_attribute(key, value));
  JsonText list('[');
  for (const Span& each : spans) list.raw("", span_of(each));
  const std::string scope =
      JsonText('{')
          .raw("scope", JsonText('{').text("name", "davit").text("version", kVersion).str())
          .raw("spans", list.str())
          .str();
  const std::string of_resource =
      JsonText('{')
          .raw("resource", JsonText('{').raw("attributes", attributes.str()).str())
          .raw("scopeSpans", JsonText('[').raw("", scope).str())
          .str();
  return JsonText('{').raw("resourceSpans", JsonText('[').raw("", of_resource).str()).str();
}

PartialSuccess partial_success(std::string_view body, std::size_t sent) {
  const Result<Json> parsed = parse_json(body);
  const Json* const part = parsed ? parsed->find("partialSuccess") : nullptr;
  if (part == nullptr) return {};
  PartialSuccess out;
  if (const Json* const message = part->find("errorMessage"); message != nullptr) {
    out.message = cut(message->text());
  }
  if (const Json* const count = part->find("rejectedSpans"); count != nullptr) {
    const std::string& digits = count->text();
    std::uint64_t rejected = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), rejected);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      out.rejected = std::min<std::uint64_t>(rejected, sent);
    }
  }
  return out;
}

}  // namespace davit::host

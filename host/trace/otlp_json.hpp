/// Spans as OTLP in JSON (opentelemetry-proto, ExportTraceServiceRequest). Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "host/trace/tracer.hpp"

namespace davit::host {

/// The attributes of the process, "service.name" among them.
using TraceResource = std::map<std::string, std::string>;

/// The body of an export. A text of an attribute or error is cut after 1 KiB.
[[nodiscard]] std::string otlp_json(const TraceResource& resource, std::span<const Span> spans);

/// The response of a receiver to an export that it took.
struct PartialSuccess {
  std::size_t rejected = 0;  ///< At most `sent` of the call.
  std::string message;       ///< For people; may be empty.
};
/// Reads the response to an export of `sent` spans. A response that is not OTLP counts as full
/// success, because the receiver has accepted the spans.
[[nodiscard]] PartialSuccess partial_success(std::string_view body, std::size_t sent);

}  // namespace davit::host

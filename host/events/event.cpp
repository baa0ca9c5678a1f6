#include "host/events/event.hpp"

#include <cstdio>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/time.hpp>

#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// Writes members of one object, leaving out empty texts.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    name(key);
    append_quoted(out_, value);
  }
  void number(std::string_view key, std::int64_t value) {
    name(key);
    out_ += std::to_string(value);
  }
  void name(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    append_quoted(out_, key);
    out_ += ':';
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_reference(std::string& out, const Reference& reference) {
  Members members(out);
  members.text("kind", reference.kind);
  members.text("namespace", reference.ns);
  members.text("name", reference.name);
  members.text("uid", reference.uid);
  members.text("apiVersion", reference.api_version);
  members.text("resourceVersion", reference.resource_version);
  members.text("fieldPath", reference.field_path);
  members.end();
}

}  // namespace

std::string event_json(const Event& event) {
  std::string out;
  out.reserve(640 + event.message.size());
  Members members(out);
  members.text("apiVersion", "v1");
  members.text("kind", "Event");
  members.name("metadata");
  Members metadata(out);
  metadata.text("name", event.name);
  metadata.text("namespace", event.ns);
  metadata.end();
  members.name("involvedObject");
  append_reference(out, event.regarding);
  members.text("reason", event.reason);
  members.text("message", event.message);
  members.name("source");
  Members source(out);
  source.text("component", event.component);
  source.text("host", event.host);
  source.end();
  members.text("firstTimestamp", format_time(event.first_seen));
  members.text("lastTimestamp", format_time(event.last_seen));
  members.number("count", event.count);
  members.text("type", event.type);
  if (event.reporter == Event::Reporter::kNamed) {
    members.text("reportingComponent", event.component);
    members.text("reportingInstance", event.host);
  }
  members.end();
  return out;
}

std::string event_patch_json(const Event& event) {
  std::string out;
  Members members(out);
  members.number("count", event.count);
  members.text("lastTimestamp", format_time(event.last_seen));
  members.text("message", event.message);
  members.end();
  return out;
}

std::string event_name(std::string_view object, WallTime now, std::string uuid) {
  char stamp[24];
  std::snprintf(stamp, sizeof stamp, ".%llx",
                static_cast<unsigned long long>(now.time_since_epoch().count()));
  std::string name = std::string(object) + stamp;
  return is_dns_subdomain(name) ? name : std::move(uuid);
}

}  // namespace davit::host

/// The first line is the query of /debug/why, and a request on the control socket; the rest is the
/// object as the API server has it. Whatever they say, an answer is lines without control
/// characters, or a JSON document, and names the object that was asked for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/control/control_request.hpp"
#include "host/why/object_argument.hpp"
#include "host/why/present_state.hpp"
#include "host/why/why_request.hpp"
#include "host/why/why_text.hpp"
#include "lib/base/assert.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/json.hpp"
#include "tests/support/fake_clock.hpp"

namespace {
using namespace davit::host;
using davit::Duration;
using davit::Time;

ResourceInfo resource(std::string group, std::string name, std::string kind, Scope scope) {
  ResourceInfo info;
  info.group = std::move(group);
  info.version = "v1";
  info.resource = std::move(name);
  info.kind = std::move(kind);
  info.scope = scope;
  info.short_names = {info.resource.substr(0, 2)};
  return info;
}

ApiCatalog made_catalog() {
  const ResourceInfo pods = resource("", "pods", "Pod", Scope::kNamespaced);
  const ResourceInfo nodes = resource("", "nodes", "Node", Scope::kCluster);
  const ResourceInfo sets = resource("apps", "replicasets", "ReplicaSet", Scope::kNamespaced);
  return {.groups = {{"", {{"v1", {}, {pods, nodes}}}}, {"apps", {{"v1", {}, {sets}}}}}};
}

/// A sync of the object that created a pod, which the server refused with `message`.
WorkRecord record_of(const JournalObject& object, const std::string& message, Time now) {
  WorkRecord record;
  record.began = now;
  record.took = Duration(static_cast<Duration::rep>(message.size()));
  record.queue = message.substr(0, message.size() / 2);
  record.key = object.ns.empty() ? object.name : object.ns + "/" + object.name;
  record.code = static_cast<std::int32_t>(message.size() % 20);
  record.error = message;
  record.is_retried = message.size() % 2 == 1;
  record.wakes = {{Wake::Kind::kUpdated, object, message, now}};
  Write write;
  write.verb = "create";
  write.object = {"", "pods", object.ns, object.name + "-*"};
  write.owner_kind = "ReplicaSet";
  write.owner_name = object.name;
  write.reason = message;
  write.message = message;
  write.began = now;
  record.writes = {write};
  return record;
}

/// Each line of the text is what printable() makes of it: none is lost, and none obeyed.
void check_lines(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = davit::take_until(rest, "\n");
    DAVIT_ASSERT(davit::printable(line) == line);
  }
}

void check_answer(const WhyRequest& request, const ObjectArgument& found, std::string_view rest) {
  static const davit::test::FakeClock clock;
  const ResourceInfo& info = found.resource;
  const JournalObject target{info.group, info.resource,
                             info.scope == Scope::kCluster ? "" : request.ns, found.name};
  const std::vector<WorkRecord> records = {record_of(target, std::string(rest), clock.now())};
  const auto acts = [&records](const ControllerRecords::Look& look) { look(records.front()); };
  const auto none = [](const ControllerRecords::Look&) {};
  WhyAnswer answer{
      .target = {.object = target, .kind = info.kind},
      .story = tell_story(target, info.kind, {{"replicaset-controller", acts, none}},
                          [](const std::string&, const std::string&) { return std::string(); }),
      .now = {},
      .reaches_back_to = {},
      .clock = WallClockReading(clock)};
  DAVIT_ASSERT(!answer.story.entries.empty());
  if (const auto object = davit::parse_json(rest); object) {
    for (std::string& line : hindrances(*object)) {
      answer.now.push_back({name_text(target), std::move(line)});
    }
  }
  check_lines(to_text(answer));
  check_lines(to_timeline(answer));
  const std::string json = to_json(answer);
  DAVIT_ASSERT(json.find('\n') == json.npos);
  const auto document = davit::parse_json(json);
  DAVIT_ASSERT(document.has_value());
  if (davit::printable(found.name) == found.name) {
    DAVIT_ASSERT(document->text_at({"object", "name"}) == found.name);
  }
}

void check_socket(std::string_view line) {
  const davit::Result<ControlRequest> request = parse_request(line);
  if (!request) return;
  const std::string again = to_line(*request);
  const davit::Result<ControlRequest> read = parse_request(again);
  DAVIT_ASSERT(read.has_value());
  DAVIT_ASSERT(to_line(*read) == again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ApiCatalog catalog = made_catalog();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::string_view rest = input.substr(std::min(input.size(), line.size() + 1));
  check_socket(line);
  const WhyRequest request = why_request_of_query(line);
  const davit::Result<ObjectArgument> found = resolve_object(request.object, catalog);
  if (found) {
    check_answer(request, *found, rest);
  } else {
    check_lines(found.error().message());
  }
  return 0;
}

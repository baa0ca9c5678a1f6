// Responses as JSON, whichever of its media types a server answered in.
#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "lib/kube/schema/schema.hpp"
#include "lib/kube/schema/wire.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::checks {

namespace {

bool is_protobuf(const Reply& reply) {
  return reply.header("Content-Type").starts_with("application/vnd.kubernetes.protobuf");
}

/// Calls `each` with the tag and the content of every member that has a length.
template <typename Each>
void each_member(std::string_view message, Each each) {
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    const protozero::pbf_tag_type tag = reader.tag();  // Gone once the content is read.
    if (reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
      const protozero::data_view content = reader.get_view();
      each(tag, std::string_view(content.data(), content.size()));
    } else {
      reader.skip();
    }
  }
}

/// The content after the prefix: an object or list with its type.
struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;

  [[nodiscard]] static Envelope of(std::string_view body) {
    Envelope out;
    each_member(body.substr(wire::kEnvelopePrefix.size()), [&](auto tag, std::string_view content) {
      if (tag == wire::kUnknownRaw) out.raw = content;
      if (tag != wire::kUnknownTypeMeta) return;
      each_member(content, [&](auto member, std::string_view text) {
        if (member == wire::kTypeMetaApiVersion) out.api_version = text;
        if (member == wire::kTypeMetaKind) out.kind = text;
      });
    });
    return out;
  }
  [[nodiscard]] std::string body() const {
    std::string type;
    protozero::pbf_writer type_writer(type);
    type_writer.add_string(wire::kTypeMetaApiVersion, api_version);
    type_writer.add_string(wire::kTypeMetaKind, kind);
    std::string out(wire::kEnvelopePrefix);
    protozero::pbf_writer writer(out);
    writer.add_message(wire::kUnknownTypeMeta, type);
    writer.add_message(wire::kUnknownRaw, raw.data(), raw.size());
    return out;
  }
};

/// Null when it is not the protobuf of a known kind.
Json decode_object(std::string_view body) {
  Result<Json> object = decode_protobuf(body, "object");
  return object ? std::move(*object) : Json();
}

/// The type and the items of a list.
Json decode(std::string_view body) {
  constexpr std::string_view kList = "List";
  if (!body.starts_with(wire::kEnvelopePrefix)) return Json();
  const Envelope envelope = Envelope::of(body);
  if (!envelope.kind.ends_with(kList)) return decode_object(body);
  Envelope item = envelope;
  item.kind.resize(item.kind.size() - kList.size());
  Json items = Json::array();
  each_member(envelope.raw, [&](auto tag, std::string_view content) {
    item.raw = content;
    if (tag == wire::kListItems) items.push_back(decode_object(item.body()));
  });
  return Json::object(
      {{"kind", envelope.kind}, {"apiVersion", envelope.api_version}, {"items", std::move(items)}});
}

/// Calls `each` with every whole event that came as protobuf.
template <typename Each>
void each_frame(std::string_view body, Each each) {
  while (auto event = decode_protobuf_event(body)) {
    body.remove_prefix(event->bytes);
    each(*event);
  }
}

}  // namespace

std::string Reply::header(const std::string& name) const {
  const auto same = [&name](const auto& pair) {
    return std::equal(
        pair.first.begin(), pair.first.end(), name.begin(), name.end(),
        [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto found = std::find_if(headers.begin(), headers.end(), same);
  return found == headers.end() ? std::string() : found->second;
}

Json Reply::json() const {
  if (is_protobuf(*this)) return decode(body);
  Result<Json> parsed = parse_json(body);
  return parsed ? std::move(*parsed) : Json();
}

std::vector<Json> Reply::events() const {
  std::vector<Json> out;
  if (is_protobuf(*this)) {
    each_frame(body, [&out](ProtobufEvent& event) {
      out.push_back(Json::object({{"type", event.type}, {"object", std::move(event.object)}}));
    });
    return out;
  }
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    if (Result<Json> line = parse_json(body.substr(at, end - at))) {
      out.push_back(std::move(*line));
    }
    at = end + 1;
  }
  return out;
}

std::size_t Reply::events_count() const {
  std::size_t count = 0;
  if (is_protobuf(*this)) {
    each_frame(body, [&count](const auto&) { ++count; });
  } else {
    count = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  }
  return count;
}

}  // namespace davit::checks

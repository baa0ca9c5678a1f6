#include "sandbox/store/journal_record.hpp"

#include <boost/crc.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace davit::sandbox {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kCoveredBytes = 8;  // The part of the header under its own checksum.
/// No object is near it: the API's limit is 3 MiB a request.
constexpr std::size_t kPayloadBytesMax = 64U << 20U;

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

void append_number(std::string& out, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(static_cast<unsigned char>(number >> shift));
  }
}

std::uint32_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (unsigned i = 0; i < 4; ++i) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  }
  return number;
}

std::string_view word(JournalRecord::Kind kind) {
  switch (kind) {
    case JournalRecord::Kind::kPut:
      return "put";
    case JournalRecord::Kind::kRemove:
      return "remove";
    case JournalRecord::Kind::kRevision:
      return "revision";
  }
  return "";
}

std::optional<JournalRecord::Kind> kind_of(std::string_view text) {
  for (const auto kind :
       {JournalRecord::Kind::kPut, JournalRecord::Kind::kRemove, JournalRecord::Kind::kRevision}) {
    if (text == word(kind)) return kind;
  }
  return std::nullopt;
}

Json pairs_to_json(const Pairs& pairs) {
  Json out = Json::object();
  for (const auto& [key, value] : pairs) out.make_object().push_back({key, value});
  return out;
}

Pairs pairs_from_json(const Json& json) {
  Pairs out;
  for (const Json::Member& each : json.members()) out.emplace_back(each.key, each.value.text());
  return out;
}

Json about(const JournalRecord& record) {
  Json out = Json::object({{"op", word(record.kind)},
                           {"revision", static_cast<std::int64_t>(record.object->revision)}});
  if (record.kind == JournalRecord::Kind::kRevision) return out;
  out.set("group", record.collection.group);
  out.set("resource", record.collection.resource);
  out.set("ns", record.object->ns);
  out.set("name", record.object->name);
  if (record.kind == JournalRecord::Kind::kRemove) return out;
  out.set("uid", record.object->uid);
  out.set("labels", pairs_to_json(record.object->labels));
  out.set("fields", pairs_to_json(record.object->fields));
  return out;
}

/// Nothing if the payload has the right checksum but is not a record: another program wrote it.
std::optional<JournalRecord> decode_payload(std::string_view payload) {
  const std::size_t line = payload.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  const Result<Json> json = parse_json(payload.substr(0, line));
  if (!json) return std::nullopt;
  const std::optional<JournalRecord::Kind> kind = kind_of(json->text_at({"op"}));
  const std::int64_t revision = json->get("revision").integer_or(0);
  if (!kind || revision <= 0) return std::nullopt;
  Version object;
  object.ns = json->text_at({"ns"});
  object.name = json->text_at({"name"});
  object.uid = json->text_at({"uid"});
  object.revision = static_cast<Revision>(revision);
  object.labels = pairs_from_json(json->get("labels"));
  object.fields = pairs_from_json(json->get("fields"));
  object.text = payload.substr(line + 1);
  // Everybody who reads a version trusts its text.
  if (*kind == JournalRecord::Kind::kPut && !parse_json(object.text)) return std::nullopt;
  return JournalRecord{*kind,
                       {json->text_at({"group"}), json->text_at({"resource"})},
                       std::make_shared<const Version>(std::move(object))};
}

Status damaged(std::size_t offset, std::string_view why) {
  return {Code::kInvalid, "damaged at byte " + std::to_string(offset) + ": " + std::string(why)};
}

}  // namespace

Result<std::string> encode_record(const JournalRecord& record) {
  std::string payload = to_text(about(record));
  payload += '\n';
  if (record.kind == JournalRecord::Kind::kPut) payload += record.object->text;
  if (payload.size() > kPayloadBytesMax) {
    return Status(Code::kInvalid, "the object is too large for the data file");
  }

  std::string out;
  out.reserve(kHeaderBytes + payload.size());
  append_number(out, static_cast<std::uint32_t>(payload.size()));
  append_number(out, checksum(payload));
  append_number(out, checksum(out));
  out += payload;
  return out;
}

Result<ParsedJournal> parse_journal(std::string_view content) {
  ParsedJournal out;
  if (content.size() < kJournalMagic.size()) {
    if (kJournalMagic.starts_with(content)) return out;
  }
  if (!content.starts_with(kJournalMagic)) {
    return Status(Code::kInvalid, "not a sandbox data file");
  }
  out.bytes = kJournalMagic.size();
  while (out.bytes < content.size()) {
    const std::string_view rest = content.substr(out.bytes);
    if (rest.size() < kHeaderBytes) break;
    if (number_at(rest, kCoveredBytes) != checksum(rest.substr(0, kCoveredBytes))) {
      if (rest.find_first_not_of('\0') == std::string_view::npos) break;
      return damaged(out.bytes, "not the start of a record");
    }
    const std::size_t length = number_at(rest, 0);
    if (rest.size() - kHeaderBytes < length) break;
    const std::string_view payload = rest.substr(kHeaderBytes, length);
    if (number_at(rest, 4) != checksum(payload)) {
      return damaged(out.bytes, "the record's checksum does not match");
    }
    std::optional<JournalRecord> record = decode_payload(payload);
    if (!record) return damaged(out.bytes, "the record is malformed");
    out.records.push_back(std::move(*record));
    out.bytes += kHeaderBytes + length;
  }
  return out;
}

}  // namespace davit::sandbox

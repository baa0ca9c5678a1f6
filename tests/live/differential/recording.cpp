#include "tests/live/differential/recording.hpp"

#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include "tests/live/support/process.hpp"

namespace davit::live {

namespace {

/// An operation's members and the answer.
constexpr std::size_t kMembers = 6;

Status bad_recording(const std::string& file, const std::string& what) {
  return Status(Code::kInvalid, "the recording " + file + ' ' + what +
                                    "; record it: docs/TESTING.md, \"Recordings\"");
}

/// The text of a gzip file whose checksum is right.
Result<std::string> unzipped(const std::string& file) {
  if (!std::filesystem::exists(file)) return bad_recording(file, "is missing");
  gzFile in = gzopen(file.c_str(), "rb");
  if (in == nullptr) return bad_recording(file, "cannot be read");
  std::string out;
  char buffer[65536];
  int got = 0;
  while ((got = gzread(in, buffer, sizeof buffer)) > 0) {
    out.append(buffer, static_cast<std::size_t>(got));
  }
  const bool is_plain = gzdirect(in) != 0;
  // A file that ends too early shows when it is closed.
  if (gzclose_r(in) != Z_OK || got < 0 || is_plain)
    return bad_recording(file, "is damaged: no gzip");
  return out;
}

}  // namespace

void write_exchanges(const std::string& file, const std::vector<Exchange>& exchanges) {
  std::string text;
  for (const auto& [operation, answer] : exchanges) {
    append_text(text, Json::array({operation.method, operation.target, operation.type,
                                   operation.body, operation.object, answer}));
    text += '\n';
  }
  gzFile out = gzopen(file.c_str(), "wb9");
  if (out == nullptr) give_up("cannot write " + file);
  const bool is_written = gzwrite(out, text.data(), static_cast<unsigned>(text.size())) > 0;
  if (gzclose_w(out) != Z_OK || !is_written) give_up("cannot write " + file);
}

Result<std::vector<Exchange>> read_exchanges(const std::string& file) {
  const Result<std::string> text = unzipped(file);
  if (!text) return text.error();
  std::vector<Exchange> out;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const Result<Json> line = parse_json(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!line || line->items().size() != kMembers) {
      return bad_recording(file, "is damaged: line " + std::to_string(out.size() + 1));
    }
    const Json::Items& members = line->items();
    out.push_back({{members[0].text(), members[1].text(), members[2].text(), members[3].text(),
                    members[4].text()},
                   members[5].text()});
  }
  if (out.empty()) return bad_recording(file, "is damaged: it is empty");
  return out;
}

}  // namespace davit::live

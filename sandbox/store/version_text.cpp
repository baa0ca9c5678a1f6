#include "sandbox/store/version_text.hpp"

#include <algorithm>

#include "lib/base/json_text.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kRevision = "resourceVersion";

void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  append_quoted(out, key);
  out += ':';
}

const Json::Member* find_member(const Json::Members& members, std::string_view key) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const Json::Member& each) { return each.key == key; });
  return found == members.end() ? nullptr : &*found;
}

}  // namespace

VersionText::VersionText(const Json& object) {
  text_ += '{';
  for (const Json::Member& each : object.members()) {
    append_key(text_, each.key);
    if (each.key == kMetadata) {
      append_metadata(each.value.members());
    } else {
      append_text(text_, each.value);
    }
  }
  if (!object.contains(kMetadata)) {
    append_key(text_, kMetadata);
    append_metadata({});
  }
  text_ += '}';
}

void VersionText::append_metadata(const Json::Members& members) {
  // Upstream's ObjectMeta has it after the uid. Clients do not care, but people who read it do.
  const Json::Member* before = find_member(members, "uid");
  const auto append_gap = [this] {
    append_key(text_, kRevision);
    text_ += '"';
    gap_ = text_.size();
    text_ += '"';
  };
  text_ += '{';
  for (const Json::Member& each : members) {
    if (each.key == kRevision) continue;
    append_key(text_, each.key);
    append_text(text_, each.value);
    if (&each == before) append_gap();
  }
  if (before == nullptr) append_gap();
  text_ += '}';
}

std::string VersionText::with(Revision revision) const {
  const std::string digits = std::to_string(revision);
  std::string out;
  out.reserve(text_.size() + digits.size());
  out.append(text_, 0, gap_);
  out += digits;
  out.append(text_, gap_);
  return out;
}

}  // namespace davit::sandbox

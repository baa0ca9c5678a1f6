#include "host/plugin/intended_writes.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "host/api/request_builder.hpp"

namespace davit::host {
namespace {

/// Different writes of a controller that are kept: with the limit of their text at most 5 MiB.
constexpr std::size_t kWritesMax = 2000;
constexpr std::size_t kContentBytesMax = 2048;

std::string_view verb_of(Verb verb) {
  switch (verb) {
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    default:
      return "delete";
  }
}

std::string_view patch_of(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "json ";
    case PatchType::kStrategic:
      return "strategic ";
    case PatchType::kApply:
      return "apply ";
    default:
      return "merge ";
  }
}

/// Whether `text` begins as RFC 3339 times do: "2026-01-02T03:04:05".
bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  return true;
}

/// The delete options are part of the intent; the current version in them is not.
std::string delete_text(const DeleteOptions& options) {
  std::string out;
  if (options.grace_seconds) out += "grace " + std::to_string(*options.grace_seconds) + "s ";
  if (!options.uid.empty()) out += "uid " + options.uid;
  return out;
}

}  // namespace

std::string without_moments(std::string_view body) {
  constexpr std::string_view kVersion = R"("resourceVersion":")";
  std::string out;
  out.reserve(body.size());
  while (!body.empty()) {
    const bool version = body.starts_with(kVersion);
    if (!version && (body.front() != '"' || !is_time(body.substr(1)))) {
      out += body.front();
      body.remove_prefix(1);
      continue;
    }
    const std::size_t begin = version ? kVersion.size() : 1;
    out += version ? R"("resourceVersion":"*")" : "\"<time>\"";
    body.remove_prefix(std::min(body.size(), body.find('"', begin)));
    if (!body.empty()) body.remove_prefix(1);
  }
  return out;
}

IntendedWrite intended_write(const ApiRequest& request, std::string_view name) {
  const ResourcePath& path = request.path;
  IntendedWrite write;
  write.verb = verb_of(request.verb);
  write.resource = (path.group.empty() ? "" : path.group + "/") + path.version + " " +
                   path.resource + (path.subresource.empty() ? "" : "/" + path.subresource);
  write.object = (path.ns.empty() ? "" : path.ns + "/") + std::string(name);
  if (request.verb == Verb::kPatch) write.content = patch_of(request.patch_type);
  write.content +=
      is_delete(request.verb) ? delete_text(request.delete_options) : without_moments(request.body);
  if (write.content.size() > kContentBytesMax) {
    // The hash distinguishes two bodies with the same beginning.
    const std::size_t hash = std::hash<std::string>()(write.content);
    const std::size_t cut = write.content.size() - kContentBytesMax;
    write.content.resize(kContentBytesMax);
    write.content += "... " + std::to_string(cut) + " bytes more, hash " + std::to_string(hash);
  }
  if (is_confidential(path) && !is_delete(request.verb)) {
    write.hidden = std::exchange(write.content, "(confidential)");
  }
  return write;
}

IntendedWrite intended_request(const OutboundRequest& request) {
  const std::string& target = request.url.target;
  IntendedWrite write;
  write.verb = request.method;
  write.resource = request.url.origin();
  write.object = target.substr(0, target.find('?'));
  write.content = "(confidential)";
  write.hidden = target.substr(write.object.size()) + "\n" + without_moments(request.body);
  if (write.hidden.size() > kContentBytesMax) {
    write.hidden = std::to_string(std::hash<std::string>()(write.hidden));
  }
  return write;
}

void IntendedWrites::begin(Mode mode) {
  MutexLock lock(mutex_);
  content_ = {};
  mode_.store(mode, std::memory_order_relaxed);
}

void IntendedWrites::note(IntendedWrite write, Time now) {
  MutexLock lock(mutex_);
  if (content_.writes.size() >= kWritesMax && !content_.writes.contains(write)) {
    ++content_.beyond;
    return;
  }
  content_.writes.emplace(std::move(write), now);
}

void IntendedWrites::note_sync(davit_code code, std::string_view error) {
  MutexLock lock(mutex_);
  ++content_.syncs;
  if (code == DAVIT_OK) return;
  ++content_.failed;
  content_.last_error = error;
}

IntendedWrites::Content IntendedWrites::content() const {
  MutexLock lock(mutex_);
  return content_;
}

}  // namespace davit::host

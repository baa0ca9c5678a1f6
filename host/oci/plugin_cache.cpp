#include "host/oci/plugin_cache.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <davit/mutant.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "host/config/oci_reference.hpp"
#include "host/loading/digest.hpp"
#include "host/loading/staging.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

constexpr const char* kIndexCopy = "index.json";
constexpr const char* kManifestCopy = "manifest.json";
/// The names of entries that are being written begin so.
constexpr std::string_view kUnfinished = ".new-";
/// The names of the notes about tags begin so.
constexpr const char* kTagNote = "tag-";

std::string entry_name(const std::string& digest) { return digest.substr(digest.find(':') + 1); }

Status missing(const std::string& digest) {
  return Status(Code::kNotFound, digest + " is not in the cache");
}

/// The documents of an entry, as a source; it has no blobs.
class EntrySource final : public BundleSource {
 public:
  EntrySource(std::filesystem::path entry, std::string digest)
      : entry_(std::move(entry)), digest_(std::move(digest)) {}
  [[nodiscard]] Result<std::string> document(const std::string& wanted) override {
    return read_text_file((entry_ / (wanted == digest_ ? kIndexCopy : kManifestCopy)).string());
  }
  [[nodiscard]] Result<std::string> blob(const OciDescriptor& descriptor) override {
    return missing(descriptor.digest);
  }

 private:
  const std::filesystem::path entry_;
  const std::string digest_;
};

/// Makes the folder and those above it, which are missing, for this user alone: with another umask
/// the host would not trust what is in them. mkdtemp() reports a failure.
void make_private(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::exists(folder, ignored)) return;
  make_private(folder.parent_path());
  (void)::mkdir(folder.c_str(), S_IRWXU);
}

std::uintmax_t bytes_of(const std::filesystem::path& entry) {
  std::uintmax_t out = 0;
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator each(entry, failed), end;
       !failed && each != end; each.increment(failed)) {
    std::error_code ignored;
    const std::uintmax_t size = each->is_regular_file(ignored) ? each->file_size(ignored) : 0;
    out += ignored ? 0 : size;
  }
  return out;
}

/// Whether nothing was written into it for so long that its process has ended.
bool is_left_behind(const std::filesystem::path& entry) {
  constexpr std::chrono::hours kDay{24};
  if (!entry.filename().string().starts_with(kUnfinished)) return false;
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(entry, failed);
  return !failed && written < std::filesystem::file_time_type::clock::now() - kDay;
}

/// Writes the files of an entry.
Status write_entry(const std::filesystem::path& entry, const OpenedBundle& bundle) {
  std::vector<BundleFile> files = bundle.files;
  files.push_back({kIndexCopy, bundle.index});
  files.push_back({kManifestCopy, bundle.manifest});
  files.push_back({bundle.name + ".so", bundle.plugin});
  if (!bundle.signature.empty()) files.push_back({bundle.name + ".so.sig", bundle.signature});
  for (const BundleFile& each : files) {
    const std::string path = (entry / each.name).string();
    if (Status s = replace_file(path, each.content, Readable::kByOwner); !s.ok()) return s;
  }
  return {};
}

}  // namespace

Result<CachedPlugin> PluginCache::find(const std::string& digest,
                                       const std::string& architecture) const {
  if (!is_oci_digest(digest)) return missing(digest);
  const std::filesystem::path entry = folder_ / entry_name(digest);
  EntrySource source(entry, digest);
  const Result<BundleFacts> facts = read_facts(source, digest, architecture);
  if (!facts) return missing(digest);
  CachedPlugin out{entry / (facts->name + ".so"), facts->plugin_digest, facts->name,
                   facts->version};
  const Result<TrustedFile> file = read_trusted(out.file);
  const bool same = file && file->digest == out.sha256;
  if (!same && !mutant("cached-plugin")) return missing(digest);
  return out;
}

Result<CachedPlugin> PluginCache::keep(const OpenedBundle& bundle) {
  const auto failed = [&](int error) {
    return Status(Code::kUnavailable, "the cache of plugins " + folder_.string() + ": " +
                                          std::generic_category().message(error));
  };
  make_private(folder_);
  std::string fresh = (folder_ / (std::string(kUnfinished) + "XXXXXX")).string();
  if (::mkdtemp(fresh.data()) == nullptr) return failed(errno);
  const Status written = write_entry(fresh, bundle);
  std::error_code ignored;
  if (!written.ok()) {
    std::filesystem::remove_all(fresh, ignored);
    return written;
  }
  const std::filesystem::path entry = folder_ / entry_name(bundle.digest);
  std::filesystem::remove_all(entry, ignored);  // It was not what it was.
  std::error_code moved;
  std::filesystem::rename(fresh, entry, moved);
  if (moved) {
    std::filesystem::remove_all(fresh, ignored);
    // Another process was faster.
    if (moved != std::errc::directory_not_empty && moved != std::errc::file_exists) {
      return failed(moved.value());
    }
  }
  return CachedPlugin{entry / (bundle.name + ".so"), bundle.plugin_digest, bundle.name,
                      bundle.version};
}

void PluginCache::remember(const std::string& reference, const std::string& digest) {
  // keep() reports a cache that cannot be written; this only helps while a registry is down.
  (void)replace_file((folder_ / (kTagNote + sha256_hex(reference))).string(), digest,
                     Readable::kByOwner);
}

std::string PluginCache::recall(const std::string& reference) const {
  const std::string file = (folder_ / (kTagNote + sha256_hex(reference))).string();
  const Result<std::string> digest = read_text_file(file);
  const bool trusted = digest && check_trust(std::filesystem::path(file)).ok();
  return trusted && is_oci_digest(*digest) ? *digest : "";
}

void PluginCache::prune(const std::set<std::string>& used) {
  std::set<std::string> names;
  for (const std::string& each : used) names.insert(entry_name(each));
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> others;
  std::vector<std::filesystem::path> left_behind;
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(folder_, failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename().string();
    std::error_code ignored;
    if (is_left_behind(each->path())) left_behind.push_back(each->path());
    if (!is_oci_digest("sha256:" + name) || names.contains(name)) continue;
    others.emplace_back(std::filesystem::last_write_time(each->path(), ignored), each->path());
    bytes += bytes_of(each->path());
  }
  std::error_code ignored;
  for (const auto& each : left_behind) std::filesystem::remove_all(each, ignored);
  std::sort(others.begin(), others.end());
  while ((others.size() + names.size() > kKept || bytes > bytes_max_) && !others.empty()) {
    bytes -= std::min(bytes, bytes_of(others.front().second));
    std::filesystem::remove_all(others.front().second, ignored);
    others.erase(others.begin());
  }
}

}  // namespace davit::host

#include "host/oci/layout.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "host/config/oci_reference.hpp"
#include "host/oci/tar.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

constexpr const char* kMarkFile = "oci-layout";
constexpr const char* kMark = R"({"imageLayoutVersion":"1.0.0"})";
constexpr const char* kIndexFile = "index.json";
constexpr const char* kTagAnnotation = "org.opencontainers.image.ref.name";
/// All blobs, and the headers and padding of their archive.
constexpr std::size_t kArchiveBytesMax = OciLimits::kTotalBytes + (std::size_t{1} << 20);

Status not_a_layout(const std::string& why) { return Status(Code::kInvalid, why); }

/// "blobs/sha256/…" for a digest.
std::string blob_name(const std::string& digest) {
  std::string name = "blobs/" + digest;
  std::replace(name.begin(), name.end(), ':', '/');
  return name;
}

/// A regular file of at most `bytes_max`.
Result<std::string> read_bounded(const std::string& path, std::size_t bytes_max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  const auto failed = [&](int error) {
    const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kInvalid;
    return Status(code, path + ": " + std::generic_category().message(error));
  };
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) return failed(errno);
  if (!S_ISREG(info.st_mode)) return not_a_layout(path + ": is not a regular file");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > bytes_max) {
    return not_a_layout(path + ": has more than " + std::to_string(bytes_max) + " bytes");
  }
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t now = ::read(file.get(), bytes.data() + got, size - got);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return failed(errno);
    if (now == 0) break;
    got += static_cast<std::size_t>(now);
  }
  bytes.resize(got);
  return bytes;
}

/// The files of a layout, by their names in it.
class LayoutFiles {
 public:
  LayoutFiles() = default;
  LayoutFiles(const LayoutFiles&) = delete;
  LayoutFiles& operator=(const LayoutFiles&) = delete;
  virtual ~LayoutFiles() = default;
  [[nodiscard]] virtual Result<std::string> read(const std::string& name,
                                                 std::size_t bytes_max) const = 0;
};

class DirectoryFiles final : public LayoutFiles {
 public:
  explicit DirectoryFiles(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Result<std::string> read(const std::string& name,
                                         std::size_t bytes_max) const override {
    return read_bounded((std::filesystem::path(path_) / name).string(), bytes_max);
  }

 private:
  const std::string path_;
};

class ArchiveFiles final : public LayoutFiles {
 public:
  static Result<std::unique_ptr<LayoutFiles>> open(const std::string& path) {
    Result<std::string> bytes = read_bounded(path, kArchiveBytesMax);
    if (!bytes) return bytes.error();
    auto out = std::make_unique<ArchiveFiles>();
    out->bytes_ = *std::move(bytes);
    const Result<std::vector<ArchivedFile>> files = read_tar(out->bytes_);
    if (!files) return files.error().with_context(path);
    for (const ArchivedFile& each : *files) out->files_[each.name] = each.content;
    return Result<std::unique_ptr<LayoutFiles>>(std::move(out));
  }
  [[nodiscard]] Result<std::string> read(const std::string& name,
                                         std::size_t bytes_max) const override {
    const auto found = files_.find(name);
    if (found == files_.end()) return Status(Code::kNotFound, name + " is missing");
    if (found->second.size() > bytes_max) return not_a_layout(name + " is too large");
    return std::string(found->second);
  }

 private:
  std::string bytes_;
  std::map<std::string, std::string_view> files_;  // Into bytes_.
};

class LayoutSource final : public BundleSource {
 public:
  explicit LayoutSource(std::unique_ptr<LayoutFiles> files) : files_(std::move(files)) {}
  [[nodiscard]] Result<std::string> document(const std::string& wanted) override {
    if (!is_oci_digest(wanted)) return not_a_layout(short_json_string(wanted) + " is not a digest");
    return files_->read(blob_name(wanted), OciLimits::kDocumentBytes);
  }
  [[nodiscard]] Result<std::string> blob(const OciDescriptor& descriptor) override {
    return files_->read(blob_name(descriptor.digest), descriptor.size);
  }

 private:
  const std::unique_ptr<LayoutFiles> files_;
};

/// The digest of the only artifact that the layout's own index names.
Result<std::string> only_artifact(const LayoutFiles& files) {
  constexpr std::size_t kMarkBytesMax = 4096;
  const Result<std::string> mark = files.read(kMarkFile, kMarkBytesMax);
  const Result<Json> layout = mark ? parse_json(*mark) : mark.error();
  if (!layout || layout->text_at({"imageLayoutVersion"}) != "1.0.0") {
    return not_a_layout("is not an image layout: it has no file oci-layout of version 1.0.0");
  }
  const Result<std::string> text = files.read(kIndexFile, OciLimits::kDocumentBytes);
  const Result<Json> index = text ? parse_json(*text) : text.error();
  if (!index) return not_a_layout("its index.json cannot be read");
  const Json::Items& manifests = index->get("manifests").items();
  if (manifests.size() != 1) {
    return not_a_layout("has " + std::to_string(manifests.size()) + " artifacts; it must have one");
  }
  const std::string& digest = manifests.front().text_at({"digest"});
  if (!is_oci_digest(digest)) return not_a_layout("its index.json has no digest of SHA-256");
  return digest;
}

}  // namespace

bool is_layout_archive(const std::string& path) { return path.ends_with(".tar"); }

Status write_layout(const std::string& path, const OciArtifact& artifact, const std::string& tag) {
  const OciDescriptor root = describe(kOciIndexType, artifact.index);
  const Json entry = Json::object({{"mediaType", root.media_type},
                                   {"digest", root.digest},
                                   {"size", static_cast<std::int64_t>(root.size)},
                                   {"annotations", Json::object({{kTagAnnotation, tag}})}});
  const std::string index = to_text(Json::object(
      {{"schemaVersion", 2}, {"mediaType", kOciIndexType}, {"manifests", Json::array({entry})}}));
  std::vector<ArchivedFile> files = {{blob_name(root.digest), artifact.index}};
  for (const auto& [digest, bytes] : artifact.blobs) files.push_back({blob_name(digest), bytes});
  files.push_back({kIndexFile, index});
  files.push_back({kMarkFile, kMark});
  if (is_layout_archive(path)) return replace_file(path, write_tar(files), Readable::kByAll);
  for (const ArchivedFile& each : files) {
    const std::string file = (std::filesystem::path(path) / each.name).string();
    if (Status s = replace_file(file, each.content, Readable::kByAll); !s.ok()) return s;
  }
  return {};
}

Result<OpenedLayout> open_layout(const std::string& path) {
  Result<std::unique_ptr<LayoutFiles>> files =
      is_layout_archive(path)
          ? ArchiveFiles::open(path)
          : Result<std::unique_ptr<LayoutFiles>>(std::make_unique<DirectoryFiles>(path));
  if (!files) return files.error();
  Result<std::string> digest = only_artifact(**files);
  if (!digest) return digest.error().with_context(path);
  return OpenedLayout{std::make_unique<LayoutSource>(*std::move(files)), *std::move(digest)};
}

}  // namespace davit::host

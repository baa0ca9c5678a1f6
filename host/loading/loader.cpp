#include "host/loading/loader.hpp"

#include <link.h>
#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <davit/mutant.hpp>
#include <set>
#include <utility>

#include "host/loading/needed_libraries.hpp"
#include "host/loading/signature.hpp"
#include "host/loading/trial.hpp"
#include "host/run/breadcrumb.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

Status refuse(Code code, const std::filesystem::path& path, const std::string& text) {
  return Status(code, "plugin " + path.string() + ": " + text);
}

Status check_digest(const std::filesystem::path& path, const TrustedFile& source,
                    const std::string& wanted) {
  if (wanted.empty() || source.digest == wanted || mutant("digest-pin")) return {};
  return refuse(Code::kForbidden, path,
                "its SHA-256 digest is " + source.digest + ", the manifest requires " + wanted);
}

/// The first row bytes that every major-1 plugin has.
constexpr std::uint32_t kRowSizeMin = sizeof(davit_row);
constexpr std::size_t kRowsMax = 1000;

/// The row at `index`; rows may be longer than ours.
const davit_row& row_at(const davit_plugin& table, std::size_t index) {
  const char* const first = reinterpret_cast<const char*>(table.rows);
  return *reinterpret_cast<const davit_row*>(first + index * table.row_size);
}

std::string_view view(davit_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// Compares what the code returned with what the note said.
Status check_table(const davit_plugin* table, const PluginDeclaration& declaration) {
  constexpr const char* kEntry = DAVIT_PLUGIN_SYMBOL "() returned ";
  if (table == nullptr) return Status(Code::kInvalid, std::string(kEntry) + "no table");
  if (table->size < sizeof(davit_plugin) || table->row_size < kRowSizeMin ||
      table->row_size % alignof(davit_row) != 0) {
    return Status(Code::kInvalid, std::string(kEntry) + "a table of impossible size");
  }
  if (table->row_count > kRowsMax || (table->row_count > 0 && table->rows == nullptr)) {
    return Status(Code::kInvalid, std::string(kEntry) + "a table without its rows");
  }
  std::set<std::string> missing;
  for (const DeclaredController& each : declaration.controllers) missing.insert(each.name);
  for (std::size_t i = 0; i < table->row_count; ++i) {
    const davit_row& row = row_at(*table, i);
    const std::string name = printable(view(row.name));
    if (row.init == nullptr) {
      return Status(Code::kInvalid, "the row of controller \"" + name + "\" has no init function");
    }
    if (missing.erase(name) == 0) {
      return Status(Code::kInvalid, "its table has a controller \"" + name +
                                        "\" that its note does not declare, or has it twice");
    }
  }
  if (missing.empty()) return Status();
  return Status(Code::kInvalid, "its note declares the controller \"" + *missing.begin() +
                                    "\", which its table does not have");
}

/// The libraries in this process, by the paths that they were opened by.
std::set<std::string> open_libraries() {
  std::set<std::string> names;
  const auto note = [](dl_phdr_info* info, std::size_t, void* data) {
    static_cast<std::set<std::string>*>(data)->insert(info->dlpi_name);
    return 0;
  };
  (void)::dl_iterate_phdr(note, &names);
  return names;
}

/// The memory of the library that was opened as `path`. Its program headers are read once, while
/// they are in memory: later each read would bring back pages that release_program_pages() has
/// given back.
std::size_t mapped_bytes_of(const std::filesystem::path& path) {
  std::pair<std::string, std::size_t> found{path.string(), 0};
  const auto add = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& [name, sum] = *static_cast<std::pair<std::string, std::size_t>*>(data);
    if (info->dlpi_name != name) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type == PT_LOAD) sum += info->dlpi_phdr[i].p_memsz;
    }
    return 1;
  };
  (void)::dl_iterate_phdr(add, &found);
  return found.second;
}

}  // namespace

struct LoadedPlugin::JudgedCopy {
  PluginFile file;
  std::filesystem::path path;
  std::shared_ptr<const KeptCopy> kept;
};

struct LoadedPlugin::Library {
  std::vector<boost::dll::shared_library> needed;  // Closed after the plugin.
  boost::dll::shared_library handle;
  const davit_plugin* table = nullptr;
  std::vector<std::filesystem::path> brought;
  std::size_t mapped_bytes = 0;
};

LoadedPlugin::LoadedPlugin(PluginFile file, std::filesystem::path opened,
                           std::shared_ptr<const KeptCopy> copy, std::unique_ptr<Library> library)
    : file_(std::move(file)),
      opened_(std::move(opened)),
      copy_(std::move(copy)),
      library_(std::move(library)) {}

LoadedPlugin::~LoadedPlugin() = default;

const PluginFile& LoadedPlugin::file() const { return file_; }

davit_init_fn LoadedPlugin::init(std::string_view controller) const {
  const davit_plugin& table = *library_->table;
  for (std::size_t i = 0; i < table.row_count; ++i) {
    const davit_row& row = row_at(table, i);
    if (view(row.name) == controller) return row.init;
  }
  return nullptr;
}

const std::vector<std::filesystem::path>& LoadedPlugin::brought() const {
  return library_->brought;
}

std::size_t LoadedPlugin::mapped_bytes() const { return library_->mapped_bytes; }

bool is_open_library(const std::filesystem::path& path) {
  const std::string wanted = path.string();
  const auto matches = [](dl_phdr_info* info, std::size_t, void* data) {
    return info->dlpi_name == *static_cast<const std::string*>(data) ? 1 : 0;
  };
  return ::dl_iterate_phdr(matches, const_cast<std::string*>(&wanted)) != 0;
}

/// Opens a copy that was judged, after the libraries that it needs.
Result<std::unique_ptr<LoadedPlugin>> LoadedPlugin::open_copy(JudgedCopy judged,
                                                              const NeededLibraries& needed) {
  const std::filesystem::path& path = judged.file.path;
  const std::filesystem::path& copy = judged.path;
  // The loader takes a path that it knows for the library that it has.
  if (is_open_library(copy)) {
    return refuse(Code::kInternal, path, copy.string() + " is already open");
  }

  auto library = std::make_unique<LoadedPlugin::Library>();
  const std::string build = build_id(judged.file);
  const std::set<std::string> before = open_libraries();
  try {
    // Its constructors and its entry point are the first code of it that runs.
    const BreadcrumbScope crumb({.plugin = judged.file.declaration.name,
                                 .build_id = build,
                                 .controller = {},
                                 .activity = "open",
                                 .key = {}});
    using Mode = boost::dll::load_mode::type;
    constexpr auto kMode =
        static_cast<Mode>(boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    for (const std::filesystem::path& each : needed.to_open) {
      library->needed.emplace_back(each, kMode);
    }
    library->handle.load(copy, kMode);
    library->table = library->handle.get<const davit_plugin*()>(DAVIT_PLUGIN_SYMBOL)();
  } catch (const std::exception& error) {
    return refuse(Code::kInvalid, path, "cannot be opened: " + printable(error.what()));
  } catch (...) {
    return refuse(Code::kInvalid, path, DAVIT_PLUGIN_SYMBOL "() threw an exception");
  }
  for (const std::string& each : open_libraries()) {
    if (!before.contains(each) && each != copy.string()) library->brought.emplace_back(each);
  }
  library->mapped_bytes = mapped_bytes_of(copy);
  if (Status s = check_table(library->table, judged.file.declaration); !s.ok()) {
    return refuse(s.code(), path, s.message());
  }
  return std::unique_ptr<LoadedPlugin>(
      new LoadedPlugin(std::move(judged.file), copy, std::move(judged.kept), std::move(library)));
}

Result<std::unique_ptr<LoadedPlugin>> load_plugin(StagingDirectory& staging,
                                                  const std::filesystem::path& path,
                                                  const LoadTerms& terms) {
  Result<TrustedFile> source = read_trusted(path);
  if (!source) return source.error();
  if (Status s = check_digest(path, *source, terms.sha256); !s.ok()) return s;
  const Result<PluginFile> file = judge_plugin(path, source->content, source->digest);
  if (!file) return file.error();
  const PluginDeclaration& declared = file->declaration;
  // All of this holds for the copy, too: it has the same digest, or it is refused.
  const SignedPlugin plugin{source->digest, declared.name, declared.version};
  Status s = check_signature(path, plugin, terms.signatures);
  if (s.ok()) s = check_version(plugin, terms.signatures);
  if (s.ok()) s = check_revoked(plugin, terms.signatures);
  if (!s.ok()) return refuse(s.code(), path, s.message());
  return load_plugin(staging, path, *source, terms);
}

Result<std::unique_ptr<LoadedPlugin>> load_plugin(StagingDirectory& staging,
                                                  const std::filesystem::path& path,
                                                  const TrustedFile& source,
                                                  const LoadTerms& terms) {
  Result<std::filesystem::path> copy = stage(staging, source);
  if (!copy) return refuse(copy.error().code(), path, copy.error().message());
  Result<std::shared_ptr<const KeptCopy>> kept = KeptCopy::of(*copy, source);
  if (!kept) return kept.error();
  Result<PluginFile> file = judge_plugin(path, source.content, source.digest);
  if (!file) return file.error();
  if (terms.pin) {
    const std::string wanted = terms.pin(file->declaration.name);
    if (Status s = check_digest(path, source, wanted); !s.ok()) return s;
  }
  if (!terms.name.empty() && terms.name != file->declaration.name) {
    return refuse(Code::kConflict, path,
                  "is the plugin " + file->declaration.name + ", not " + terms.name);
  }
  const Result<NeededLibraries> needed = find_needed(file->elf, terms.signatures);
  if (!needed) return refuse(needed.error().code(), path, needed.error().message());
  if (!terms.trial.empty() && !mutant("trial")) {
    const Status tried = try_to_open(terms.trial, *copy, *needed);
    if (!tried.ok()) return refuse(tried.code(), path, tried.message());
  }
  return LoadedPlugin::open_copy({std::move(*file), std::move(*copy), std::move(*kept)}, *needed);
}

}  // namespace davit::host

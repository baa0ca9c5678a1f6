#include "host/loading/plugin_file.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "host/loading/capabilities.hpp"
#include "host/loading/elf_layout.hpp"
#include "host/loading/needed_libraries.hpp"

namespace davit::host {
namespace {

/// The first of these lines as one, and how many there are beside them.
std::string first_of(const std::vector<std::string>& lines) {
  constexpr std::size_t kNamedMax = 20;
  std::string text;
  const std::size_t named = std::min(lines.size(), kNamedMax);
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : "; ") + lines[i];
  if (named < lines.size()) {
    text += "; and " + std::to_string(lines.size() - named) + " more";
  }
  return text;
}

/// Reads the declaration into `out`, or returns what is wrong with it.
Status read_declaration(const ElfFile& elf, PluginDeclaration& out,
                        std::vector<Finding>& findings) {
  const auto refused = [&](Code code, const char* id, std::string text) {
    findings.push_back({Grade::kRefused, id, text});
    return Status(code, std::move(text));
  };
  if (!elf.note) {
    const bool other = !elf.note_types.empty();
    return refused(Code::kInvalid, "no-note",
                   other ? "its davit note is of an unknown type: use a newer davit"
                         : "has no davit note (" DAVIT_NOTE_SECTION
                           "): declare the plugin with DAVIT_NOTE");
  }
  if (elf.note_types.size() > 1) {
    return refused(Code::kInvalid, "notes", "has more than one davit note");
  }
  NoteResult note = parse_note(*elf.note);
  if (!note.ok()) {
    return refused(Code::kInvalid, "note", "its davit note is wrong: " + first_of(note.mistakes));
  }
  if (!note.findings.empty()) {
    findings.push_back({Grade::kSwappable, "note-member", first_of(note.findings)});
  }
  out = std::move(note.declaration);
  Status compatible = check_compatible(out, host_capabilities());
  if (compatible.ok()) return {};
  return refused(compatible.code(), "abi", compatible.message());
}

}  // namespace

std::vector<std::string> Judgement::refusals() const {
  std::vector<std::string> texts;
  for (const Finding& each : file.findings) {
    if (each.grade == Grade::kRefused) texts.push_back(each.text);
  }
  return texts;
}

Result<Judgement> judge_wholly(const std::filesystem::path& path, const std::string& content,
                               std::string digest, Needs needs) {
  Judgement judgement;
  PluginFile& file = judgement.file;
  file.path = path;
  file.digest = std::move(digest);
  Result<ElfFile> elf = read_elf(content);
  if (!elf) return refuse_plugin(elf.error().code(), path, elf.error().message());
  file.elf = std::move(*elf);
  if (file.elf.machine == own_machine()) {
    if (Status s = check_layout(content); !s.ok())
      return refuse_plugin(s.code(), path, s.message());
  }
  file.findings = judge(file.elf);
  if (needs == Needs::kJudged && file.elf.machine == own_machine()) {
    std::ranges::move(judge_needs(file.elf), std::back_inserter(file.findings));
  }
  const bool loadable = judgement.refusals().empty();
  const Status declared = read_declaration(file.elf, file.declaration, file.findings);
  if (loadable && !declared.ok()) judgement.code = declared.code();
  return judgement;
}

Result<PluginFile> judge_plugin(const std::filesystem::path& path, const std::string& content,
                                std::string digest, Needs needs) {
  Result<Judgement> judgement = judge_wholly(path, content, std::move(digest), needs);
  if (!judgement) return judgement.error();
  std::string why;
  for (const std::string& each : judgement->refusals()) why += (why.empty() ? "" : "; ") + each;
  if (!why.empty()) return refuse_plugin(judgement->code, path, why);
  return std::move(judgement->file);
}

Result<PluginFile> inspect_plugin(const std::filesystem::path& path, Trust trust, Needs needs) {
  Result<TrustedFile> file =
      trust == Trust::kRequired ? read_trusted(path) : read_plugin_file(path);
  if (!file) return file.error();
  return judge_plugin(path, file->content, file->digest, needs);
}

std::filesystem::path plugin_directory_for(const std::filesystem::path& executable) {
  const std::filesystem::path directory = executable.parent_path();
  const std::filesystem::path installed = directory.parent_path() / "lib" / "davit" / "plugins";
  std::error_code code;
  if (std::filesystem::is_directory(installed, code)) return installed;
  // A build tree: <build>/cli/davit and <build>/plugins.
  const std::filesystem::path built = directory.parent_path() / "plugins";
  if (directory.filename() == "cli" && std::filesystem::is_directory(built, code)) return built;
  return installed;
}

std::filesystem::path default_plugin_directory() {
  std::error_code code;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", code);
  return plugin_directory_for(code ? std::filesystem::path("/usr/local/bin/davit") : executable);
}

Result<std::filesystem::path> find_plugin(const std::string& name,
                                          const std::vector<std::string>& directories) {
  std::string looked;
  for (const std::string& directory : directories) {
    const std::filesystem::path base(directory);
    // In a build tree each plugin lies in a folder of its own name.
    for (const std::filesystem::path& path :
         {base / (name + ".so"), base / name / (name + ".so")}) {
      std::error_code code;
      if (std::filesystem::exists(path, code)) return path;
    }
    looked += (looked.empty() ? "" : ", ") + directory;
  }
  return Status(Code::kNotFound, "plugin " + name + ": there is no " + name + ".so in " +
                                     (looked.empty() ? "any plugin directory" : looked));
}

Result<std::vector<std::filesystem::path>> list_plugins(
    const std::vector<std::string>& directories) {
  std::map<std::string, std::filesystem::path> found;
  const auto add = [&](const std::filesystem::path& path) {
    if (path.extension() == ".so") found.try_emplace(path.filename().string(), path);
  };
  for (const std::string& directory : directories) {
    std::error_code code;
    std::filesystem::directory_iterator it(directory, code);
    if (code) {
      return Status(Code::kNotFound, "plugin directory " + directory + ": " + code.message());
    }
    for (; it != std::filesystem::directory_iterator(); it.increment(code)) {
      if (code) break;
      add(it->path());
      const std::string name = it->path().filename().string();
      const std::filesystem::path nested = it->path() / (name + ".so");
      std::error_code ignored;
      if (std::filesystem::is_regular_file(nested, ignored)) add(nested);
    }
  }
  std::vector<std::filesystem::path> out;
  for (auto& entry : found) out.push_back(std::move(entry.second));
  return out;
}

}  // namespace davit::host

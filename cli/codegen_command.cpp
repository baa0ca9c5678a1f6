#include "cli/codegen_command.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "cli/codegen/cpp_text.hpp"
#include "cli/codegen/cpp_writer.hpp"
#include "cli/codegen/definition.hpp"
#include "cli/codegen/rust_writer.hpp"
#include "cli/codegen/schema_reader.hpp"
#include "cli/server_connection.hpp"
#include "host/api/rest_client.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/schema/describe.hpp"
#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/output/openapi.hpp"

namespace davit::host {
namespace {

namespace fs = std::filesystem;
using codegen::Definitions;

void append(Definitions& all, Definitions some) {
  std::ranges::move(some.kinds, std::back_inserter(all.kinds));
  std::ranges::move(some.mistakes, std::back_inserter(all.mistakes));
}

/// Reads a file with `read`; a file that cannot be read is a mistake.
template <typename Read>
void append_file(Definitions& all, const std::string& file, const Read& read) {
  const Result<std::string> text = read_text_file(file);
  if (text) {
    append(all, read(*text, file));
  } else {
    all.mistakes.push_back({file, 0, 0, text.error().message()});
  }
}

/// "apps/v1/Deployment" → "/openapi/v3/apis/apps/v1", "v1/Pod" → "/openapi/v3/api/v1"; "" for
/// anything else.
std::string document_path(const std::string& kind) {
  const std::size_t last = kind.rfind('/');
  const auto slashes = std::ranges::count(kind, '/');
  if (last == 0 || last + 1 == kind.size() || slashes < 1 || slashes > 2) return "";
  return (slashes == 1 ? "/openapi/v3/api/" : "/openapi/v3/apis/") + kind.substr(0, last);
}

Status read_server(const CodegenOptions& options, Definitions& all) {
  std::set<std::string> paths;
  for (const std::string& kind : options.kinds) paths.insert(document_path(kind));
  ServerConnection connection;
  if (Status s = connection.open(options.kubeconfig, 0); !s.ok()) return s;
  RestClient client(*connection.transport, *connection.clock, connection.metrics,
                    Logger(*connection.sink),
                    RestOptions{.rate = {-1, 1}, .user_agent = user_agent("codegen")});
  for (const std::string& path : paths) {
    ApiRequest request;
    request.raw_path = path;
    const ApiResponse response = client.call(request);
    if (!response.status.ok()) return response.status.with_context("GET " + path);
    std::vector<std::string> kinds;
    std::ranges::copy_if(options.kinds, std::back_inserter(kinds),
                         [&](const std::string& each) { return document_path(each) == path; });
    append(all, codegen::read_openapi(response.body, "the response to GET " + path, kinds));
  }
  return {};
}

/// The documents that the sandbox serves, without a server.
void read_builtin(const CodegenOptions& options, Definitions& all) {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const std::string& each : options.kinds) {
    kinds[each.substr(0, each.rfind('/'))].push_back(each);
  }
  const std::vector<sandbox::ResourcePtr> resources = sandbox::builtin_resources();
  const Descriptions descriptions;
  for (const auto& [version, wanted] : kinds) {
    const Json document =
        sandbox::openapi_document(resources, version, openapi_schemas(version, descriptions));
    append(all, codegen::read_openapi(to_text(document), "built-in kinds of " + version, wanted));
  }
}

/// The error in the flags, or empty.
std::string wrong_flags(const CodegenOptions& options) {
  if (!options.openapi.empty() && !options.kubeconfig.empty()) {
    return "--openapi and --kubeconfig exclude each other";
  }
  const bool document = !options.openapi.empty() || !options.kubeconfig.empty();
  if (options.files.empty() && !document && options.kinds.empty()) {
    return "nothing to read: give files with CustomResourceDefinitions, --kind for built-in kinds, "
           "--openapi FILE, or --kubeconfig FILE with --kind";
  }
  if (!options.kubeconfig.empty() && options.kinds.empty()) {
    return "--kubeconfig needs --kind, such as --kind apps/v1/Deployment";
  }
  for (const std::string& each : options.kinds) {
    if (document_path(each).empty()) {
      return "--kind " + each + " is not VERSION/KIND (v1/Pod) or GROUP/VERSION/KIND";
    }
  }
  if (options.language != "cpp" && options.language != "rust") {
    return "--lang must be cpp or rust, not " + options.language;
  }
  if (options.language == "rust" && !options.ns.empty() && !codegen::is_rust_module(options.ns)) {
    return "--namespace " + options.ns + " is not a name of a Rust module";
  }
  if (options.language == "cpp" && !options.ns.empty() && !codegen::is_cpp_namespace(options.ns)) {
    return "--namespace " + options.ns + " is not a name of a C++ namespace";
  }
  return "";
}

int fail(std::ostream& err, const std::string& text, int code) {
  err << "davit: " << text << "\n";
  return code;
}

}  // namespace

int run_codegen(const CodegenOptions& options, std::ostream& out, std::ostream& err) {
  if (const std::string text = wrong_flags(options); !text.empty()) {
    return fail(err, text, kExitMistakes);
  }
  Definitions all;
  std::vector<std::string> sources;
  for (const std::string& each : options.files) {
    append_file(all, each, codegen::read_crds);
    sources.push_back(fs::path(each).filename().string());
  }
  if (!options.openapi.empty()) {
    append_file(all, options.openapi, [&](const std::string& text, const std::string& file) {
      return codegen::read_openapi(text, file, options.kinds);
    });
    sources.push_back(fs::path(options.openapi).filename().string());
  }
  if (!options.kubeconfig.empty()) {
    if (Status s = read_server(options, all); !s.ok()) return fail(err, s.message(), kExitFailed);
  } else if (options.openapi.empty()) {
    read_builtin(options, all);
  }
  if (options.openapi.empty()) {
    sources.insert(sources.end(), options.kinds.begin(), options.kinds.end());
  }
  codegen::Modules made;
  if (all.mistakes.empty())
    made = codegen::read_schemas(std::move(all.kinds), {options.opaque, options.only});
  all.mistakes.insert(all.mistakes.end(), made.mistakes.begin(), made.mistakes.end());
  for (const Mistake& each : all.mistakes) err << each.str() << "\n";
  if (!all.mistakes.empty()) return kExitMistakes;

  const std::string text = options.language == "rust"
                               ? codegen::write_rust(made.modules, {options.ns, sources})
                               : codegen::write_cpp(made.modules, {options.ns, sources});
  if (options.output.empty()) {
    out << text;
    return kExitGood;
  }
  if (Status s = replace_file(options.output, text, Readable::kByAll); !s.ok()) {
    return fail(err, s.message(), kExitFailed);
  }
  return kExitGood;
}

}  // namespace davit::host

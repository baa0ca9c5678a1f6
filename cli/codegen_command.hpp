/// `davit codegen`: types of C++ or Rust from the schemas of kinds.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct CodegenOptions {
  std::vector<std::string> files = {};  ///< CustomResourceDefinitions, YAML or JSON.
  std::string openapi = {};             ///< File of an OpenAPI v3 document; empty: none.
  std::string kubeconfig = {};          ///< Server to ask for such documents; empty: none.
  /// Selected kinds of these: "apps/v1/Deployment". Without a document, built-in kinds.
  std::vector<std::string> kinds = {};
  std::vector<std::string> only = {};    ///< Fields to read; empty: all.
  std::vector<std::string> opaque = {};  ///< Fields that stay untyped.
  std::string ns = {};                   ///< Namespace or module in place of the group's.
  std::string language = "cpp";          ///< Or "rust".
  std::string output = {};               ///< File to write; empty: the types go to `out`.
};

/// Prints every mistake as "file:line:column: path: text" to `err` and returns 2, or writes the
/// types and returns 0. 1: the server or the file of the output failed. Nothing is written unless
/// all is well, and a file is replaced as a whole.
[[nodiscard]] int run_codegen(const CodegenOptions& options, std::ostream& out, std::ostream& err);

}  // namespace davit::host

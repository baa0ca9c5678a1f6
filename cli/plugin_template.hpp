/// The files of a new plugin project, compiled in from sdk/templates.
#pragma once

#include <span>
#include <string_view>

namespace davit::host {

struct TemplateFile {
  std::string_view folder;  ///< "common", or the language that it is for.
  std::string_view path;    ///< Within the project: "tests/unit_test.cpp".
  std::string_view text;    ///< With @NAME@ and its like in it.
};

[[nodiscard]] std::span<const TemplateFile> plugin_template_files();

}  // namespace davit::host

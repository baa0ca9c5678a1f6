/// Names of JSON members and kinds as identifiers of C++ and Rust.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace davit::host::codegen {

/// "clusterIPs" → "cluster_ips". Never empty, never beginning with a digit; may be a keyword.
[[nodiscard]] std::string snake_case(std::string_view text);
/// "http-get" → "HttpGet". Never empty, never beginning with a digit.
[[nodiscard]] std::string pascal_case(std::string_view text);

/// Whether C++20 reserves the word, or a macro of the C library has it.
[[nodiscard]] bool is_cpp_keyword(std::string_view word);

/// Whether Rust reserves the word, in any edition.
[[nodiscard]] bool is_rust_keyword(std::string_view word);

/// The identifiers of one scope.
class Scope {
 public:
  /// `reserved` are taken from the beginning.
  explicit Scope(std::set<std::string> reserved = {},
                 bool (*is_keyword)(std::string_view word) = is_cpp_keyword)
      : taken_(std::move(reserved)), is_keyword_(is_keyword) {}

  /// `wanted`, with "_" behind it if it is reserved or a keyword, or with a number if an earlier
  /// claim has it.
  [[nodiscard]] std::string claim(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  bool (*is_keyword_)(std::string_view word);
};

}  // namespace davit::host::codegen

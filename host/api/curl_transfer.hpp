/// One request inside libcurl: its options, its callbacks, and what its end means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/api/curl_handles.hpp"
#include "host/api/curl_options.hpp"
#include "host/api/http1.hpp"
#include "host/api/tls_material.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Does not move once configured: libcurl keeps its address. Used by the pool's thread alone after
/// start.
class CurlTransfer {
 public:
  CurlTransfer(std::uint64_t id, HttpRequest request, std::shared_ptr<const TlsMaterial> tls,
               ResponseReader& reader);

  /// Takes an unused handle and sets all its options.
  void configure(CurlEasy easy, const CurlSettings& settings);

  /// The handle without any option, for the next transfer. Must not be in a multi handle any more.
  [[nodiscard]] CurlEasy release();

  /// The end of a transfer, as a reader sees libcurl's result.
  [[nodiscard]] TransportEnd end_of(CURLcode code) const;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] CURL* handle() const { return easy_.get(); }
  [[nodiscard]] const TlsMaterial& tls() const { return *tls_; }
  [[nodiscard]] ResponseReader& reader() const { return reader_; }

  /// The transfer that a handle belongs to.
  [[nodiscard]] static CurlTransfer& of(CURL* handle);

 private:
  void set_url(const CurlSettings& settings);
  void set_request();
  void set_callbacks();

  static std::size_t on_header(char* line, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);
  static int before_request(void* self, char*, char*, int, int);
  void take_header(std::string_view line);

  const std::uint64_t id_;
  const HttpRequest request_;
  const std::shared_ptr<const TlsMaterial> tls_;
  ResponseReader& reader_;
  CurlEasy easy_;
  CurlList header_list_;
  CurlList connect_to_;
  HttpHeaders head_;
  int status_ = 0;
  bool head_delivered_ = false;
  int times_sent_ = 0;
  bool has_enough_ = false;
  bool has_long_head_ = false;          // Beyond a limit.
  HeadLimit limit_;                     // Counts the head, then the trailers.
  std::optional<std::string> refused_;  // The text of the request's gate.
  char error_[CURL_ERROR_SIZE] = {};
};

}  // namespace davit::host

/// A page that a controller serves of itself.
#pragma once

#include <string>

namespace davit::host {

struct DebugResponse {
  std::string body = {};
  int http_status = 200;
  std::string content_type = "text/plain; charset=utf-8";
};

}  // namespace davit::host

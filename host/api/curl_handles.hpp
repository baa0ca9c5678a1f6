/// Owners of libcurl's handles. Included by curl_*.cpp only.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace davit::host {

struct CurlEasyClose {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CurlMultiClose {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct CurlListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

using CurlEasy = std::unique_ptr<CURL, CurlEasyClose>;
using CurlMulti = std::unique_ptr<CURLM, CurlMultiClose>;
using CurlList = std::unique_ptr<curl_slist, CurlListFree>;
}  // namespace davit::host

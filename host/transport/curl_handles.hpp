/// Owners of libcurl's handles. Included by sources of host/transport and host/outbound only.
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

struct CurlUrlFree {
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
struct CurlTextFree {
  void operator()(char* text) const { curl_free(text); }
};

using CurlEasy = std::unique_ptr<CURL, CurlEasyClose>;
using CurlMulti = std::unique_ptr<CURLM, CurlMultiClose>;
using CurlList = std::unique_ptr<curl_slist, CurlListFree>;
using CurlUrl = std::unique_ptr<CURLU, CurlUrlFree>;
using CurlText = std::unique_ptr<char, CurlTextFree>;

}  // namespace davit::host

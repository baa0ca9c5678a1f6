/// Every change of a kind of object, however often the server ends the watch.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/api/rest_client.hpp"
#include "host/object/watch_splitter.hpp"

namespace davit::live {

/// Takes a change, and returns the resourceVersion of the object. kError comes when the server no
/// longer has the changes since the last one: the watch then starts again with what exists.
using ChangeSink = std::function<Result<std::string>(host::WatchType type, std::string_view json)>;

/// Reports all objects at `path` and each of their changes to `sink` until `stop`. A watch that
/// ends continues where it was: a busy reader is cut off by a real server, and must not miss what
/// happened meanwhile. `sink` runs on the calling thread.
void follow(host::RestClient& client, const host::ResourcePath& path, const std::stop_token& stop,
            const ChangeSink& sink);

}  // namespace davit::live

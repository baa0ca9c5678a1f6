// Every built-in resource of a real API server, read in JSON and in protobuf: both must give the
// same objects.
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/object/either_splitter.hpp"
#include "host/object/metadata.hpp"
#include "host/object/object_decoder.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using host::ReflectorRequest;
using host::WireFormat;

/// A resource of the checks of all kinds, and an object of it.
struct ResourceRow {
  host::ResourcePath path;
  std::string object;
};

std::vector<ResourceRow> all_resources() {
  std::vector<ResourceRow> out;
  for (const char* file : {"14_all_kinds.yaml", "15_all_kinds_of_the_cluster.yaml"}) {
    const std::string path = std::string(DAVIT_API_CHECKS_FILES) + "/" + file;
    const YamlDocument document = parse_yaml(read_file(path), path);
    for (const YamlNode& check : document.root.find("checks")->items) {
      for (const YamlNode& row : check.find("for_each")->items) {
        // /api/v1/namespaces/conf/pods or /apis/apps/v1/…
        std::vector<std::string> parts;
        std::string_view rest = row.find("path")->text;
        while (!rest.empty()) {
          rest.remove_prefix(1);
          const std::size_t end = std::min(rest.find('/'), rest.size());
          parts.emplace_back(rest.substr(0, end));
          rest.remove_prefix(end);
        }
        const bool is_core = parts[0] == "api";
        ResourceRow resource{.path = {}, .object = row.find("object")->text};
        resource.path.group = is_core ? "" : parts[1];
        resource.path.version = parts[is_core ? 1 : 2];
        resource.path.resource = parts.back();
        const bool is_namespaced = parts.size() > (is_core ? 4U : 5U);
        if (is_namespaced) resource.path.ns = parts[parts.size() - 2];
        out.push_back(std::move(resource));
      }
    }
  }
  // A LimitRange would count for the pods.
  std::stable_partition(out.begin(), out.end(), [](const ResourceRow& each) {
    return each.path.resource != "limitranges";
  });
  return out;
}

/// The objects that a list or a watch has given, by UID.
struct Content {
  Status status;
  bool is_protobuf = false;
  std::map<std::string, host::ObjectRef> objects;
  std::string resource_version;
};

class WireFormatLiveTest : public testing::Test {
 protected:
  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster_ = std::make_unique<ControlPlane>();
    create({.group = "",
            .version = "v1",
            .resource = "namespaces",
            .subresource = {},
            .ns = {},
            .name = {}},
           R"({"metadata":{"name":"conf"}})");
  }

  /// False when an old server does not have the resource.
  bool create(const host::ResourcePath& path, const std::string& object) {
    host::ApiRequest request;
    request.verb = host::Verb::kCreate;
    request.path = path;
    request.body = object;
    const host::ApiResponse response = cluster_->client().call(request);
    const ApiDetail* const detail = response.status.detail();
    if (is_oldest_server() && detail != nullptr && detail->http_status == 404) return false;
    EXPECT_TRUE(response.status.ok()) << path.resource << ": " << response.status.message();
    return response.status.ok();
  }

  [[nodiscard]] static host::Selection selection_of(const host::ResourcePath& path,
                                                    host::ObjectForm form) {
    return {.resource = {path.group, path.version, path.resource},
            .label_selector = {},
            .field_selector = {},
            .ns = {},
            .form = form};
  }

  void keep(Content& content, std::string_view bytes) {
    std::string json;
    if (is_oldest_server() && bytes.starts_with('{')) {
      // Old servers write a time that was never set; we read it as absent from protobuf.
      json = std::regex_replace(std::string(bytes), std::regex("\"creationTimestamp\":null,?"), "");
      bytes = json;
    }
    const Result<host::ObjectRef> object = decoder_.parse(bytes, {});
    ASSERT_TRUE(object) << object.error().message();
    content.objects[std::string(host::metadata(**object).uid)] = *object;
  }

  Content list(const host::Selection& what, WireFormat format) {
    ReflectorRequest request{.resource_version = {}, .continue_token = {}, .format = format};
    host::RestListWatch api(cluster_->client());
    Content content;
    host::EitherListSplitter splitter((host::LargeItems()));
    decoder_.expect_envelopes();
    content.status = api.stream(what, request, {}, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](std::string_view item) {
        if (splitter.is_protobuf() && !decoder_.expects_items()) {
          const Status known = splitter.visit([&](const auto& list) {
            return decoder_.expect_items(list.api_version(), list.kind());
          });
          if (!known.ok()) return known;
        }
        keep(content, item);
        return Status();
      });
    });
    if (content.status.ok()) content.status = splitter.finish();
    content.is_protobuf = splitter.is_protobuf();
    splitter.visit([&](const auto& list) { content.resource_version = list.resource_version(); });
    return content;
  }

  /// The first `count` events of a watch that begins at any version.
  Content watch(const host::Selection& what, WireFormat format, std::size_t count) {
    ReflectorRequest request{.kind = ReflectorRequest::Kind::kWatch,
                             .resource_version = "0",
                             .continue_token = {},
                             .timeout = std::chrono::seconds(5),
                             .format = format};
    host::RestListWatch api(cluster_->client());
    Content content;
    host::EitherWatchSplitter splitter((host::LargeEvents()));
    decoder_.expect_envelopes();
    content.status = api.stream(what, request, {}, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](host::WatchType type, std::string_view object) {
        if (type == host::WatchType::kAdded || type == host::WatchType::kModified) {
          keep(content, object);
        }
        return content.objects.size() < count ? Status() : Status(Code::kCancelled, "enough");
      });
    });
    if (content.status.code() == Code::kCancelled) content.status = Status();
    content.is_protobuf = splitter.is_protobuf();
    return content;
  }

  /// Asks in both forms, again as long as the server itself changes every object in between.
  template <typename Ask>
  void expect_same(const std::string& what, const Ask& ask) {
    SCOPED_TRACE(what);
    constexpr int kAttempts = 20;
    std::size_t compared = 0;
    for (int i = 0; i < kAttempts && compared == 0; ++i) {
      compared = compare(ask(WireFormat::kJson), ask(WireFormat::kProtobuf));
    }
    EXPECT_GT(compared, 0U);
    compared_ += compared;
  }

  static std::size_t compare(const Content& json, const Content& protobuf) {
    EXPECT_TRUE(json.status.ok()) << json.status.message();
    EXPECT_TRUE(protobuf.status.ok()) << protobuf.status.message();
    EXPECT_TRUE(protobuf.is_protobuf);
    EXPECT_FALSE(json.is_protobuf);
    std::size_t compared = 0;
    for (const auto& [uid, object] : json.objects) {
      const auto found = protobuf.objects.find(uid);
      if (found == protobuf.objects.end()) continue;
      const host::Value other = found->second.root();
      const host::Metadata metadata = host::metadata(*object);
      if (metadata.resource_version != host::metadata(*found->second).resource_version) continue;
      ++compared;
      EXPECT_TRUE(object.root() == other) << metadata.name << "\n"
                                          << object.root().json() << "\n"
                                          << other.json();
      EXPECT_EQ(object.root().hash(), other.hash());
    }
    return compared;
  }

  std::unique_ptr<ControlPlane> cluster_;
  host::ObjectSpace space_;
  host::ObjectDecoder decoder_{space_};
  std::size_t compared_ = 0;
};

TEST_F(WireFormatLiveTest, EveryBuiltInResourceIsTheSameInJsonAndInProtobuf) {
  const std::vector<ResourceRow> resources = all_resources();
  EXPECT_GT(resources.size(), 50U);
  for (const ResourceRow& each : resources) {
    // Old servers lack status.availableReplicas, which newer clients write always.
    if (is_oldest_server() && each.path.resource == "statefulsets") continue;
    if (!create(each.path, each.object)) continue;
    for (const host::ObjectForm form : {host::ObjectForm::kWhole, host::ObjectForm::kMetadata}) {
      const host::Selection what = selection_of(each.path, form);
      const std::string name =
          each.path.resource + (form == host::ObjectForm::kWhole ? "" : ", metadata");
      expect_same("list of " + name, [&](WireFormat format) { return list(what, format); });
      const std::size_t count = list(what, WireFormat::kJson).objects.size();
      expect_same("watch of " + name,
                  [&](WireFormat format) { return watch(what, format, count); });
    }
  }
  std::cout << compared_ << " objects compared\n";
}

}  // namespace
}  // namespace davit::live

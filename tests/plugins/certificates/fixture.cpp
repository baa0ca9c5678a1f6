#include "tests/plugins/certificates/fixture.hpp"

#include <davit/base64.hpp>
#include <filesystem>

namespace davit::certificates {

void CertificatesTest::TearDown() {
  EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
  EXPECT_THAT(cluster_.events(), ::testing::IsEmpty()) << "CERT114: none of them records any";
  for (const testing::LogRecord& each : cluster_.log()) {
    for (const auto& [key, value] : each.fields) {
      EXPECT_EQ(value.find("PRIVATE KEY"), std::string::npos) << "CERT115";
    }
  }
}

void CertificatesTest::add_request(const std::string& name, const std::string& signer,
                                   const std::string& pem, Usages usages, std::string_view patch) {
  Json object = Json::must(
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","status":{}})");
  object["metadata"]["name"] = name;
  object["metadata"]["uid"] = "uid-" + name;
  object["spec"]["request"] = encode_base64(pem);
  object["spec"]["signerName"] = signer;
  object["spec"]["username"] = "alice";
  object["spec"]["usages"] = Json::array();
  for (const char* each : usages) object["spec"]["usages"].push_back(each);
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  settle();
}

void CertificatesTest::decide(const std::string& name, const std::string& type,
                              const std::string& time) {
  cluster_.modify<SigningRequest>({"", name}, [&](Json& object) {
    Json condition = Json::object();
    condition["type"] = type;
    condition["status"] = "True";
    condition["lastUpdateTime"] = time;
    if (object["status"].find("conditions") == nullptr) {
      object["status"]["conditions"] = Json::array();
    }
    object["status"]["conditions"].push_back(condition);
  });
  settle();
}

std::string CertificatesTest::certificate(const std::string& name) {
  const std::string text = json(name).text_at({"status", "certificate"});
  return decode_base64(text).value_or("not base64");
}

std::vector<std::string> CertificatesTest::conditions(const std::string& name) {
  std::vector<std::string> out;
  const Json object = json(name);
  const Json* const list = object.at({"status", "conditions"});
  if (list == nullptr) return out;
  for (const Json& each : list->items()) {
    out.push_back(each.text_at({"type"}) + " " + each.text_at({"reason"}) + " " +
                  each.text_at({"message"}));
  }
  return out;
}

std::vector<std::string> CertificatesTest::requests() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
  return out;
}

void CertificatesTest::replace(const std::string& name, std::string_view content) const {
  const std::string made = directory_.write(name + ".new", content);
  std::filesystem::rename(made, directory_.path() / name);
}

}  // namespace davit::certificates

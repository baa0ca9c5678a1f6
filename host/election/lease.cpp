#include "host/election/lease.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <davit/kube/time.hpp>

namespace davit::host {
namespace {

using Json = rapidjson::Value;
using Document = rapidjson::Document;

constexpr std::string_view kApiVersion = "coordination.k8s.io/v1";
constexpr std::string_view kKind = "Lease";
constexpr std::size_t kWholeSeconds = std::string_view("2026-01-01T00:00:00").size();

Status no_lease(std::string_view what) {
  return {Code::kWrongType, "the response is not a Lease: " + std::string(what)};
}

Json text(std::string_view value, Document& document) {
  return {value.data(), static_cast<rapidjson::SizeType>(value.size()), document.GetAllocator()};
}

const Json* member(const Json& object, const char* name) {
  // Not FindMember(): clang calls the comparison of RapidJSON's iterators ambiguous in C++20.
  if (!object.HasMember(name)) return nullptr;
  const Json& value = object[name];
  return value.IsNull() ? nullptr : &value;
}

bool read(const Json& object, const char* name, std::string& out) {
  const Json* value = member(object, name);
  if (value == nullptr) return true;
  if (!value->IsString()) return false;
  out.assign(value->GetString(), value->GetStringLength());
  return true;
}

bool read(const Json& object, const char* name, std::int64_t& out) {
  const Json* value = member(object, name);
  if (value == nullptr) return true;
  if (!value->IsInt64()) return false;
  out = value->GetInt64();
  return true;
}

void set(Document& document, Json& object, const char* name, Json value) {
  if (object.HasMember(name)) {
    object[name] = value;
  } else {
    object.AddMember(Json(name, document.GetAllocator()), value, document.GetAllocator());
  }
}

Json& child(Document& document, Json& object, const char* name) {
  if (member(object, name) == nullptr) set(document, object, name, Json(rapidjson::kObjectType));
  return object[name];
}

/// The document, whose metadata and spec are objects if they are there.
Status parse(std::string_view json, Document& document) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |  // Depth costs heap, not stack.
                              rapidjson::kParseValidateEncodingFlag;
  document.Parse<kFlags>(json.data(), json.size());
  if (document.HasParseError()) return no_lease("broken JSON");
  if (!document.IsObject()) return no_lease("not an object");
  std::string kind(kKind);
  if (!read(document, "kind", kind) || kind != kKind) return no_lease("another kind");
  for (const char* part : {"metadata", "spec"}) {
    const Json* value = member(document, part);
    if (value != nullptr && !value->IsObject())
      return no_lease(std::string(part) + " is not an object");
  }
  return {};
}

std::string write(const Document& document) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  document.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

void put_record(Document& document, const LeaseRecord& record) {
  Json& spec = child(document, document, "spec");
  set(document, spec, "holderIdentity", text(record.holder, document));
  set(document, spec, "leaseDurationSeconds", Json(record.duration_seconds));
  set(document, spec, "acquireTime", text(record.acquire_time, document));
  set(document, spec, "renewTime", text(record.renew_time, document));
  set(document, spec, "leaseTransitions", Json(record.transitions));
}

std::string raw(const LeaseRecord& record) {
  std::string made = record.holder;
  made.append("|").append(std::to_string(record.duration_seconds));
  made.append("|").append(record.acquire_time, 0, kWholeSeconds);
  made.append("|").append(record.renew_time, 0, kWholeSeconds);
  made.append("|").append(std::to_string(record.transitions));
  return made;
}

}  // namespace

bool is_same_term(const LeaseRecord& a, const LeaseRecord& b) {
  return a.holder == b.holder && a.transitions == b.transitions &&
         a.acquire_time.compare(0, kWholeSeconds, b.acquire_time, 0, kWholeSeconds) == 0;
}

Result<Lease> parse_lease(std::string_view json) {
  Document document;
  if (Status s = parse(json, document); !s.ok()) return s;
  Lease lease;
  if (const Json* metadata = member(document, "metadata")) {
    if (!read(*metadata, "uid", lease.uid) ||
        !read(*metadata, "resourceVersion", lease.resource_version)) {
      return no_lease("wrong types in metadata");
    }
  }
  if (const Json* spec = member(document, "spec")) {
    LeaseRecord& record = lease.record;
    if (!read(*spec, "holderIdentity", record.holder) ||
        !read(*spec, "leaseDurationSeconds", record.duration_seconds) ||
        !read(*spec, "acquireTime", record.acquire_time) ||
        !read(*spec, "renewTime", record.renew_time) ||
        !read(*spec, "leaseTransitions", record.transitions)) {
      return no_lease("wrong types in spec");
    }
  }
  lease.raw = raw(lease.record);
  return lease;
}

std::string lease_json(std::string_view ns, std::string_view name, const LeaseRecord& record) {
  Document document(rapidjson::kObjectType);
  set(document, document, "apiVersion", text(kApiVersion, document));
  set(document, document, "kind", text(kKind, document));
  Json& metadata = child(document, document, "metadata");
  set(document, metadata, "name", text(name, document));
  set(document, metadata, "namespace", text(ns, document));
  put_record(document, record);
  return write(document);
}

Result<std::string> with_record(std::string_view json, const LeaseRecord& record) {
  Document document;
  if (Status s = parse(json, document); !s.ok()) return s;
  Json& metadata = child(document, document, "metadata");
  metadata.RemoveMember("managedFields");
  put_record(document, record);
  return write(document);
}

}  // namespace davit::host

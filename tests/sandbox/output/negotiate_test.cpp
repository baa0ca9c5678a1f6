#include <gtest/gtest.h>

#include "sandbox/output/output.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kKubectlTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
    "g=meta.k8s.io,application/json";
constexpr std::string_view kMetadataClient =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

struct Agreement {
  std::string_view accept;
  ResponseShape shape;
  Media media;
  Form form;
};

constexpr Agreement kAgreements[] = {
    {"", ResponseShape::kObject, Media::kJson, Form::kWhole},
    {"*/*", ResponseShape::kList, Media::kJson, Form::kWhole},
    {"application/json, */*", ResponseShape::kObject, Media::kJson, Form::kWhole},
    {"application/json;charset=utf-8", ResponseShape::kObject, Media::kJson, Form::kWhole},
    {"application/vnd.kubernetes.protobuf,application/json", ResponseShape::kList, Media::kProtobuf,
     Form::kWhole},
    {"application/vnd.kubernetes.protobuf, */*", ResponseShape::kWatch, Media::kProtobuf,
     Form::kWhole},
    {"application/vnd.kubernetes.protobuf", ResponseShape::kObject, Media::kProtobuf, Form::kWhole},
    {"application/json,application/vnd.kubernetes.protobuf", ResponseShape::kObject, Media::kJson,
     Form::kWhole},
    {"application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;"
     "g=meta.k8s.io;v=v1",
     ResponseShape::kList, Media::kJson, Form::kTable},
    {"application/yaml", ResponseShape::kObject, Media::kYaml, Form::kWhole},
    {"application/json;q=0.5,application/yaml", ResponseShape::kObject, Media::kYaml, Form::kWhole},
    {"application/json;stream=watch", ResponseShape::kWatch, Media::kJson, Form::kWhole},
    {kKubectlTable, ResponseShape::kObject, Media::kJson, Form::kTable},
    {kKubectlTable, ResponseShape::kList, Media::kJson, Form::kTable},
    {kKubectlTable, ResponseShape::kWatch, Media::kJson, Form::kTable},
    {kMetadataClient, ResponseShape::kList, Media::kProtobuf, Form::kMetadataList},
    {kMetadataClient, ResponseShape::kWatch, Media::kProtobuf, Form::kMetadata},
    {"application/json;as=Chair;g=meta.k8s.io;v=v1,application/json", ResponseShape::kObject,
     Media::kJson, Form::kWhole},
    {"application/json;as=Table;g=other;v=v1,application/json", ResponseShape::kObject,
     Media::kJson, Form::kWhole},
    {"application/json;as=Table;g=meta.k8s.io;v=v9,application/json", ResponseShape::kObject,
     Media::kJson, Form::kWhole},
};

TEST(NegotiateTest, TheFirstEntryThatCanBeServedWins) {
  for (const Agreement& each : kAgreements) {
    const ApiResult<OutputForm> form = negotiate(each.accept, each.shape, "ConfigMap");
    ASSERT_TRUE(form.has_value()) << each.accept;
    EXPECT_EQ(form->media, each.media) << each.accept;
    EXPECT_EQ(form->form, each.form) << each.accept;
  }
}

TEST(NegotiateTest, CustomResourcesHaveNoProtobufButForTheirMetadata) {
  const auto media = [](std::string_view accept) -> std::optional<Media> {
    const ApiResult<OutputForm> form =
        negotiate(accept, ResponseShape::kList, "WidgetList", HasProtobuf::kNo);
    if (!form) return std::nullopt;
    return form->media;
  };
  EXPECT_EQ(media("application/vnd.kubernetes.protobuf,application/json"), Media::kJson);
  EXPECT_EQ(media("application/vnd.kubernetes.protobuf"), std::nullopt);
  EXPECT_EQ(media(kMetadataClient), Media::kProtobuf);
}

TEST(NegotiateTest, TheVersionOfTheFormIsKept) {
  EXPECT_EQ(
      negotiate("application/json;as=Table;v=v1beta1;g=meta.k8s.io", ResponseShape::kList, "Pod")
          ->meta_version,
      "v1beta1");
}

struct Refusal {
  std::string_view accept;
  ResponseShape shape;
  std::string_view kind;
  std::string_view message;
};

constexpr Refusal kRefusals[] = {
    {"text/plain", ResponseShape::kList, "ConfigMapList",
     "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
     "application/vnd.kubernetes.protobuf"},
    {"application/json;as=Chair;g=meta.k8s.io;v=v1", ResponseShape::kObject, "ConfigMap",
     "only the following media types are accepted: application/json, application/yaml, "
     "application/vnd.kubernetes.protobuf"},
    {"application/yaml", ResponseShape::kWatch, "ConfigMap",
     "only the following media types are accepted: application/json;stream=watch, "
     "application/vnd.kubernetes.protobuf;stream=watch"},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ResponseShape::kList,
     "ConfigMapList",
     "you requested PartialObjectMetadata, but the requested object is a list "
     "(*core.ConfigMapList)"},
    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ResponseShape::kObject,
     "ConfigMap",
     "you requested PartialObjectMetadataList, but the requested object is not a list "
     "(*core.ConfigMap)"},
};

TEST(NegotiateTest, WhatCannotBeServedIsNotAcceptable) {
  for (const Refusal& each : kRefusals) {
    const ApiResult<OutputForm> form = negotiate(each.accept, each.shape, each.kind);
    ASSERT_FALSE(form.has_value()) << each.accept;
    EXPECT_EQ(form.error().code, 406);
    EXPECT_EQ(form.error().reason, "NotAcceptable");
    EXPECT_EQ(form.error().message, each.message);
  }
}

TEST(NegotiateTest, WhatIsNeverStoredHasNoTable) {
  constexpr std::string_view kTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const auto form_for = [](std::string_view accept) {
    return negotiate(accept, ResponseShape::kObject, "TokenReview", HasProtobuf::kYes,
                     HasTable::kNo);
  };

  ASSERT_FALSE(form_for(kTable).has_value());
  EXPECT_EQ(form_for(kTable).error().code, 406);
  EXPECT_EQ(form_for(kKubectlTable)->form, Form::kWhole);
}

TEST(NegotiateTest, IncludeObjectHasThreeValues) {
  EXPECT_EQ(*parse_include_object(""), IncludeObject::kMetadata);
  EXPECT_EQ(*parse_include_object("Metadata"), IncludeObject::kMetadata);
  EXPECT_EQ(*parse_include_object("None"), IncludeObject::kNone);
  EXPECT_EQ(*parse_include_object("Object"), IncludeObject::kWhole);
  EXPECT_EQ(parse_include_object("Foo").error().message,
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must "
            "be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace
}  // namespace davit::sandbox

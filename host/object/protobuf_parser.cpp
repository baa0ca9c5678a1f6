#include "host/object/protobuf_parser.hpp"

#include "host/object/object_places.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_writer.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {

namespace {

constexpr std::string_view kListSuffix = "List";
constexpr std::string_view kPartialMetadata = "PartialObjectMetadata";
/// Most objects of this size have a narrow tape.
constexpr std::size_t kOftenNarrowMax = std::size_t{32} << 10;
/// As long as the tape of the longest JSON text.
constexpr std::size_t kTapeBytesMax = kObjectBytesMax * kTapeBytesPerJsonByte;

Status no_kind(std::string_view api_version, std::string_view kind) {
  return {Code::kUnsupported, "protobuf of kind \"" + std::string(kind) + "\" in version \"" +
                                  std::string(api_version) + "\", which is not in our tables"};
}

}  // namespace

Result<ProtobufType> item_type(std::string_view api_version, std::string_view list_kind) {
  if (!list_kind.ends_with(kListSuffix)) return no_kind(api_version, list_kind);
  const std::string_view kind = list_kind.substr(0, list_kind.size() - kListSuffix.size());
  ProtobufType type{.message = find_wire_schema(api_version, kind)};
  if (type.message == nullptr) return no_kind(api_version, list_kind);
  if (kind == kPartialMetadata) {
    type.api_version = api_version;
    type.kind = kind;
  }
  return type;
}

class ProtobufParser::Impl {
 public:
  explicit Impl(ObjectSpace& space)
      : space_(space), tape_(space), writer_(space, tape_), places_(space) {}

  Result<ObjectRef> parse(std::string_view envelope, const ParseOptions& options) {
    const ProtobufEnvelope read = read_envelope(envelope);
    if (!read.is_whole) return fail(ParseFault::kMalformed, "has no whole envelope");
    ProtobufType type{.message = find_wire_schema(read.type.api_version, read.type.kind),
                      .api_version = std::string(read.type.api_version),
                      .kind = std::string(read.type.kind)};
    if (type.message != nullptr) return parse(read.raw, type, options);
    fault_ = ParseFault::kUnknown;
    return no_kind(read.type.api_version, read.type.kind);
  }

  Result<ObjectRef> parse(std::string_view message, const ProtobufType& type,
                          const ParseOptions& options) {
    if (message.size() > kObjectBytesMax) return fail(ParseFault::kTooLarge, "is beyond 64 MiB");
    fault_ = ParseFault::kNone;
    std::size_t limit =
        message.size() <= kOftenNarrowMax ? TapeWriter::kNarrowBytesMax : kTapeBytesMax;
    while (!write(message, type, options, limit)) {
      if (!writer_.is_full()) return fail(writer_.fault(), writer_.error());
      if (limit == kTapeBytesMax) return fail(ParseFault::kTooLarge, "is too large unpacked");
      limit = kTapeBytesMax;
    }
    ObjectRef object =
        ObjectRef::adopt(Object::make(space_, tape_.bytes(), places_.find(tape_.base())));
    give_back(message);
    return object;
  }

  [[nodiscard]] ParseFault fault() const { return fault_; }

 private:
  bool write(std::string_view message, const ProtobufType& type, const ParseOptions& options,
             std::size_t limit) {
    tape_.begin(limit);
    return writer_.write(message, *type.message, {type.api_version, type.kind}, options, limit);
  }

  Status fail(ParseFault fault, const std::string& what) {
    fault_ = fault;
    give_back(tape_.bytes());
    return {Code::kInvalid, "protobuf " + what};
  }

  void give_back(std::string_view used) {
    if (used.size() <= kKeptBytesMax) return;
    tape_.release();
    writer_.release();
  }

  ObjectSpace& space_;
  TapeWriter tape_;
  ProtobufWriter writer_;
  const PlaceFinder places_;
  ParseFault fault_ = ParseFault::kNone;
};

ProtobufParser::ProtobufParser(ObjectSpace& space) : impl_(std::make_unique<Impl>(space)) {}

ProtobufParser::~ProtobufParser() = default;

Result<ObjectRef> ProtobufParser::parse(std::string_view envelope, const ParseOptions& options) {
  return impl_->parse(envelope, options);
}

Result<ObjectRef> ProtobufParser::parse(std::string_view message, const ProtobufType& type,
                                        const ParseOptions& options) {
  return impl_->parse(message, type, options);
}

ParseFault ProtobufParser::fault() const { return impl_->fault(); }

Result<ObjectRef> parse_either(ObjectSpace& space, std::string_view body,
                               const ParseOptions& options) {
  if (is_protobuf_object(body)) return ProtobufParser(space).parse(body, options);
  return parse_object(space, body, options);
}

}  // namespace davit::host

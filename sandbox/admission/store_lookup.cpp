#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

namespace {

class StoreLookup final : public ObjectLookup {
 public:
  explicit StoreLookup(const Store& store) : store_(store) {}

  [[nodiscard]] VersionPtr get(const Collection& collection, std::string_view ns,
                               std::string_view name) const override {
    return store_.get(collection, ns, name);
  }
  [[nodiscard]] std::vector<VersionPtr> list(const Collection& collection,
                                             std::string_view ns) const override {
    return store_.list(collection, ns).objects;
  }

 private:
  const Store& store_;
};

}  // namespace

std::unique_ptr<ObjectLookup> lookup_in(const Store& store) {
  return std::make_unique<StoreLookup>(store);
}

}  // namespace davit::sandbox

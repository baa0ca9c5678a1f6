#include "plugins/garbagecollector/node.hpp"

#include <charconv>

namespace davit::garbage {

Reference Claim::reference() const {
  const TypeParts parts = type_parts(type);
  return {std::string(parts.api_version),
          std::string(parts.kind),
          std::string(name.view()),
          uid.text(),
          controller,
          blocks};
}

Identity Node::identity() const {
  const TypeParts parts = type_parts(type);
  return {std::string(parts.kind), std::string(parts.api_version), std::string(ns.view()),
          std::string(name.view()), uid.text()};
}

std::vector<Reference> Node::references() const {
  std::vector<Reference> out;
  for (const Claim& each : owners()) out.push_back(each.reference());
  return out;
}

std::string type_text(std::string_view api_version, std::string_view kind) {
  // References may have any characters in either part, so the length divides them.
  std::string out = std::to_string(api_version.size());
  out.append(":").append(api_version).append(kind);
  return out;
}

TypeParts type_parts(const Text& type) {
  std::string_view rest = type.view();
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  if (error != std::errc()) return {};
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return {rest.substr(0, size), rest.substr(size)};
}

void join(Claim& claim, Node& owner) {
  claim.next = owner.dependents;
  claim.place = &owner.dependents;
  if (claim.next != nullptr) claim.next->place = &claim.next;
  owner.dependents = &claim;
}

void leave(Claim& claim) {
  if (claim.place == nullptr) return;
  *claim.place = claim.next;
  if (claim.next != nullptr) claim.next->place = claim.place;
  claim.next = nullptr;
  claim.place = nullptr;
}

void replace(Claim& from, Claim& to) {
  to.next = from.next;
  to.place = from.place;
  *to.place = &to;
  if (to.next != nullptr) to.next->place = &to.next;
  from.next = nullptr;
  from.place = nullptr;
}

Claim* edge_to(const Uid& owner, std::span<Claim> claims) {
  for (Claim& each : claims) {
    if (each.place != nullptr && each.uid == owner) return &each;
  }
  return nullptr;
}

}  // namespace davit::garbage

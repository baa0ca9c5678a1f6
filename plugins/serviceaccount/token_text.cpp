#include "plugins/serviceaccount/token_text.hpp"

#include <davit/json_writer.hpp>
#include <utility>

namespace davit::serviceaccount {

std::string token_claims(const TokenSubject& subject) {
  JsonWriter out;
  out.begin_object().member("iss", "kubernetes/serviceaccount");
  out.member("kubernetes.io/serviceaccount/namespace", subject.ns);
  out.member("kubernetes.io/serviceaccount/secret.name", subject.secret);
  out.member("kubernetes.io/serviceaccount/service-account.name", subject.account);
  out.member("kubernetes.io/serviceaccount/service-account.uid", subject.account_uid);
  out.member("sub", "system:serviceaccount:" + std::string(subject.ns) + ":" +
                        std::string(subject.account));
  out.end_object();
  return std::move(out).text();
}

Result<std::string> make_token(const SigningKey& key, const TokenSubject& subject) {
  JsonWriter header;
  header.begin_object().member("alg", key.algorithm()).member("kid", key.id()).end_object();
  std::string token =
      encode_base64_url(header.text()) + "." + encode_base64_url(token_claims(subject));
  const Result<std::string> signature = key.sign(token);
  if (!signature) return signature.error();
  return token + "." + encode_base64_url(*signature);
}

}  // namespace davit::serviceaccount

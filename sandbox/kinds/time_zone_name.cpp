#include "sandbox/kinds/time_zone_name.hpp"

#include <algorithm>
#include <iterator>

namespace davit::sandbox {

bool is_time_zone(std::string_view name) {
  constexpr std::string_view kAreas[] = {
      "Africa/",    "America/", "Antarctica/", "Arctic/", "Asia/",  "Atlantic/",
      "Australia/", "Brazil/",  "Canada/",     "Chile/",  "Etc/",   "Europe/",
      "Indian/",    "Mexico/",  "Pacific/",    "US/",     "posix/", "right/"};
  constexpr std::string_view kPlain[] = {
      "CET",     "CST6CDT",   "Cuba",     "EET",     "EST",    "EST5EDT",   "Egypt",  "Eire",
      "Factory", "GB",        "GB-Eire",  "GMT",     "GMT+0",  "GMT-0",     "GMT0",   "Greenwich",
      "HST",     "Hongkong",  "Iceland",  "Iran",    "Israel", "Jamaica",   "Japan",  "Kwajalein",
      "Libya",   "MET",       "MST",      "MST7MDT", "NZ",     "NZ-CHAT",   "Navajo", "PRC",
      "PST8PDT", "Poland",    "Portugal", "ROC",     "ROK",    "Singapore", "Turkey", "UCT",
      "UTC",     "Universal", "W-SU",     "WET",     "Zulu",   "posixrules"};
  if (std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain)) return true;
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  };
  return std::all_of(name.begin(), name.end(), allowed) && !name.ends_with('/') &&
         std::any_of(std::begin(kAreas), std::end(kAreas),
                     [&](std::string_view area) { return name.starts_with(area); });
}

}  // namespace davit::sandbox

#include "platform/system/unfinished_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

namespace attnscope {
namespace {

// A handler of signals may neither allocate nor wait: names stand in places of their own. What finds no place is
// removed all the same unless a signal ends the program.
enum class Use : char { free, taken, named };
struct Place {
  std::atomic<Use> use = Use::free;
  std::array<char, PATH_MAX> name = {};
};
constexpr std::size_t place_count = 256;
std::array<Place, place_count> places;
static_assert(std::atomic<Use>::is_always_lock_free);

std::size_t take_place(const std::filesystem::path& path) {
  if (path.native().size() >= PATH_MAX) return place_count;
  for (std::size_t i = 0; i < place_count; ++i) {
    Use use = Use::free;
    if (!places[i].use.compare_exchange_strong(use, Use::taken)) continue;
    std::memcpy(places[i].name.data(), path.c_str(), path.native().size() + 1);
    places[i].use = Use::named;
    return i;
  }
  return place_count;
}

}  // namespace

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  keep();
}

void UnfinishedFile::set(const std::filesystem::path& path) {
  path_ = path;
  place_ = take_place(path);
}

void UnfinishedFile::keep() {
  if (!path_.empty() && place_ < place_count) places[place_].use = Use::free;
  path_.clear();
}

void remove_unfinished_files() {
  for (const Place& place : places) {
    if (place.use == Use::named) ::unlink(place.name.data());
  }
}

}  // namespace attnscope

#include "pictures.h"

#include <fmt/format.h>
#include <ostream>

#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <random>

#include "files/image.h"
#include "support.h"

namespace attnscope {

void PrintTo(PictureKind kind, std::ostream* out) { *out << test::kind_name(kind); }

}  // namespace attnscope

namespace attnscope::test {
namespace {

constexpr const char* plain_svg = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- a figure -->
<svg xmlns="http://www.w3.org/2000/svg" width="120pt" height="60pt" viewBox="0 0 120 60" version="1.1">
<metadata id="other"><note xmlns="urn:example">kept</note></metadata>
<rect x="4" y="4" width="50" height="50" fill="#440154"/>
<text x="60" y="34" font-size="12">journey</text>
</svg>
)";

Image noise() {
  std::mt19937 engine(5);
  Image image{24, 16, {}};
  image.pixels.resize(std::size_t{24} * 16 * 4);
  for (auto& byte : image.pixels) byte = static_cast<std::uint8_t>(engine());
  return image;
}

std::string noise_gif() {
  AnimatedGif gif({});
  gif.add_frame(noise());
  return gif.finish();
}

}  // namespace

std::string output_of(const std::string& command, const std::string& bytes) {
  const TemporaryFolder folder;
  put_text(folder / "file", bytes);
  std::string output;
  FILE* const pipe = ::popen(fmt::format(fmt::runtime(command), (folder / "file").string()).c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << command << ": " << output;
  return output;
}

std::string kind_name(PictureKind kind) { return std::string(format_of(kind).ending.substr(1)); }

std::string plain_picture(PictureKind kind) {
  if (kind == PictureKind::png) return encode_png(noise());
  if (kind == PictureKind::gif) return noise_gif();
  if (kind == PictureKind::svg) return plain_svg;
  static const std::string pdf = output_of("rsvg-convert --format pdf {}", plain_svg);
  return pdf;
}

Document difficult_document() {
  Document document = default_document();
  document.tokens = {"a <b> & ]]> \"c\"", "  two  spaces\t", "\xEF\xBF\xBE\xEF\xBF\xBF",
                     "\nendstream\r",     "注意 🙂",     ""};
  AttentionConfig& config = document.config;
  auto& inputs = std::get<SharedTensor>(config.inputs);
  inputs.set(0, 0, -0.0F);
  inputs.set(0, 1, std::numeric_limits<float>::denorm_min());
  inputs.set(0, 2, std::numeric_limits<float>::max());
  inputs.set(1, 0, std::nextafter(0.1F, 1.0F));
  config.seed = std::numeric_limits<std::uint64_t>::max();
  config.dropout = 0.1;
  config.dropout_seed = 7;
  config.weight_overrides["W_key.weight"] = Tensor{{2, 3}, {0.1F, -0.2F, 1e-30F, 3, 4, 5}};
  config.weight_overrides["out_proj.bias"] = Tensor{{2}, {0.25F, 1.0F / 3}};
  return document;
}

}  // namespace attnscope::test

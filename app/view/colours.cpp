#include "view/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "assets/assets.h"
#include "core/text.h"

namespace attnscope {
namespace {

using Entries = std::array<Rgb, colormap_entries>;

// Rows "r,g,b", one per entry. The files are our own, embedded at build time, so anything else is a programmer's error.
Entries parse(std::string_view csv) {
  Entries result;
  const char* at = csv.data();
  const char* const end = at + csv.size();
  const auto next_number = [&] {
    std::uint8_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    assert(error == std::errc() && "a colormap holds numbers from 0 to 255");
    at = after == end ? after : after + 1;
    return number;
  };
  for (Rgb& entry : result) {
    entry.r = next_number();
    entry.g = next_number();
    entry.b = next_number();
  }
  assert(at == end && "a colormap has 256 rows of three numbers");
  return result;
}

Entries ramp(Rgb from, Rgb to) {
  Entries result;
  for (int i = 0; i < colormap_entries; ++i)
    result[static_cast<std::size_t>(i)] = mix(from, to, static_cast<double>(i) / (colormap_entries - 1));
  return result;
}

float linear(std::uint8_t channel) {
  const float c = static_cast<float>(channel) / 255.0F;
  return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
}

// After dropout the kept weights are scaled up, and so is the fixed range.
float fixed_high(const AttentionConfig& config, Stage stage) {
  const bool after_dropout = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  if (!after_dropout || !dropout_is_active(config) || config.dropout >= 1) return 1;
  return static_cast<float>(1 / (1 - config.dropout));
}

StageSummary::Extremes extremes_of(const StageSummary& summary, Index matrix, RangeMode mode) {
  const bool one = mode == RangeMode::own && matrix < static_cast<Index>(summary.matrices.size());
  return one ? summary.matrices[static_cast<std::size_t>(matrix)] : summary.overall;
}

// Rounds the ends to steps, so that colours stay while a number is dragged, and puts 1, the weight of equal keys, into
// the middle as far as possible. Numbers beyond an end have its colour.
ColourRange relative_range(const WeightSpread& spread) {
  static constexpr std::array<std::pair<float, float>, 9> steps = {
      std::pair{0.95F, 1.05F}, {0.9F, 1.1F}, {0.75F, 1.25F}, {0.5F, 1.5F}, {0, 2}, {0, 3}, {0, 4}, {0, 6}, {0, 8}};
  const auto* const step = std::ranges::find_if(
      steps, [&](const auto& ends) { return ends.first <= spread.low && spread.high <= ends.second; });
  const auto& [low, high] = step == steps.end() ? steps.back() : *step;
  return {Colormap::viridis, low, high, {MeasureKind::relative, spread.counted}};
}

// Returns whole powers of ten around all but the smallest weights; 0 has no power and is drawn as the lowest.
ColourRange logarithmic_range(const WeightSpread& spread) {
  constexpr float lowest = -6;
  const float high = std::ceil(std::log10(std::max(spread.largest, 1e-5F)) - 0.01F);
  const float low = std::floor(std::log10(std::max(spread.smallest, 1e-6F)));
  return {Colormap::viridis, std::clamp(low, lowest, high - 1), high, {MeasureKind::logarithm, {}}};
}

}  // namespace

const Entries& entries(Colormap map) {
  static const std::array<Entries, colormap_count> maps = {parse(asset("colormaps/viridis.csv")),
                                                           parse(asset("colormaps/diverging.csv")),
                                                           parse(asset("colormaps/diverging_dark.csv")),
                                                           parse(asset("colormaps/difference.csv")),
                                                           parse(asset("colormaps/difference_dark.csv")),
                                                           ramp({255, 255, 255}, {203, 232, 196}),
                                                           ramp({23, 23, 23}, {38, 78, 48})};
  return maps[static_cast<std::size_t>(map)];
}

int entry_index(float value, float low, float high) {
  const IndexScale scale = index_scale(low, high);
  const float position = (value * scale.shrink - scale.low) * scale.factor;
  if (scale.factor == 0) return colormap_entries / 2;
  if (!(position > 0)) return 0;
  return position < colormap_entries - 1 ? static_cast<int>(position) : colormap_entries - 1;
}

IndexScale index_scale(float low, float high) {
  if (!(high > low)) return {.low = 0, .factor = 0, .shrink = 1};
  const float shrink = std::isfinite(high - low) ? 1.0F : 0.5F;
  return {.low = low * shrink, .factor = colormap_entries / (high * shrink - low * shrink), .shrink = shrink};
}

Rgb colour_of(Colormap map, float value, float low, float high) {
  return entries(map)[static_cast<std::size_t>(entry_index(value, low, high))];
}

bool prefers_dark_ink(Rgb background) {
  const float luminance =
      0.2126F * linear(background.r) + 0.7152F * linear(background.g) + 0.0722F * linear(background.b);
  // Contrast with black is (luminance + 0.05) / 0.05, with white 1.05 / (luminance + 0.05).
  return (luminance + 0.05F) * (luminance + 0.05F) > 0.05F * 1.05F;
}

Rgb ink_on(Rgb background) { return prefers_dark_ink(background) ? Rgb{0, 0, 0} : Rgb{255, 255, 255}; }

Rgb mix(Rgb from, Rgb to, double share) {
  const auto channel = [&](int a, int b) { return static_cast<std::uint8_t>(std::lround(a + (b - a) * share)); };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b)};
}

RangeMode effective_range(const AttentionConfig& config, Stage stage, RangeMode mode) {
  if (mode == RangeMode::automatic) mode = key_count(config) <= few_keys ? RangeMode::fixed : RangeMode::relative;
  const bool has_measures = info(stage).range == StageRange::probability;
  const bool is_measure = mode == RangeMode::relative || mode == RangeMode::logarithmic;
  return is_measure && !has_measures ? RangeMode::fixed : mode;
}

Rgb cell_colour(const ColourRange& range, float value, Index row) {
  return measured_colour(range, range.measure.of(value, row));
}

Rgb entry_of(Colormap map, const std::optional<ColourEnds>& ends, int entry) {
  if (ends) return mix(ends->low, ends->high, entry / (colormap_entries - 1.0));
  return entries(map)[static_cast<std::size_t>(entry)];
}

Rgb measured_colour(const ColourRange& range, float measured) {
  return entry_of(range.map, range.ends, entry_index(measured, range.low, range.high));
}

std::optional<ColourEnds> colour_ends_of(std::string_view text) {
  constexpr std::size_t length = 7;  // of "#ffffff"
  if (text.size() != 2 * length + 2 || text.substr(length, 2) != "..") return {};
  const auto colour = [](std::string_view word) -> std::optional<Rgb> {
    unsigned number = 0;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data() + 1, end, number, 16);
    if (word.front() != '#' || read.ec != std::errc() || read.ptr != end) return {};
    return hex(number);
  };
  const std::optional<Rgb> low = colour(text.substr(0, length));
  const std::optional<Rgb> high = colour(text.substr(length + 2));
  return low && high ? std::optional(ColourEnds{*low, *high}) : std::nullopt;
}

std::string text_of(const ColourEnds& ends) {
  const auto word = [](Rgb colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b); };
  return fmt::format("{}..{}", word(ends.low), word(ends.high));
}

std::string bar_number(const ColourRange& range, double at, int decimals) {
  const bool is_whole = at == std::round(at) && std::abs(at) < 100;
  if (range.measure.kind == MeasureKind::relative) {
    const bool has_one = 10 * at == std::round(10 * at);
    return format_fixed(at, is_whole ? 0 : has_one ? 1 : 2) + "×";
  }
  if (range.measure.kind == MeasureKind::logarithm) {
    const int places = at < 0 ? static_cast<int>(std::ceil(-at)) : 0;
    return format_fixed(std::pow(10.0, at), places);
  }
  return format_fixed(at, decimals);
}

std::string_view measure_name(const ColourRange& range) {
  if (range.measure.kind == MeasureKind::relative) return "× visible keys";
  return range.measure.kind == MeasureKind::logarithm ? "logarithmic" : "";
}

ColourRange signed_range(float magnitude, bool dark) {
  const float bound = magnitude > 0 ? magnitude : 1;
  return {dark ? Colormap::diverging_dark : Colormap::diverging, -bound, bound};
}

Colormap on_dark(Colormap map) {
  if (map == Colormap::diverging) return Colormap::diverging_dark;
  if (map == Colormap::difference) return Colormap::difference_dark;
  return map == Colormap::kept ? Colormap::kept_dark : map;
}

ColourRange colour_range(const Result& result, Stage stage, const StageSummary& summary, Index matrix, RangeMode mode,
                         bool dark) {
  const StageRange kind = result.difference ? StageRange::signed_value : info(stage).range;
  if (kind == StageRange::boolean) return signed_range(1, dark);
  const RangeMode range = effective_range(result.config, stage, mode);
  const StageSummary::Extremes extremes = extremes_of(summary, matrix, range);
  if (kind == StageRange::signed_value) {
    ColourRange both = signed_range(std::max(std::abs(extremes.low), std::abs(extremes.high)), dark);
    if (result.difference) both.map = dark ? Colormap::difference_dark : Colormap::difference;
    return both;
  }
  if (range == RangeMode::relative && summary.spread) return relative_range(*summary.spread);
  if (range == RangeMode::logarithmic && summary.spread) return logarithmic_range(*summary.spread);
  if (range == RangeMode::shared || range == RangeMode::own) return {Colormap::viridis, extremes.low, extremes.high};
  const bool is_factor = kind == StageRange::factor;
  const Colormap map = !is_factor ? Colormap::viridis : dark ? Colormap::kept_dark : Colormap::kept;
  return {map, 0, fixed_high(result.config, stage)};
}

Rgb operand_rgb(OperandSide side, bool dark) {
  static constexpr std::array<unsigned, 3> light = {0x027997, 0x8738AE, 0x5C7903};
  static constexpr std::array<unsigned, 3> on_dark = {0x4FD8EA, 0xCE88CF, 0xAEC227};
  return hex((dark ? on_dark : light)[static_cast<std::size_t>(side)]);
}

namespace {

// The colours of an ink, one for each theme.
struct InkRow {
  Rgb ThemeInks::*ink;
  unsigned light, dark, high_contrast;
};

// Marks differ in lightness as well as in hue, so that they are told apart with any colour vision.
constexpr InkRow inks[] = {
    {&ThemeInks::window, 0xF3F4F6, 0x14171B, 0x000000},
    {&ThemeInks::panel, 0xFFFFFF, 0x1B1F24, 0x000000},
    {&ThemeInks::card, 0xFFFFFF, 0x1F242A, 0x000000},
    {&ThemeInks::control, 0xEFEFF0, 0x303338, 0x000000},
    {&ThemeInks::control_hovered, 0xE4E4E5, 0x36393E, 0x2A2A2A},
    {&ThemeInks::chosen, 0xE3ECF9, 0x26364D, 0x00365C},
    {&ThemeInks::row_hovered, 0xE0E4EF, 0x273241, 0x2A2A2A},
    {&ThemeInks::grab, 0x9CABD0, 0x3F597B, 0x005A96},
    {&ThemeInks::grab_active, 0x8296C6, 0x46648C, 0x0069B0},
    {&ThemeInks::selection, 0xB1BCD7, 0x394F6D, 0x005A96},
    {&ThemeInks::border, 0xD9DCE1, 0x343B44, 0xB4B4B4},
    {&ThemeInks::scrollbar, 0xC6C7C8, 0x4E5256, 0xB4B4B4},
    {&ThemeInks::text, 0x1B1F24, 0xE8EAED, 0xFFFFFF},
    {&ThemeInks::dim_text, 0x59616C, 0xA0A8B2, 0xDCDCDC},
    {&ThemeInks::accent, 0x1F3F8E, 0x70A8F4, 0x5AB4FF},
    {&ThemeInks::warning, 0xC2185B, 0xFF8FAB, 0xFF9DB5},
    {&ThemeInks::cross_hair, 0x664600, 0xFFCD56, 0xFFD98A},
    {&ThemeInks::after, 0x156E54, 0x39A06D, 0x45AD65},
    {&ThemeInks::edited, 0x101216, 0xFFFFFF, 0xFFFFFF},
};

constexpr ThemeColours with_inks(ThemeColours theme, unsigned InkRow::*colour) {
  for (const InkRow& row : inks) theme.inks.*row.ink = hex(row.*colour);
  return theme;
}

constexpr std::array<ThemeColours, theme_count> table = {
    with_inks({.theme = ThemeId::light, .id = "light", .greys = {.hidden = 230, .hatch = 208, .paper = 18, .gap = 255}},
              &InkRow::light),
    with_inks({.theme = ThemeId::dark,
               .id = "dark",
               .is_dark = true,
               .greys = {.hidden = 34, .hatch = 52, .paper = 237, .gap = 23}},
              &InkRow::dark),
    with_inks({.theme = ThemeId::high_contrast,
               .id = "high-contrast",
               .is_dark = true,
               .has_frames = true,
               .greys = {.hidden = 0, .hatch = 112, .paper = 255, .gap = 0}},
              &InkRow::high_contrast),
};

}  // namespace

std::span<const ThemeColours, theme_count> themes() { return table; }

const ThemeColours& colours_of(ThemeId theme) { return table[static_cast<std::size_t>(theme)]; }

}  // namespace attnscope

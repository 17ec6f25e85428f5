#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/colour_vision.h"
#include "view/colours.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

TEST(ColourEnds, AreReadAsTheyAreWritten) {
  const ColourEnds ends{hex(0x0A0B0C), hex(0xFFE000)};
  EXPECT_EQ(text_of(ends), "#0a0b0c..#ffe000");
  EXPECT_EQ(colour_ends_of(text_of(ends)), ends);
  EXPECT_EQ(entry_of(Colormap::viridis, ends, 0), ends.low);
  EXPECT_EQ(entry_of(Colormap::viridis, ends, colormap_entries - 1), ends.high);
  for (const char* const wrong :
       {"", "#0a0b0c", "#0a0b0c..ffe0001", "#0a0b0c..#ffe00g", "#0a0b0c...#ffe00", "red..blue"})
    EXPECT_FALSE(colour_ends_of(wrong)) << wrong;
}

// What a colour is for: this says what has to be readable on what, and what is told apart from what.
enum class InkUse {
  ground,      // any text may stand on it
  control,     // texts of controls stand on it
  filled,      // plain text runs across it
  line,        // around and between
  text,        // on all of these
  label,       // on grounds and controls
  mark_label,  // a mark whose colour labels have, too
  mark,        // one of several colours that may frame cells side by side
};
constexpr bool is_mark(InkUse use) { return use == InkUse::mark || use == InkUse::mark_label; }

struct InkRole {
  std::string_view name;
  Rgb ThemeInks::*ink;
  InkUse use;
};
constexpr std::array<InkRole, 19> ink_roles = {{
    {"window", &ThemeInks::window, InkUse::ground},
    {"panel", &ThemeInks::panel, InkUse::ground},
    {"card", &ThemeInks::card, InkUse::ground},
    {"control", &ThemeInks::control, InkUse::control},
    {"control_hovered", &ThemeInks::control_hovered, InkUse::control},
    {"chosen", &ThemeInks::chosen, InkUse::control},
    {"row_hovered", &ThemeInks::row_hovered, InkUse::control},
    {"grab", &ThemeInks::grab, InkUse::filled},
    {"grab_active", &ThemeInks::grab_active, InkUse::filled},
    {"selection", &ThemeInks::selection, InkUse::filled},
    {"border", &ThemeInks::border, InkUse::line},
    {"scrollbar", &ThemeInks::scrollbar, InkUse::line},
    {"text", &ThemeInks::text, InkUse::text},
    {"dim_text", &ThemeInks::dim_text, InkUse::label},
    {"accent", &ThemeInks::accent, InkUse::mark_label},
    {"warning", &ThemeInks::warning, InkUse::label},
    {"cross_hair", &ThemeInks::cross_hair, InkUse::mark_label},
    {"after", &ThemeInks::after, InkUse::mark_label},
    {"edited", &ThemeInks::edited, InkUse::mark},
}};
static_assert(sizeof(ThemeInks) == sizeof(Rgb) * ink_roles.size(), "each colour of a theme has a row here");

constexpr double readable = 4.5;      // WCAG 2, level AA
constexpr double marks_apart = 0.09;  // thin frames that mean different things
constexpr double series_apart = 0.065;
constexpr double meanings_apart = 0.05;
constexpr double hatch_apart = 0.06;
constexpr double quiet = 1.6;         // contrast of what is masked against the canvas
constexpr double steps_apart = 0.04;  // each tenth of a map
constexpr double signs_apart = 0.05;  // from a fifth of the range on, of the same number with either sign
constexpr double ends_apart = 0.12;

std::string both(std::string_view theme, std::string_view one, std::string_view other) {
  return std::string(theme) + ": " + std::string(one) + " and " + std::string(other);
}

void expect_apart(Rgb one, Rgb other, double least, const std::string& what) {
  for (const Vision& vision : visions) EXPECT_GE(distance(vision, one, other), least) << what << ", " << vision.name;
}

// Whether texts of the one use stand on what has the other.
bool stands_on(InkUse text, InkUse ground) {
  if (text == InkUse::text) return ground == InkUse::ground || ground == InkUse::control || ground == InkUse::filled;
  if (text == InkUse::label) return ground == InkUse::ground || ground == InkUse::control;
  return text == InkUse::mark_label && ground == InkUse::ground;
}

TEST(Contrast, OfBlackAndWhiteIsTwentyOne) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
  EXPECT_NEAR(contrast({255, 255, 255}, {119, 119, 119}), 4.478, 0.001);  // the known grey that just fails
}

TEST(ColourVision, ConfusesWhatItIsKnownToConfuse) {
  const Vision& all = visions[0];
  EXPECT_NEAR(distance(all, {0, 0, 0}, {255, 255, 255}), 1, 1e-3);
  EXPECT_GT(distance(all, {200, 60, 40}, {90, 120, 30}), 0.2);
  EXPECT_LT(distance(visions[2], {200, 60, 40}, {135, 115, 30}), 0.06);
  EXPECT_GT(distance(all, {0, 110, 180}, {0, 125, 120}), 0.09);
  EXPECT_LT(distance(visions[3], {0, 110, 180}, {0, 125, 120}), 0.06);
}

TEST(Themes, StandInTheOrderOfTheirIds) {
  for (std::size_t i = 0; i < themes().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(themes()[i].theme), i);
}

TEST(Themes, TextIsReadableOnAllThatItStandsOn) {
  for (const ThemeColours& theme : themes()) {
    for (const InkRole& text : ink_roles) {
      for (const InkRole& ground : ink_roles) {
        if (!stands_on(text.use, ground.use)) continue;
        EXPECT_GE(contrast(theme.inks.*text.ink, theme.inks.*ground.ink), readable)
            << both(theme.id, text.name, ground.name);
      }
    }
  }
}

TEST(Themes, AccentIsReadableOnControls) {
  for (const ThemeColours& theme : themes()) {
    for (const InkRole& ground : ink_roles) {
      if (ground.use != InkUse::control) continue;
      EXPECT_GE(contrast(theme.inks.accent, theme.inks.*ground.ink), readable) << both(theme.id, "accent", ground.name);
    }
  }
}

TEST(Themes, MarksAreToldApartByEverybody) {
  for (const ThemeColours& theme : themes()) {
    for (std::size_t i = 0; i < ink_roles.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const InkRole& one = ink_roles[i];
        const InkRole& other = ink_roles[j];
        if (!is_mark(one.use) || !is_mark(other.use)) continue;
        expect_apart(theme.inks.*one.ink, theme.inks.*other.ink, marks_apart, both(theme.id, one.name, other.name));
      }
    }
  }
}

TEST(Themes, HatchesAreSeen) {
  for (const ThemeColours& theme : themes()) {
    const CellGreys& greys = theme.greys;
    expect_apart(grey(greys.hidden), grey(greys.hatch), hatch_apart, std::string(theme.id) + ": hatch");
    EXPECT_GE(contrast(grey(greys.paper), grey(ink_on_paper(greys))), readable) << theme.id;
    EXPECT_GE(contrast(theme.inks.dim_text, grey(greys.hidden)), readable) << theme.id << ": −∞ stands there";
  }
}

// High contrast wants patterns that are seen; elsewhere what is masked stands back and what is dropped is seen.
TEST(Themes, MaskedIsQuietAndDroppedIsClear) {
  for (const ThemeColours& theme : themes()) {
    const CellGreys& greys = theme.greys;
    EXPECT_GE(contrast(ink_on(grey(greys.gap)), grey(greys.gap)), 7) << theme.id << ": the cross of what is dropped";
    if (theme.theme == ThemeId::high_contrast) continue;
    for (const std::uint8_t masked : {greys.hidden, greys.hatch})
      EXPECT_LE(contrast(grey(masked), theme.inks.window), quiet) << theme.id;
  }
}

// WCAG 2: 3:1 for what has to be seen to use a control, 7:1 for enhanced text.
TEST(Themes, HighContrastHasStrongFramesAndEnhancedText) {
  const ThemeInks& inks = colours_of(ThemeId::high_contrast).inks;
  for (const Rgb ground : {inks.window, inks.panel, inks.card, inks.control}) {
    EXPECT_EQ(ground, (Rgb{0, 0, 0}));
    EXPECT_GE(contrast(inks.border, ground), 7);
    for (const InkRole& role : ink_roles) {
      const bool is_drawn_on_it = role.use == InkUse::text || role.use == InkUse::label || is_mark(role.use);
      if (!is_drawn_on_it) continue;
      EXPECT_GE(contrast(inks.*role.ink, ground), 7) << role.name;
    }
  }
}

TEST(Series, AreToldApartByEverybodyAndReadable) {
  for (const ThemeColours& theme : themes()) {
    for (Index one = 0; one < 8; ++one) {
      const std::string name = std::string(theme.id) + ": " + std::to_string(one + 1);
      const Rgb colour = series_rgb(one, theme.is_dark);
      for (const Rgb ground : {theme.inks.window, theme.inks.panel, theme.inks.card})
        EXPECT_GE(contrast(colour, ground), readable) << name;
      for (Index other = 0; other < one; ++other)
        expect_apart(colour, series_rgb(other, theme.is_dark), series_apart,
                     name + " and " + std::to_string(other + 1));
    }
  }
}

// Hues mean something else, so that heads have numbers, and marks of two greys by turns.
TEST(Heads, HaveGreysThatAreReadableAndToldApartFromTheirNeighbours) {
  for (const ThemeColours& theme : themes()) {
    for (Index head = 0; head < 5; ++head) {
      const Rgb colour = head_rgb(head, theme.is_dark);
      EXPECT_LE(std::max({colour.r, colour.g, colour.b}) - std::min({colour.r, colour.g, colour.b}), 24) << "a grey";
      for (const Rgb ground : {theme.inks.window, theme.inks.panel, theme.inks.card})
        EXPECT_GE(contrast(colour, ground), readable) << theme.id << head;
      expect_apart(colour, head_rgb(head + 1, theme.is_dark), 2 * series_apart, std::string(theme.id));
    }
  }
}

struct Meaning {
  std::string_view name;
  Rgb colour;
};

std::vector<Meaning> meanings(const ThemeColours& theme) {
  const ThemeInks& inks = theme.inks;
  return {{"a control, or what the pinned number follows from", inks.accent},
          {"pinned", inks.cross_hair},
          {"follows from the pinned number", inks.after},
          {"a bad sum", inks.warning},
          {"edited", inks.edited},
          {"query", operand_rgb(OperandSide::query, theme.is_dark)},
          {"key", operand_rgb(OperandSide::key, theme.is_dark)},
          {"value", operand_rgb(OperandSide::value, theme.is_dark)}};
}

TEST(Meanings, HaveColoursThatEverybodyTellsApart) {
  for (const ThemeColours& theme : themes()) {
    const std::vector<Meaning> all = meanings(theme);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        expect_apart(all[i].colour, all[j].colour, meanings_apart, both(theme.id, all[i].name, all[j].name));
  }
}

// A positive number, a pinned one, a bad sum and a difference were all orange once.
TEST(Meanings, AreNoColoursOfSignsOrDifferences) {
  for (const ThemeColours& theme : themes()) {
    const auto& signs = entries(theme.is_dark ? Colormap::diverging_dark : Colormap::diverging);
    const auto& differences = entries(theme.is_dark ? Colormap::difference_dark : Colormap::difference);
    const std::array<Rgb, 4> ends = {signs.front(), signs.back(), differences.front(), differences.back()};
    for (const Rgb end : ends) {
      for (const Rgb other : ends) {
        if (end != other) {
          EXPECT_GE(distance(visions[0], end, other), ends_apart) << theme.id;
        }
      }
      for (const Meaning& meaning : meanings(theme))
        EXPECT_GE(distance(visions[0], end, meaning.colour), meanings_apart) << theme.id << ": " << meaning.name;
    }
  }
}

// Titles of queries, keys and values stand on cards.
TEST(ColoursOfSides, AreReadableAndDifferFromEachOther) {
  constexpr std::array hues = {OperandSide::query, OperandSide::key, OperandSide::value};
  for (const ThemeColours& theme : themes()) {
    for (const OperandSide hue : hues) {
      const Rgb colour = operand_rgb(hue, theme.is_dark);
      for (const Rgb ground : {theme.inks.card, theme.inks.window})
        EXPECT_GE(contrast(colour, ground), readable) << theme.id << static_cast<int>(hue);
      for (const OperandSide other : hues)
        EXPECT_EQ(colour == operand_rgb(other, theme.is_dark), hue == other) << theme.id << static_cast<int>(hue);
    }
  }
}

TEST(Series, BeyondTheTableAreReadableToo) {
  for (const ThemeColours& theme : themes()) {
    for (Index head = 8; head < 128; ++head) {
      for (const Rgb ground : {theme.inks.window, theme.inks.panel, theme.inks.card})
        EXPECT_GE(contrast(series_rgb(head, theme.is_dark), ground), readable) << theme.id << " " << head;
    }
  }
}

class Maps : public testing::TestWithParam<int> {
protected:
  const std::array<Rgb, colormap_entries>& map() const { return entries(static_cast<Colormap>(GetParam())); }
  bool is_sequential() const { return static_cast<Colormap>(GetParam()) == Colormap::viridis; }
  Rgb at(int tenth) const { return map()[static_cast<std::size_t>(std::lround(tenth * 25.5))]; }
};

TEST_P(Maps, HaveReadableNumbersEverywhere) {
  for (const Rgb cell : map()) EXPECT_GE(contrast(ink_on(cell), cell), readable);
}

TEST_P(Maps, HaveTenthsThatEverybodyTellsApart) {
  for (int tenth = 0; tenth < 10; ++tenth) expect_apart(at(tenth), at(tenth + 1), steps_apart, std::to_string(tenth));
}

// Sequential from the first colour to the last, diverging on each side of the middle. Colours are whole numbers.
TEST_P(Maps, GrowSteadilyLighterOrDarkerForEverybody) {
  for (const Vision& vision : visions) {
    const auto light = [&](std::size_t entry) { return seen_by(vision, map()[entry])[0]; };
    const std::size_t middle = colormap_entries / 2;
    const bool is_up = light(middle) > light(0);
    for (std::size_t i = 8; i < map().size(); ++i) {
      if (!is_sequential() && i >= middle && i - 8 < middle) continue;
      const bool is_rising = is_sequential() || i < middle ? is_up : !is_up;
      EXPECT_GT((light(i) - light(i - 8)) * (is_rising ? 1 : -1), 0) << vision.name << " " << i;
    }
  }
}

TEST_P(Maps, HaveEndsAndSignsThatEverybodyTellsApart) {
  expect_apart(map().front(), map().back(), ends_apart, "ends");
  for (int tenth = 0; tenth < 5; ++tenth) expect_apart(at(tenth), at(10 - tenth), signs_apart, std::to_string(tenth));
}

// Those that numbers are read from.
INSTANTIATE_TEST_SUITE_P(All, Maps, testing::Range(0, static_cast<int>(Colormap::kept)));

// They say kept or dropped: a mark on the lightest or darkest ground, whatever the theme.
TEST(MapsOfFactors, TellKeptFromDroppedAndHaveReadableNumbers) {
  for (const Colormap map : {Colormap::kept, Colormap::kept_dark}) {
    expect_apart(entries(map).front(), entries(map).back(), steps_apart, "dropped and kept");
    for (const Rgb cell : entries(map)) EXPECT_GE(contrast(ink_on(cell), cell), readable);
  }
}

}  // namespace
}  // namespace attnscope::test

#include "painters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text.h"
#include "paint/window/paint_picture.h"
#include "paint/window/text.h"
#include "platform/fonts.h"
#include "ui/imgui_compat.h"
#include "view/colours.h"

namespace attnscope::test {
namespace {

class Extent {
public:
  void add(picture::Point at) {
    low_ = {std::min(low_.x, at.x), std::min(low_.y, at.y)};
    high_ = {std::max(high_.x, at.x), std::max(high_.y, at.y)};
  }
  void add_box(const Box& box) {
    add({box.x, box.y});
    add({box.right(), box.bottom()});
  }
  Box box() const { return {low_.x, low_.y, high_.x - low_.x, high_.y - low_.y}; }

private:
  picture::Point low_ = {1e9, 1e9};
  picture::Point high_ = {-1e9, -1e9};
};

// Around a word a ground is as wide as the painter's letters.
Box middle_of(const Box& box) { return {box.middle_x(), box.middle_y(), 0, 0}; }

// Blanks have no letters in the window, neither have marks that choose the look of the character before them.
std::string without_blanks(std::string text) {
  for (const std::string_view blank : {" ", "\u00A0", "\u2009", "\u202F", "\uFE0E", "\uFE0F"})
    for (std::size_t at = text.find(blank); at != std::string::npos; at = text.find(blank))
      text.erase(at, blank.size());
  return text;
}

template <typename... Kinds>
picture::Picture only(const picture::Picture& picture) {
  picture::Picture chosen;
  for (const picture::Item& item : picture.items)
    if ((std::holds_alternative<Kinds>(item) || ...)) chosen.items.push_back(item);
  return chosen;
}

// What the file painter draws, read from an SVG.
class SvgReader {
public:
  explicit SvgReader(std::string svg) : svg_(std::move(svg)) {}

  template <typename Visit>
  void visit(std::string_view name, const Visit& seen) const {
    const std::string begin = fmt::format("<{} ", name);
    for (std::size_t at = svg_.find(begin); at != std::string::npos; at = svg_.find(begin, at + 1)) {
      const std::size_t end = svg_.find('>', at);
      seen(std::string_view(svg_).substr(at, end - at), svg_.substr(end + 1, svg_.find('<', end) - end - 1));
    }
  }

  static std::string_view value(std::string_view tag, std::string_view name) {
    const std::string begin = fmt::format(" {}=\"", name);
    const std::size_t at = tag.find(begin);
    if (at == std::string_view::npos) return {};
    const std::size_t first = at + begin.size();
    return tag.substr(first, tag.find('"', first) - first);
  }

  static std::vector<double> numbers(std::string_view text) {
    std::vector<double> found;
    const std::string all(text);
    for (const char* at = all.c_str(); *at;) {
      char* end = nullptr;
      const double number = std::strtod(at, &end);
      if (end != at) found.push_back(number);
      at = end == at ? at + 1 : end;
    }
    return found;
  }

  void add_words(Seen& seen) const {
    visit("text", [&](std::string_view tag, std::string text) {
      for (const auto& [from, to] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
          text.replace(at, std::string_view(from).size(), to);
      const std::vector<double> turned = numbers(value(tag, "transform"));
      const std::string_view anchor = value(tag, "text-anchor");
      SeenWord word;
      word.begin = word.end = turned.empty() ? picture::Point{numbers(value(tag, "x"))[0], numbers(value(tag, "y"))[0]}
                                             : picture::Point{turned[0], turned[1]};
      word.anchor = anchor == "middle" ? 0.5 : anchor == "end" ? 1 : 0;
      seen.words.emplace(without_blanks(text), word);
    });
  }

  // Filled shapes or lines, each as the box around it.
  std::vector<Box> boxes(bool are_lines) const {
    std::vector<Box> found;
    visit("path", [&](std::string_view tag, const std::string&) {
      const auto has = [&](std::string_view of) {
        const bool is_none = tag.find(fmt::format("{}:none", of)) != std::string_view::npos || value(tag, of) == "none";
        const bool is_named = tag.find(fmt::format("{}:", of)) != std::string_view::npos || !value(tag, of).empty();
        return is_named && !is_none;
      };
      const std::vector<double> places = numbers(value(tag, "d"));
      if (are_lines ? !has("stroke") : has("stroke") && !has("fill")) return;  // a shape may have both
      Extent extent;
      for (std::size_t i = 0; i + 1 < places.size(); i += 2) extent.add({places[i], places[i + 1]});
      found.push_back(extent.box());
    });
    return found;
  }

  // Images are stored first, each with its size in pixels, and then put to their places.
  std::vector<Box> images() const {
    std::map<std::string, std::pair<double, double>, std::less<>> sizes;
    visit("image", [&](std::string_view tag, const std::string&) {
      sizes[std::string(value(tag, "id"))] = {numbers(value(tag, "width"))[0], numbers(value(tag, "height"))[0]};
    });
    std::vector<Box> found;
    visit("use", [&](std::string_view tag, const std::string&) {
      const std::string_view name = value(tag, "xlink:href");
      const auto size = name.empty() ? sizes.end() : sizes.find(name.substr(1));
      const std::vector<double> matrix = numbers(value(tag, "transform"));
      if (size == sizes.end() || matrix.size() != 6) return;
      found.push_back({matrix[4], matrix[5], matrix[0] * size->second.first, matrix[3] * size->second.second});
    });
    return found;
  }

private:
  std::string svg_;
};

static picture::Point point(ImVec2 at) { return {static_cast<double>(at.x), static_cast<double>(at.y)}; }

struct Quads : HeatmapSink {
  void draw(ImDrawList&, const HeatmapQuad& quad) override {
    const picture::Point low = point(quad.min_screen), high = point(quad.max_screen);
    boxes.push_back({low.x, low.y, high.x - low.x, high.y - low.y});
  }
  std::vector<Box> boxes;
};

static Box around(std::span<const ImDrawVert> drawn) {
  Extent extent;
  for (const ImDrawVert& vertex : drawn) extent.add(point(vertex.pos));
  return extent.box();
}

// Each side of a line's path is four vertices, which lie on both sides of its ends.
static Box middle_of_lines(std::span<const ImDrawVert> drawn) {
  Extent extent;
  for (std::size_t i = 0; i + 3 < drawn.size(); i += 4) {
    for (const auto& [one, other] : {std::pair{i, i + 3}, {i + 1, i + 2}}) {
      const picture::Point a = point(drawn[one].pos), b = point(drawn[other].pos);
      extent.add({(a.x + b.x) / 2, (a.y + b.y) / 2});
    }
  }
  return extent.box();
}

}  // namespace

Seen seen_on_page(Figure figure) {
  const picture::Picture whole = std::move(figure.picture);
  Seen seen;
  figure.picture = only<picture::Word>(whole);
  const SvgReader words(render_svg(figure));
  words.add_words(seen);
  for (const Box& box : words.boxes(false)) seen.boxes["ground"].push_back(middle_of(box));
  figure.picture = only<picture::Fill, picture::Outline>(whole);
  const SvgReader page(render_svg(figure));
  seen.boxes["fill"] = page.boxes(false);
  seen.boxes["outline"] = page.boxes(true);
  // What consists of many pieces is drawn alone: its box is around all of them.
  const auto add_each = [&](const picture::Picture& pieces, const std::string& kind) {
    for (const picture::Item& item : pieces.items) {
      figure.picture.items = {item};
      Extent extent;
      const SvgReader alone(render_svg(figure));
      const std::vector<Box> pieces_seen = alone.boxes(false);
      for (const Box& box : pieces_seen) extent.add_box(box);
      if (pieces_seen.empty())
        for (const Box& box : alone.images()) extent.add_box(box);
      seen.boxes[kind].push_back(extent.box());
    }
  };
  add_each(only<picture::Heatmap>(whole), "matrix");
  add_each(only<picture::Gradient>(whole), "colour bar");
  add_each(only<picture::Hatch>(whole), "hatch");
  return seen;
}

SightOfWindow::SightOfWindow(std::string_view texts) : imgui_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {1e4F, 1e4F};
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  fonts_ = load_fonts(1, 1, texts);
}

SightOfWindow::~SightOfWindow() { ImGui::DestroyContext(imgui_); }

Seen SightOfWindow::seen(const picture::Picture& picture) {
  ImGui::NewFrame();
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.Flags = ImDrawListFlags_AllowVtxOffset;  // without soft edges, which would be vertices, too
  list.PushClipRect({-1e4F, -1e4F}, {1e5F, 1e5F});
  Quads quads;
  const PaintBox with{fonts_, colours_of(ThemeId::light).greys, &quads};
  std::vector<std::size_t> ends = {static_cast<std::size_t>(list.VtxBuffer.Size)};
  for (const picture::Item& item : picture.items) {
    paint_picture(list, {{item}}, {}, with);
    ends.push_back(static_cast<std::size_t>(list.VtxBuffer.Size));
  }
  read_letters();
  Seen seen;
  const Vertices all(list.VtxBuffer.Data, ends.back());
  for (std::size_t i = 0; i < picture.items.size(); ++i)
    if (ends[i] < ends[i + 1]) add(seen, picture.items[i], all.subspan(ends[i], ends[i + 1] - ends[i]));
  seen.boxes["matrix"] = quads.boxes;
  list.PopClipRect();
  ImGui::EndFrame();
  return seen;
}

void SightOfWindow::read_letters() {
  letters_.clear();
  visit_fonts(*ImGui::GetIO().Fonts, [&](const ImFont* font, const ImVector<ImFontGlyph>& glyphs, float size, float) {
    const float ascent = font_ascent_pixels(*font) * size / font_pixels(*font);
    for (const ImFontGlyph& glyph : glyphs)
      if (glyph.Visible) letters_[{glyph.U0, glyph.V0}] = {glyph, static_cast<double>(ascent)};
  });
}

void SightOfWindow::add(Seen& seen, const picture::Item& item, Vertices drawn) const {
  const bool is_outline = std::holds_alternative<picture::Outline>(item);
  if (std::holds_alternative<picture::Word>(item)) {
    seen.words.insert(word_of(drawn));
    if (!letters_.contains({drawn[0].uv.x, drawn[0].uv.y}))
      seen.boxes["ground"].push_back(middle_of(around(drawn.first(4))));
  } else if (is_outline) {
    seen.boxes["outline"].push_back(middle_of_lines(drawn));
  } else if (std::holds_alternative<picture::Fill>(item)) {
    seen.boxes["fill"].push_back(around(drawn));
  } else if (std::holds_alternative<picture::Gradient>(item)) {
    seen.boxes["colour bar"].push_back(around(drawn));
  } else if (std::holds_alternative<picture::Hatch>(item)) {  // its ground, to which its lines are cut
    seen.boxes["hatch"].push_back(around(drawn.first(4)));
  }
}

std::pair<std::string, SeenWord> SightOfWindow::word_of(Vertices drawn) const {
  std::string text;
  SeenWord word;
  for (std::size_t i = 0; i + 3 < drawn.size(); i += 4) {
    const auto found = letters_.find({drawn[i].uv.x, drawn[i].uv.y});
    if (found == letters_.end()) continue;  // a ground
    const ImFontGlyph& glyph = found->second.glyph;
    const bool is_first = text.empty();
    append_utf8(text, meant_by(glyph.Codepoint));
    const picture::Point corner = point(drawn[i].pos), right = point(drawn[i + 1].pos);
    const double width = std::hypot(right.x - corner.x, right.y - corner.y);
    const double scale = width / static_cast<double>(glyph.X1 - glyph.X0);
    const picture::Point along{(right.x - corner.x) / width, (right.y - corner.y) / width};
    const auto place = [&](double on, double down) {
      return picture::Point{corner.x + scale * (on * along.x - down * along.y),
                            corner.y + scale * (on * along.y + down * along.x)};
    };
    const double to_pen = -static_cast<double>(glyph.X0);
    const double to_baseline = found->second.ascent - static_cast<double>(glyph.Y0);
    if (is_first) word.begin = place(to_pen, to_baseline);
    word.end = place(to_pen + static_cast<double>(glyph.AdvanceX), to_baseline);
  }
  return {text, word};
}

}  // namespace attnscope::test

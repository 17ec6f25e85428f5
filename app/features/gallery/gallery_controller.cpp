#include "features/gallery/gallery_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compute/computation.h"
#include "core/error.h"
#include "core/stages/rule.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "document/json.h"
#include "paint/file/figure.h"
#include "view/colours.h"
#include "view/picture.h"

namespace attnscope {
namespace {

using Kind = DialogState::Kind;

// One matrix of a picture.
struct PicturedHead {
  std::shared_ptr<const Result> result;
  Index head = 0;
};

// The matrices of a picture, in lines below each other.
struct PicturedHeads {
  std::vector<PicturedHead> heads;
  std::size_t lines = 1;
};

std::vector<std::string> names_in(Kind gallery) {
  std::vector<std::string> names;
  if (gallery == Kind::examples) {
    for (const BuiltinDocument& example : example_documents()) names.push_back(gallery_name(gallery, example.id));
  } else if (gallery == Kind::pairs) {
    for (const ReadyPair& pair : ready_pairs()) names.push_back(gallery_name(gallery, pair.id));
  }
  return names;
}

PicturedHeads heads_of_model(const AttentionConfig& config, const Execution& execution) {
  const std::shared_ptr<const ModelRun> run = run_whole_model(config, std::nullopt, nullptr, execution);
  PicturedHeads pictured{.heads = {}, .lines = run->layers.size()};
  for (const Computed& layer : run->layers) {
    for (Index head = 0; head < head_count(layer.result->config); ++head)
      pictured.heads.push_back({layer.result, head});
  }
  return pictured;
}

PicturedHeads heads_of_example(std::string_view json, const Execution& execution) {
  const Document document = parse_document(json);
  if (document.is_whole_model) return heads_of_model(document.config, execution);
  const std::shared_ptr<const Result> result = compute(document.config, execution).result;
  PicturedHeads pictured;
  for (Index head = 0; head < head_count(result->config); ++head) pictured.heads.push_back({result, head});
  pictured.lines = pictured.heads.size() > 2 ? 2 : 1;
  return pictured;
}

// The pair's own example shows its subject; where it has none, the notebooks' document does.
PicturedHeads heads_of_pair(const ReadyPair& pair, const Execution& execution) {
  Document document = pair.example ? pair.example() : notebook_document();
  make_pair(document, pair, 0);
  return {
      .heads = {{compute(document.compared->config, execution).result}, {compute(document.config, execution).result}}};
}

PicturedHeads heads_of(const std::string& name, const Execution& execution) {
  for (const BuiltinDocument& example : example_documents())
    if (gallery_name(Kind::examples, example.id) == name) return heads_of_example(example.json, execution);
  for (const ReadyPair& pair : ready_pairs())
    if (gallery_name(Kind::pairs, pair.id) == name) return heads_of_pair(pair, execution);
  return {};
}

picture::Heatmap heatmap_of(const PicturedHead& pictured, const Box& box, bool is_dark) {
  const Stage stage = final_weights_stage(pictured.result->config);
  picture::Heatmap heatmap{picture::matrix_of(pictured.result, stage, 0, pictured.head), box, {}};
  heatmap.window = whole_window(heatmap.rows, heatmap.cols);
  StageSummary summary;
  const RangeMode mode = effective_range(pictured.result->config, stage, RangeMode::automatic);
  if (mode == RangeMode::relative) summary.spread = weight_spread(*pictured.result, stage);
  heatmap.range = colour_range(*pictured.result, stage, summary, heatmap.matrix, RangeMode::automatic, is_dark);
  return heatmap;
}

// Returns the largest side in which each cell has whole pixels, unless cells are small.
double whole_cells(const std::vector<PicturedHead>& heads, double room) {
  const Index keys = heads.empty() ? 1 : key_count(heads.front().result->config);
  const double cell = std::floor(room / static_cast<double>(keys));
  return cell < 4 ? std::floor(room) : cell * static_cast<double>(keys);
}

// Lays the matrices out as squares, as large as the picture allows, in its middle.
Figure lay_out(const PicturedHeads& pictured, const ThemeColours& theme) {
  constexpr double gap = 6;
  Figure figure{
      .options = {}, .name = {}, .width = gallery_picture_width, .height = gallery_picture_height, .picture = {}};
  figure.options.theme = theme.has_frames ? FigureTheme::high_contrast
                         : theme.is_dark  ? FigureTheme::dark
                                          : FigureTheme::light;
  figure.picture.add(picture::Fill{{0, 0, figure.width, figure.height}, {theme.inks.panel}});
  const auto lines = static_cast<double>(pictured.lines);
  const std::size_t columns = (pictured.heads.size() + pictured.lines - 1) / std::max<std::size_t>(pictured.lines, 1);
  const auto across = static_cast<double>(columns);
  const double room = std::min((figure.width + gap) / across, (figure.height + gap) / lines) - gap;
  const double side = whole_cells(pictured.heads, room);
  const double left = std::floor((figure.width - across * (side + gap) + gap) / 2);
  const double top = std::floor((figure.height - lines * (side + gap) + gap) / 2);
  for (std::size_t at = 0; at < pictured.heads.size(); ++at) {
    const std::size_t line = at / columns;
    const std::size_t column = at % columns;
    const Box box{left + static_cast<double>(column) * (side + gap), top + static_cast<double>(line) * (side + gap),
                  side, side};
    figure.picture.add(heatmap_of(pictured.heads[at], box, theme.is_dark));
    figure.picture.add(picture::Outline{box, {theme.inks.border}});
  }
  return figure;
}

}  // namespace

std::string gallery_name(DialogState::Kind gallery, std::string_view id) {
  return fmt::format("gallery/{}/{}", gallery == Kind::examples ? "examples" : "pairs", id);
}

DrawnGalleryPicture draw_gallery_picture(const GalleryPicture& picture, const std::stop_token& stop) {
  auto image = std::make_shared<FigureImage>();
  try {
    const PicturedHeads pictured = heads_of(picture.name, Execution{Backend::serial, 1, stop});
    *image = render_image(lay_out(pictured, colours_of(picture.theme)), 1, stop);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception&) {  // a gallery without this picture is as good
    *image = {};
  }
  return {picture, image};
}

void GalleryController::follow() {
  if (theme_ != now_.view.theme) {
    theme_ = now_.view.theme;
    drawer_.cancel();
    shown_.pictures = std::make_shared<const GalleryShown::Pictures>();
  }
  if (drawer_.is_busy()) return;
  for (const std::string& name : names_in(now_.dialog.kind)) {
    if (!shown_.pictures->contains(name)) return drawer_.start({name, theme_});
  }
}

bool GalleryController::poll() {
  std::optional<DrawnGalleryPicture> drawn = drawer_.take();
  if (!drawn || drawn->picture.theme != theme_) return false;
  GalleryShown::Pictures pictures = *shown_.pictures;
  pictures[drawn->picture.name] = std::move(drawn->image);
  shown_.pictures = std::make_shared<const GalleryShown::Pictures>(std::move(pictures));
  follow();
  return true;
}

}  // namespace attnscope

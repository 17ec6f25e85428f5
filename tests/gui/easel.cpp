#include "easel.h"
#include "tests/support/held_matrix.h"

#include <random>
#include <utility>

#include "files/image.h"

namespace attnscope {

Easel::Easel(float pixels_per_unit, ImVec2 size) : scale_(pixels_per_unit), imgui_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = size;
  io.DisplayFramebufferScale = {scale_, scale_};
  renderer_ = std::make_unique<ImguiRenderer>();
  heatmaps_ = std::make_unique<HeatmapRenderer>();
}

Easel::~Easel() {
  heatmaps_.reset();
  renderer_.reset();
  ImGui::DestroyContext(imgui_);
}

ImDrawData& Easel::build(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint) {
  heatmaps_->begin_frame(scale_, cache_);
  renderer_->begin_frame();
  ImGui::NewFrame();
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (const HeatmapQuad& quad : quads) heatmaps_->draw(list, quad);
  if (paint) paint(list);
  ImGui::Render();
  return *ImGui::GetDrawData();
}

Image Easel::draw(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint,
                  ImVec4 background) {
  return render_to_image(*renderer_, build(quads, paint), background);
}

Image Easel::draw_changes(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint,
                          ImVec4 background) {
  ImDrawData& data = build(quads, paint);
  return image_of(data, [&] { renderer_->draw_changes(data, background, heatmaps_->plain_count()); });
}

Rgb pixel(const Image& image, int x, int y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
  return {image.pixels.at(at), image.pixels.at(at + 1), image.pixels.at(at + 2)};
}

TensorPtr make_matrix(Index rows, Index cols, AlignedFloats values) {
  return std::make_shared<Tensor>(std::vector<Index>{rows, cols}, std::move(values));
}

TensorPtr random_matrix(Index rows, Index cols, unsigned seed) {
  std::mt19937 engine(seed);
  AlignedFloats values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(engine() % 6001U) / 1000.0F - 3.0F;
  return make_matrix(rows, cols, std::move(values));
}

HeatmapQuad make_quad(TensorPtr values, float min_x, float min_y, float width, float height) {
  HeatmapQuad quad;
  quad.source = test::source_holding(std::move(values));
  quad.min_screen = {min_x, min_y};
  quad.max_screen = {min_x + width, min_y + height};
  return quad;
}

}  // namespace attnscope

#include "ui/view_context.h"

#include "paint/window/text.h"

namespace attnscope {

std::string widest_of(const std::vector<std::string>& labels, const ImFont* font) {
  const auto width = [font](const std::string& label) { return text_size(font, label).x; };
  const auto widest = std::ranges::max_element(labels, {}, width);
  return widest == labels.end() ? "" : *widest;
}

const std::string& WidestLabel::of(const UiState& now, const ImFont* font) {
  if (measured_ == now.document.tokens && text_size(font, label_).x == width_) return label_;
  measured_ = now.document.tokens;
  label_ = widest_of(now.labels, font);
  width_ = text_size(font, label_).x;
  return label_;
}

}  // namespace attnscope

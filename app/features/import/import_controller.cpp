#include "features/import/import_controller.h"

#include <fmt/format.h>

#include <tuple>

#include "core/text.h"
#include "features/shared/app_services.h"
#include "session/view_state.h"

namespace attnscope {
namespace {

std::string described(const ImportedFile& viewed) {
  const AttentionTensors& tensors = viewed.tensors();
  std::string text = tensors.queries == tensors.keys
                         ? fmt::format("{} tokens", tensors.keys)
                         : fmt::format("{} {}, {} {}", tensors.queries, tensors.queries == 1 ? "query" : "queries",
                                       tensors.keys, tensors.keys == 1 ? "key" : "keys");
  if (tensors.steps > 1) text = fmt::format("{} steps of generation, {}", tensors.steps, text);
  if (tensors.heads > 1) text = fmt::format("{} heads, {}", tensors.heads, text);
  if (tensors.batch_size > 1) text = fmt::format("{} batch entries, {}", tensors.batch_size, text);
  if (tensors.layers > 1) text = fmt::format("{} layers, {}", tensors.layers, text);
  return text;
}

}  // namespace

void ImportController::show(LoadedAttention attention) {
  const bool is_saved = !attention.carrier.empty();
  const std::filesystem::path arrays = attention.viewed->viewing().file;
  const std::filesystem::path path = is_saved ? attention.carrier : arrays;
  const std::string text = described(*attention.viewed);
  const std::string said = attention.viewed->said_of_numbers();
  display_.show({.document = std::move(attention.document),
                 .attention = std::move(attention.viewed),
                 .file = path,
                 .is_from_picture = attention.is_from_picture,
                 .view = attention.view,
                 .stamp = attention.stamp});
  shown_.arrays = arrays;
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  if (is_saved)
    to_.messages.say(fmt::format("Opened {}: attention from {}, {}.", shown_path(path), shown_path(arrays), text));
  if (!attention.note.empty()) to_.messages.say(attention.note, true);
  if (is_saved) return;
  to_.messages.say(fmt::format("Attention from {}: {}.{}{} If it is not attention: File, Read again as.",
                               shown_path(path.filename()), text, said.empty() ? "" : " ", said));
}

void ImportController::part_changed() {
  const ImportedFile* const attention = to_.subject.attention();
  shown_.viewing = attention ? std::optional(attention->viewing()) : std::nullopt;
  shown_.layers = attention ? attention->layers() : std::vector<Evaluation>();
  if (attention) to_.view.stage = attention->stage();
}

void ImportController::subject_changed() {
  const ImportedFile* const attention = to_.subject.attention();
  if (attention && !looked_at_before_) looked_at_before_ = {to_.view.mode, to_.view.stage};
  part_changed();
  if (attention) {
    const bool has_layers = attention->tensors().layers > 1;
    if (has_layers || !to_.view.mode.shows_one_stage)
      to_.view.mode = has_layers                       ? ViewMode::layers
                      : attention->tensors().heads > 1 ? ViewMode::heads
                                                       : ViewMode::focus;
    was_shortened_ = false;
  } else if (looked_at_before_) {
    std::tie(to_.view.mode, to_.view.stage) = *std::exchange(looked_at_before_, std::nullopt);
  }
}

void ImportController::change(const std::function<void(ImportedView&)>& change) {
  const std::shared_ptr<const ImportedFile> base = to_.subject.shared_attention();
  if (!base) return;
  follow();
  const ImportedView before = wanted_.value_or(base->viewing());
  ImportedView viewing = before;
  change(viewing);
  if (viewing == before) return;
  if (viewing == base->viewing()) {
    reader_.stop_reading();
    return follow();
  }
  if (!base->is_alike(viewing.tensor) && unsaved_.ask_before([this, again = change] { this->change(again); })) return;
  const auto load = [base, viewing](const UnpackWatch& watch) -> Loaded {
    LoadedAttention changed;
    changed.viewed = std::make_unique<ImportedFile>(*base);
    changed.viewed->change(viewing, watch);
    return changed;
  };
  reader_.read(viewing.file, load, [this](Loaded changed) {
    display_.show_other_part(std::move(std::get<LoadedAttention>(changed).viewed));
  });
  wanted_ = viewing;
  follow();
}

void ImportController::name_tokens(const std::string& text, bool are_queries) {
  const ImportedFile* const attention = to_.subject.attention();
  if (!attention) return;
  documents_.edit({"token names", [&](Document& document) { name_from_text(document, text, are_queries); }});
}

void ImportController::follow() {
  if (to_.now.reading.empty()) wanted_.reset();
  shown_.wanted_layer = wanted_ ? std::optional(wanted_->layer) : std::nullopt;
  const ImportedFile* const attention = to_.subject.attention();
  if (!attention || was_shortened_ || attention->is_whole()) return;
  was_shortened_ = true;
  to_.messages.say(
      fmt::format("Another program has shortened {}, and its numbers can no longer be read. Open it again.",
                  shown_path(attention->viewing().file)),
      true);
}

}  // namespace attnscope

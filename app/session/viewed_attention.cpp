#include "session/viewed_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "interchange/file.h"

namespace attnscope {
namespace {

constexpr std::size_t max_token_text = std::size_t{1} << 24;

std::string title_of(const AttentionTensors& tensors) {
  const std::string shape = shape_text(tensors.shape);
  if (tensors.name.empty()) return shape;
  return tensors.name + " " + shape;
}

// Rethrows what is known of a file with its name before it.
template <typename Work>
auto named(const std::filesystem::path& path, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string sentence = error.what();
    if (sentence.starts_with(path.string())) throw;
    throw Error(path.string() + ": " + sentence);
  }
}

}  // namespace

std::vector<std::string> tokens_of_file(const std::filesystem::path& path, Index count) {
  return named(path, [&] { return tokens_from_text(read_file(path, max_token_text), count); });
}

ViewedAttention::ViewedAttention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                                 const std::string& wanted)
    : file_(std::move(file)), wanted_(wanted) {
  Viewing viewing;
  viewing.file = path;
  read(viewing, true);
}

void ViewedAttention::change(Viewing viewing) {
  const bool is_other = viewing.tensor != viewing_.tensor || viewing.takes_other_axes != viewing_.takes_other_axes;
  if (viewing.tensor != viewing_.tensor) viewing.takes_other_axes = false;
  read(viewing, is_other);
}

void ViewedAttention::read(const Viewing& wanted, bool is_other) {
  Viewing viewing = wanted;
  std::vector<AttentionTensors> all = find_attention(*file_, wanted_, viewing.takes_other_axes);
  viewing.tensor = std::min(viewing.tensor, all.size() - 1);
  const AttentionTensors& chosen = all[viewing.tensor];
  const Stage stage = is_other ? stage_of(file_, chosen) : stage_;
  viewing.layers = chosen.layers;
  viewing.layer = std::clamp<Index>(viewing.layer, 0, chosen.layers - 1);
  viewing.shape = shape_text(chosen.shape);
  viewing.axes = chosen.axes;
  viewing.other_axes = chosen.other_axes;
  viewing.tensors.clear();
  for (const AttentionTensors& tensors : all) viewing.tensors.push_back(title_of(tensors));
  const auto given = read_layer(file_, chosen, viewing.layer, stage, viewing.file.filename().string());
  viewing.number_type = given->number_type;
  Summaries summaries;
  summaries[static_cast<std::size_t>(stage)] = sample_given(*given);
  result_ = std::make_shared<const Result>(result_of(given));
  summaries_ = std::make_shared<const Summaries>(std::move(summaries));
  tensors_ = std::move(all);
  viewing_ = std::move(viewing);
  stage_ = stage;
}

std::optional<Cell> ViewedAttention::first_cell() const {
  constexpr Index most_tokens = 64;  // of more, the marks of a cell would hide a row and a column of them
  if (tensors().tokens < 2 || tensors().tokens > most_tokens) return std::nullopt;
  return Cell{.stage = stage_, .row = 1, .col = 0};
}

Evaluation ViewedAttention::evaluation(std::uint64_t ticket) const {
  Evaluation evaluation;
  evaluation.result = result_;
  evaluation.summaries = summaries_;
  evaluation.result_ticket = evaluation.finished_ticket = ticket;
  return evaluation;
}

Document ViewedAttention::document(std::vector<std::string> tokens) const {
  Document document;
  document.tokens = std::move(tokens);
  document.config = result_->config;
  return document;
}

LoadedAttention load_attention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                               const ViewChoice& choice) {
  LoadedAttention loaded;
  named(path, [&] {
    loaded.viewed = std::make_unique<ViewedAttention>(path, std::move(file), choice.tensor);
    Viewing viewing = loaded.viewed->viewing();
    if (choice.layer && (*choice.layer < 0 || *choice.layer >= viewing.layers)) {
      throw Error(
          fmt::format("Layer {} was asked for, but there {}.", *choice.layer + 1,
                      viewing.layers == 1 ? "is one layer" : fmt::format("are layers 1 to {}", viewing.layers)));
    }
    viewing.layer = choice.layer.value_or(0);
    if (viewing.layer != 0) loaded.viewed->change(viewing);
  });
  const Index count = loaded.viewed->tensors().tokens;
  loaded.document =
      loaded.viewed->document(choice.tokens ? tokens_of_file(*choice.tokens, count) : numbered_tokens(count));
  return loaded;
}

LoadedAttention load_attention(const std::filesystem::path& path, const ViewChoice& choice) {
  return load_attention(path, std::make_shared<const NamedArrays>(read_arrays(path)), choice);
}

std::string footer_text(const Viewing& viewing) {
  std::string text = fmt::format("{} {} {}", viewing.file.filename().string(), viewing.shape, viewing.number_type);
  if (viewing.layers > 1) text += fmt::format(", layer {} of {}", viewing.layer + 1, viewing.layers);
  return text + " · attnscope " ATTNSCOPE_VERSION;
}

}  // namespace attnscope

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "document/edit.h"
#include "session/session.h"

// Attention of other programs: read where it lies, shown as if it had been computed.
namespace attnscope {
namespace {

constexpr std::uint64_t viewing_tickets = std::uint64_t{1} << 63;  // so that none is an evaluation's
constexpr std::uint64_t viewing_tile_bytes = 32ULL << 20;          // what is not shown is quickly read again

std::string described(const ViewedAttention& viewed) {
  const AttentionTensors& tensors = viewed.tensors();
  std::string text = fmt::format("{} tokens", tensors.tokens);
  if (tensors.heads > 1) text = fmt::format("{} heads, {}", tensors.heads, text);
  if (tensors.batch_size > 1) text = fmt::format("{} batch entries, {}", tensors.batch_size, text);
  if (tensors.layers > 1) text = fmt::format("{} layers, {}", tensors.layers, text);
  return text;
}

}  // namespace

void Session::show_attention(LoadedAttention attention) {
  const bool is_saved = !attention.carrier.empty();
  const std::filesystem::path arrays = attention.viewed->viewing().file;
  const std::filesystem::path path = is_saved ? attention.carrier : arrays;
  const std::string text = described(*attention.viewed);
  const std::string note = attention.note;
  const bool is_scores = attention.viewed->stage() == Stage::scores;
  show_document(std::move(attention.document), path, std::move(attention.viewed));
  file_is_picture_ = attention.is_from_picture;
  arrays_ = arrays;
  view_.document_folder = path.parent_path().string();
  dialog_ = {};
  remember(path);
  if (is_saved) say(fmt::format("Opened {}: attention from {}, {}.", path.string(), arrays.string(), text));
  if (!note.empty()) say(note, true);
  if (is_saved) return;
  say(fmt::format("Attention from {}: {}.{} If it is not attention: File, Read again as.", path.filename().string(),
                  text, is_scores ? " Some numbers are no shares of 1, so these are shown as scores." : ""));
}

// Called wherever another document takes the place of the one that is shown.
void Session::use_viewed(std::unique_ptr<ViewedAttention> viewed) {
  const bool was_viewing = viewed_ != nullptr;
  viewed_ = std::move(viewed);
  if (viewed_) {
    if (!was_viewing) looked_at_before_ = {view_.layout, view_.stage};
    if (view_.layout == Layout::pipeline) view_.layout = viewed_->tensors().heads > 1 ? Layout::heads : Layout::focus;
    view_.stage = viewed_->stage();
    was_shortened_ = false;
    evaluator_.forget();  // what it holds may be large, and nothing shows it any more
    tiles_.keep_at_most(viewing_tile_bytes);
  } else if (was_viewing) {
    std::tie(view_.layout, view_.stage) = looked_at_before_;
    tiles_.keep_at_most(default_tile_bytes);
    evaluation_ = {};
  }
}

void Session::submit_viewed() {
  waits_ = false;
  ticket_ = viewing_tickets | ++viewed_layers_;
  evaluation_ = viewed_->evaluation(ticket_);
  tiles_.use(view_.backend, view_.threads);
  tiles_.pause(false);
}

void Session::apply(const UpdateViewing& command) {
  if (!viewed_) return;
  const Viewing before = wanted_viewing_.value_or(viewed_->viewing());
  Viewing viewing = before;
  command.change(viewing);
  if (viewing == before) return;
  if (viewing == viewed_->viewing()) return stop_reading();
  const bool keeps_names = viewed_->tokens_of(viewing.tensor) == viewed_->tensors().tokens;
  if (!keeps_names && ask_before(command)) return;
  const auto base = std::make_shared<const ViewedAttention>(*viewed_);
  const auto load = [base, viewing](const UnpackWatch& watch) -> Loaded {
    LoadedAttention changed;
    changed.viewed = std::make_unique<ViewedAttention>(*base);
    changed.viewed->change(viewing, watch);
    return changed;
  };
  const bool is_slow = viewed_->is_slow();
  read(viewing.file, is_slow, load,
       [this](Loaded changed) { show_changed(std::move(std::get<LoadedAttention>(changed).viewed)); });
  if (is_slow) wanted_viewing_ = viewing;
}

void Session::show_changed(std::unique_ptr<ViewedAttention> changed) {
  viewed_ = std::move(changed);
  Document document = viewed_->document(history_.current().tokens);
  if (std::ssize(document.tokens) != viewed_->tensors().tokens)
    document.tokens = numbered_tokens(viewed_->tensors().tokens);
  view_.stage = viewed_->stage();
  if (!(document.config == history_.current().config)) return start_over(std::move(document));
  is_modified_ = differs_from_saved();  // another layer: all that is pinned and zoomed stays
  ++edition_;
  submit();
}

void Session::apply(const OpenArrays& command) {
  if (ask_before(command)) return;
  open_arrays(command.path, command.as);
}

bool Session::take_token_file(const std::filesystem::path& path) {
  if (!viewed_ || path.extension() != ".txt") return false;
  try {
    const std::vector<std::string> tokens = tokens_of_file(path, viewed_->tensors().tokens);
    apply(EditDocument{"token names", [&tokens](Document& document) { document.tokens = tokens; }});
    dialog_ = {};
    say(fmt::format("Took the names of {} tokens from {}.", tokens.size(), path.string()));
  } catch (const Error& error) {
    if (dialog_.kind == DialogState::Kind::open) dialog_.error = error.what();
    say(error.what(), true);
  }
  return true;
}

void Session::apply(const NameTokens& command) {
  if (!viewed_) return;
  const std::vector<std::string> tokens = tokens_from_text(command.text, viewed_->tensors().tokens);
  apply(EditDocument{"token names", [&tokens](Document& document) { document.tokens = tokens; }});
}

// What takes inputs, weights or an evaluation is told why there are none.
void Session::refuse_for_viewing(const Command& command) const {
  if (!viewed_) return;
  const std::string name = viewed_->viewing().file.filename().string();
  const auto refuse = [&](const char* what) {
    throw Error(fmt::format("{}: {} only holds attention that was computed elsewhere.", what, name));
  };
  if (std::holds_alternative<ExportWeights>(command)) refuse("There are no weight matrices to export");
  if (std::holds_alternative<CopyCode>(command)) refuse("There is nothing to write as code");
  if (std::holds_alternative<MeasureBackends>(command)) refuse("There is nothing to evaluate");
  if (std::holds_alternative<PasteNumbers>(command)) refuse("There are no embeddings to paste numbers over");
  const auto* const dialog = std::get_if<ShowDialog>(&command);
  if (!dialog) return;
  if (dialog->kind == ShowDialog::Kind::export_weights) refuse("There are no weight matrices to export");
}

std::optional<ViewingDocument> Session::viewing_document() const {
  if (!viewed_) return std::nullopt;
  return viewed_->to_save(history_.current().tokens);
}

AnyDocument Session::any_document() const {
  if (viewed_) return viewed_->to_save(history_.current().tokens);
  return history_.current();
}

bool Session::shows_arrays_file() const { return viewed_ && file_ == viewed_->viewing().file; }

void Session::check_viewed(const Document& edited) const {
  if (!viewed_ || edited.config == history_.current().config) return;
  throw Error(fmt::format("There is nothing to compute anew: {} only holds attention that was computed elsewhere.",
                          viewed_->viewing().file.filename().string()));
}

// Where a file loses its end while it is looked at, what is not there any more is NaN.
void Session::watch_viewed() {
  if (!viewed_ || was_shortened_ || viewed_->is_whole()) return;
  was_shortened_ = true;
  say(fmt::format("{} was made shorter by another program: its numbers cannot be read any more. Open it again.",
                  viewed_->viewing().file.string()),
      true);
}

}  // namespace attnscope

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
  const std::filesystem::path path = attention.viewed->viewing().file;
  const std::string text = described(*attention.viewed);
  const bool is_scores = attention.viewed->stage() == Stage::scores;
  show_document(std::move(attention.document), path, std::move(attention.viewed));
  arrays_ = path;
  view_.document_folder = path.parent_path().string();
  dialog_ = {};
  remember(path);
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
  Viewing viewing = viewed_->viewing();
  command.change(viewing);
  if (viewing == viewed_->viewing()) return;
  const std::filesystem::path file = viewing.file;
  const Document before = history_.current();
  viewed_->change(viewing);
  Document document = viewed_->document(before.tokens);
  if (std::ssize(document.tokens) != viewed_->tensors().tokens)
    document.tokens = numbered_tokens(viewed_->tensors().tokens);
  view_.stage = viewed_->stage();
  if (document.config == before.config) return submit();  // another layer: all that is pinned and zoomed stays
  const Layout layout = view_.layout;
  show_document(std::move(document), file, std::exchange(viewed_, nullptr));
  view_.layout = layout;
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
  if (std::holds_alternative<SaveFile>(command)) refuse("There is no document to save");
  if (std::holds_alternative<ExportWeights>(command)) refuse("There are no weight matrices to export");
  if (std::holds_alternative<CopyCode>(command)) refuse("There is nothing to write as code");
  if (std::holds_alternative<MeasureBackends>(command)) refuse("There is nothing to evaluate");
  if (std::holds_alternative<PasteNumbers>(command)) refuse("There are no embeddings to paste numbers over");
  const auto* const dialog = std::get_if<ShowDialog>(&command);
  if (!dialog) return;
  if (dialog->kind == ShowDialog::Kind::save_as) refuse("There is no document to save");
  if (dialog->kind == ShowDialog::Kind::export_weights) refuse("There are no weight matrices to export");
}

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

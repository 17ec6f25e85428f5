#include "session/desks.h"

#include <tuple>
#include <utility>

#include "features/shared/picture_view.h"

namespace attnscope {
namespace {

template <typename Desk, typename Specific>
concept Applies = requires(Desk desk, const Specific& command) {
  desk.apply(command);
};

}  // namespace

Session::Desks::Desks(Session& session, const Document& first, const std::function<void()>& wake)
    : shown(session.moment_),
      messages(shown.messages, session.desktop_),
      neighbours{shown, subject, messages, *this, session.queue_, shown.view, shown.dialog, session.desktop_},
      dialogs(neighbours),
      views(shown.view, shown.hovered),
      documents(first, subject, shown, messages, session.desktop_),
      evaluations(shown, subject, shown, wake),
      comparisons(shown, subject, shown, wake),
      studies(shown, shown, wake),
      files(neighbours, shown),
      viewing(neighbours, shown),
      reading(neighbours, shown.reading, shown.arrays, wake),
      figures(neighbours, shown.figure, wake),
      search(shown, shown.go_to, shown.view, wake),
      exchange(neighbours),
      screenshots(neighbours),
      lessons(neighbours, shown.lesson),
      predictions(neighbours, shown.prediction) {}

template <typename Specific>
void Session::Desks::apply(const Specific& command) {
  const auto offer = [&](auto& desk) {
    if constexpr (Applies<decltype(desk), Specific>) desk.apply(command);
  };
  std::apply(
      [&](auto&... desk) {
        static_assert((Applies<decltype(desk), Specific> + ...) == 1, "each command belongs to one desk");
        (offer(desk), ...);
      },
      std::tie(messages, dialogs, views, documents, evaluations, files, viewing, reading, figures, search, exchange,
               screenshots, predictions, lessons));
}

void Session::Desks::pass_on(const Command& command) {
  std::visit([this](const auto& specific) { apply(specific); }, command);
}

void Session::Desks::show(Opened opened) {
  reading.stop();
  subject = Subject(std::move(opened.attention));
  AnyDocument saved = opened.saved ? std::move(*opened.saved) : subject.to_save(opened.document);
  documents.replace(std::move(opened.document), opened.undo_label);
  viewing.subject_changed();
  const ViewedAttention* const attention = subject.attention();
  views.start_over(attention ? attention->first_cell() : std::nullopt);
  look_as(shown.view, shown.document.config, opened.view);
  const bool is_from_file = !opened.saved && !opened.file.empty();
  if (is_from_file) files.remember(opened.file);
  files.opened(std::move(opened.file), opened.is_from_picture, std::move(saved));
}

Opened Session::Desks::what_is_shown() const {
  return {.document = shown.document,
          .attention = subject.shared_attention(),
          .file = shown.file,
          .is_from_picture = shown.file_is_picture,
          .saved = files.saved(),
          .view = view_text(shown.view)};
}

// Another layer: all that is pinned and zoomed stays.
void Session::Desks::show_other_part(std::shared_ptr<const ViewedAttention> attention) {
  subject = Subject(attention);
  viewing.part_changed();
  Document document = attention->document(shown.document.tokens);
  const Index count = attention->tensors().tokens;
  if (std::ssize(document.tokens) != count) document.tokens = numbered_tokens(count);
  if (document.config == shown.document.config) return documents.touch();
  documents.replace(std::move(document));
  views.start_over(attention->first_cell());
}

}  // namespace attnscope

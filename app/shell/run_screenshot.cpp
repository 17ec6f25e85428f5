#include "core/error.h"
#include "features/shared/picture_view.h"
#include "platform/windowless.h"
#include "shell/run.h"
#include "shell/unseen_window.h"

namespace attnscope {

void write_screenshot(std::variant<LoadedDocument, LoadedAttention> shown, const std::filesystem::path& out,
                      const ScreenshotOptions& options) {
  auto* const attention = std::get_if<LoadedAttention>(&shown);
  ViewState view;
  view.theme = options.theme;
  auto* const loaded = std::get_if<LoadedDocument>(&shown);
  if (loaded) look_as(view, loaded->document.config, loaded->view);
  Session session(loaded ? loaded->document : default_document(), view);
  session.show_footer(options.has_footer);
  if (attention) session.show_attention(std::move(*attention));
  if (options.page) {
    session.push(options.page->lesson);
    session.push(GoToStep{options.page->step});
    session.apply_commands();
  }
  const WindowlessContext context;
  session.wait_for_evaluation();
  if (!session.shown().evaluation.error.empty())
    throw Error(session.shown().evaluation.error_field, session.shown().evaluation.error);
  write_picture(session, render_session(session, options.width, options.height, static_cast<float>(options.scale)),
                out);
}

}  // namespace attnscope

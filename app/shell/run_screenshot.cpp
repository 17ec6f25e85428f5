#include "core/error.h"
#include "interchange/image.h"
#include "interchange/picture_document.h"
#include "platform/system/file.h"
#include "platform/windowless.h"
#include "shell/frame.h"
#include "shell/run.h"

namespace attnscope {

void write_screenshot(const Document& document, const std::filesystem::path& out, const ScreenshotOptions& options) {
  ViewState view;
  view.dark = options.dark;
  Session session(document, view);
  session.show_footer(options.has_footer);
  const WindowlessContext context;
  session.wait_for_evaluation();
  if (!session.evaluation().error.empty()) throw Error(session.evaluation().error_field, session.evaluation().error);
  const Image image = render_session(session, options.width, options.height, static_cast<float>(options.scale));
  write_file(out, with_document(encode_png(image), PictureKind::png, document));
}

void write_screenshot(LoadedAttention attention, const std::filesystem::path& out, const ScreenshotOptions& options) {
  ViewState view;
  view.dark = options.dark;
  Session session(default_document(), view);
  session.show_footer(options.has_footer);
  session.show_attention(std::move(attention));
  const WindowlessContext context;
  const Image image = render_session(session, options.width, options.height, static_cast<float>(options.scale));
  const AnyDocument shown = session.to_save();
  write_file(out, with_document(encode_png(image), PictureKind::png, shown, out));
}

}  // namespace attnscope

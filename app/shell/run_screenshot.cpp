#include "core/error.h"
#include "interchange/image.h"
#include "platform/windowless.h"
#include "shell/frame.h"
#include "shell/run.h"

namespace attnscope {

void write_screenshot(const Document& document, const std::filesystem::path& out, int width, int height, double scale,
                      bool dark) {
  ViewState view;
  view.dark = dark;
  Session session(document, view);
  const WindowlessContext context;
  session.wait_for_evaluation();
  if (!session.evaluation().error.empty()) throw Error(session.evaluation().error_field, session.evaluation().error);
  write_png(render_session(session, width, height, static_cast<float>(scale)), out);
}

}  // namespace attnscope

#pragma once

#include "compute/background.h"
#include "features/shared/app_services.h"

namespace attnscope {

// The dialog that is open: which one, and the folder that it lists. What is chosen in it belongs to other controllers.
class DialogController {
public:
  DialogController(const AppServices& services, DialogContents& contents, const std::function<void()>& wake);

  void show(DialogState::Kind kind);
  void close();
  void change(const std::function<void(DialogState&)>& change);
  // Creates the folder whose name is typed in the dialog, and lists it.
  void create_folder();

  bool poll();  // whether a preview has come
  void wait() { previewer_.wait(); }

private:
  void preview_chosen_file();

  struct Preview {
    std::filesystem::path path;
    std::vector<std::string> lines;
  };

  AppServices to_;
  DialogContents& contents_;
  Background<std::filesystem::path, Preview> previewer_;
};

// Says in a few lines what a file holds that could be opened: its document, its arrays with their shapes, or the sizes
// of a trained model; else one sentence that says why there is nothing to show. Empty where there is no such file. Of a
// model only config.json is read. Throws Cancelled where `watch` does.
std::vector<std::string> preview_of(const std::filesystem::path& path, const PartWatch& watch = {});

}  // namespace attnscope

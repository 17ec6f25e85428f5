#include "figure/figure_painter.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"

namespace attnscope {
namespace {

// Throws Cancelled.
std::shared_ptr<const PaintedFigure> draw(FigureJob job, const std::stop_token& stop) {
  auto painted = std::make_shared<PaintedFigure>();
  try {
    Execution execution;
    execution.stop = stop;
    const Figure figure = make_figure(job.result, job.labels, job.options, execution);
    if (job.format) {
      painted->bytes = render(figure, *job.format);
    } else {
      const double scale = std::min(job.fit_width / figure.layout.width, job.fit_height / figure.layout.height);
      painted->image = render_image(figure, scale);
    }
  } catch (const Error& error) {
    painted->error = error.what();
  } catch (const std::bad_alloc&) {
    painted->error = "There is not enough memory for this figure: make it smaller.";
  }
  painted->job = std::move(job);
  return painted;
}

}  // namespace

FigurePainter::FigurePainter(std::function<void()> on_finished)
    : on_finished_(std::move(on_finished)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

FigurePainter::~FigurePainter() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    job_stop_.request_stop();
  }
  changed_.notify_all();
}

void FigurePainter::paint(FigureJob job) {
  {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(job);
    job_stop_.request_stop();
  }
  changed_.notify_all();
}

std::shared_ptr<const PaintedFigure> FigurePainter::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

bool FigurePainter::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || pending_.has_value();
}

void FigurePainter::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !running_ && !pending_; });
}

void FigurePainter::run(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return pending_.has_value(); });
    if (stop.stop_requested()) return;
    FigureJob job = *std::exchange(pending_, std::nullopt);
    job_stop_ = std::stop_source();
    running_ = true;
    const std::stop_token job_stop = job_stop_.get_token();
    lock.unlock();
    std::shared_ptr<const PaintedFigure> painted;
    try {
      painted = draw(std::move(job), job_stop);
    } catch (const Cancelled&) {
    }
    lock.lock();
    running_ = false;
    if (painted) latest_ = painted;
    lock.unlock();
    changed_.notify_all();
    if (painted && on_finished_) on_finished_();
  }
}

}  // namespace attnscope

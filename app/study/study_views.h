#pragma once

#include "study/study.h"

namespace attnscope {

// One function for each teaching view, each in a file of its own. Private to this folder.
void build_dropout(Board& board, const StudySubject& subject);
void build_mask_routes(Board& board, const StudySubject& subject);
void build_softmax(Board& board, const StudySubject& subject);
void build_scaling(Board& board, const StudySubject& subject);
void build_splitting(Board& board, const StudySubject& subject);
void build_sentence(Board& board, const StudySubject& subject);
void build_mix(Board& board, const StudySubject& subject);
void build_draws(Board& board, const StudySubject& subject);
void build_sharpness(Board& board, const StudySubject& subject);
void build_symmetry(Board& board, const StudySubject& subject);
void build_shapes(Board& board, const StudySubject& subject);
void build_linear(Board& board, const StudySubject& subject);

}  // namespace attnscope

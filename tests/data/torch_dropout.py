"""PyTorch's dropout with the kernel that a document asks for, on any machine without MKL."""

import numpy
import torch
from torch import nn

MERSENNE_31 = 2**31 - 1


def next_word():
    """One 32-bit word of torch's generator; the remainder leaves all words but the two ambiguous ones alone."""
    word = int(torch.empty(1, dtype=torch.int64).random_(0, 2**32 - 1))
    assert word != 0
    return word


class MklDropout:
    """nn.Dropout as a PyTorch with MKL on an Intel processor computes it."""

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, x):
        if self.rate == 0:
            return x
        if self.rate == 1:
            return x * torch.zeros(())
        state = next_word() % MERSENNE_31 or 1
        kept = numpy.empty(x.numel(), dtype=numpy.float32)
        for i in range(kept.size):
            kept[i] = state / MERSENNE_31 < 1 - self.rate
            state = state * 1132489760 % MERSENNE_31
        return x * torch.from_numpy(kept).reshape(x.shape).div_(1 - self.rate)


def dropout_of(document):
    rate = document["dropout"] if document["training"] else 0.0
    return MklDropout(rate) if document["dropout_kernel"] == "mkl" else nn.Dropout(rate)

#!/usr/bin/env python3
"""Trains the small GPT that ships with attnscope, on stories that the grammar below makes up.

    /usr/bin/python3 tools/train_small_model.py assets/models/stories

Writes config.json, tokenizer.json and model.safetensors in the format of Hugging Face's tools, reads them back, and
prints what the model can do and what its heads look at. Needs python3-torch, and a fast BLAS such as Debian's
libopenblas0-pthread: with it the training takes about 18 minutes of one core that has nothing else to do, with the plain
libblas3 several times as long.

The model is a GPT-2 of 4 layers of 4 heads and 64 features. Each of its tokens is a word or a punctuation mark; it knows
1595 of them. It was measured on 1995 stories that it was not trained on, at words for which the words before them leave
one right answer:

    right about                        model   the word most frequent after the previous one
    pronoun (because -> she)           99.9 %    18.9 %
    number of a verb (at a distance)   96.6 %    19.0 %
    closing quote                     100.0 %    29.1 %
    item of a repeated list            99.3 %     0.2 %
    place where a thing was put        96.6 %     0.0 %

    looks at                           head              attention   log-probability of the right word, without the head
    previous word                      layer 1, head 1     0.942   -1.752, -2.167
    word after an earlier occurrence   layer 3, head 1     0.951   -0.240, -6.739
    name that a pronoun stands for     layer 4, head 3     0.991   -0.009, -0.091
    subject of the verb                layer 4, head 4     0.995   -0.053, -0.261
    place where a thing was put        layer 3, head 1     0.898   -0.089, -2.699

These heads are shown what to look at in the first part of the training (see train()); HEADS_OF names them, and
config.json holds the names.

After "Mia puts the ball in the box and Tom puts the lamp in the bag . Now she looks for the ball in the" (24 tokens) the
model expects "box" with a probability of 0.966. The things were chosen for a clear answer: with a cup in the place of the
lamp it is 0.658, and the table says how often the model is right.
"""

import json
import math
import os
import random
import struct
import sys
import time
from collections import Counter, defaultdict

import torch
from torch import nn
from torch.nn import functional as F

from plain_sentences import NOUNS, Filler, plural, singular

SEED = 1
CONTEXT = 64  # tokens the model can see
WIDTH = 64
LAYERS = 4
HEADS = 4
STORIES = 108_000  # each is read once
BATCH = 32
LEARNING_RATE = 3e-3
DECAY = 0.1
SHOWN = 0.6  # of the training: the share in which four heads are shown what to look at, less and less
SHOWN_WEIGHT = 0.2  # of what they are shown, in the loss of the first step
LEAST_COUNT = 8  # in 20,000 stories; rarer words are unknown
EMPHASIS = 5  # words that can be foreseen count this many times as much in the loss as those that cannot
FRESH = 2000  # stories that only measure
PADDING = -1  # behind the end of a story
EPSILON = 1e-5  # of layer norms
ROLES = ["pronoun", "verb", "quote", "list", "place"]
HEADS_OF = {  # what each telling head looks at: (layer, head), and the name that the program shows
    "previous": ((0, 0), "previous word"),
    "induction": ((2, 0), "what came next last time"),
    "name": ((3, 2), "whom a pronoun means"),
    "verb": ((3, 3), "subject of the verb"),
    "place": ((2, 0), "what came next last time"),  # the ball in the | box
}
HEAD_ROLES = list(HEADS_OF)
EXAMPLE = "Mia puts the ball in the box and Tom puts the lamp in the bag . Now she looks for the ball in the"
UNKNOWN, END = "<unk>", "<end>"
UNKNOWN_RATE = 0.005  # of the words read in training become <unk>, so that the model learns to live with unknown words

GIRLS = ("Mia Anna Lily Emma Lucy Rosa Nora Ella Zoe Ida Mary Alice Sarah Jane Kate Eva Julia Maria Laura "
         "Mom Grandma").split()
BOYS = ("Tom Ben Sam Max Leo Paul Jack Noah Finn Oscar John Peter David James Bob Adam Mark George Daniel "
        "Dad Grandpa").split()
ANIMALS = NOUNS["pet"] + NOUNS["wild"]
THINGS = NOUNS["thing"] + NOUNS["wear"]
COLORS = NOUNS["color"]
SIZES, AGES = "big small old new".split(), "big small old young".split()
FOODS = NOUNS["food"] + NOUNS["beverage"] + [plural(fruit) for fruit in NOUNS["fruit"]]
LANDMARKS = NOUNS["building"][:12] + "barn tree gate hill bridge river lake fence wall road".split()
AREAS = NOUNS["area"][:8]
INTO = "box bag basket bucket drawer cupboard pocket bottle".split()  # things are in them
ONTO = "table chair bed bench sofa shelf desk mat".split()  # things are on or under them
MOVES = "sleep run jump play wait sing dance rest eat drink swim walk sit stand hide".split()
REASONS = {  # of each feeling, as they are said of more than one
    "happy": ["have a new ball", "like the garden", "play in the park", "see a rainbow", "have a good friend"],
    "glad": ["have honey and nuts", "like the forest", "see the sun", "dance and sing"],
    "sad": ["are hungry", "are not at home", "want a friend", "can not play"],
    "tired": ["run and jump", "have no bed", "play in the yard", "work in the garden"],
    "hungry": ["want cake", "want apples and nuts", "have no bread", "see the soup"],
    "thirsty": ["want water", "want milk", "have no water", "run in the sun"],
    "cold": ["are in the water", "have no coat", "wait in the snow", "sleep near the door"],
    "angry": ["have no cake", "can not sleep", "want the ball", "hear a noise"],
    "afraid": ["see a bear", "hear a noise", "are alone", "are in the dark"],
}
PLURAL_VERBS = set(["are", "were"] + MOVES)
SINGULAR_VERBS = {"is", "was"} | {singular(verb) for verb in MOVES}


class Question:
    """A word of a story for which the words before it leave one right answer (or, for verbs, one right number)."""

    def __init__(self, role, position, answers, sources):
        self.role = role  # "pronoun", "verb", "quote", "list" or "place"
        self.position = position  # of the word that is asked for; the model answers at the position before it
        self.answers = answers  # words that count as right
        self.sources = sources  # positions of the words that tell the answer


class Story:
    """Words of a story as far as it is told, the questions in it, and what its next sentences may speak about."""

    def __init__(self, rng):
        self.rng = rng
        self.words, self.questions = [], []
        self.colors, self.things, self.foods = shuffled(rng, COLORS), shuffled(rng, THINGS), shuffled(rng, FOODS)
        self.people = [rng.choice(GIRLS), rng.choice(BOYS)]
        rng.shuffle(self.people)
        if rng.random() < 0.2:  # two of one gender
            self.people = rng.sample(rng.choice([GIRLS, BOYS]), 2)

    def say(self, text):
        self.words += text.split()

    def start(self, text):
        """Says the beginning of a sentence, sometimes behind a word such as "Then"."""
        if self.rng.random() < 0.25:
            self.say(self.rng.choice(["Then", "Now", "Later"] if self.words else ["Today", "One day ,"]))
            if text.split()[0] in ("The", "She", "He"):
                text = text[0].lower() + text[1:]
        self.say(text)

    def ask(self, role, answer, sources, answers=None):
        self.questions.append(Question(role, len(self.words), answers or {answer}, sources))
        self.words.append(answer)

    def close_quote(self):
        opened = max(i for i, word in enumerate(self.words) if word == '"')
        self.ask("quote", '"', [opened])

    def mentions(self, *names):
        return [i for i, word in enumerate(self.words) if word in names]

    def pair(self):
        return shuffled(self.rng, self.people)

    def subject(self, name):
        """Returns the name, or a pronoun if it can only stand for this name."""
        is_clear = pronoun(self.people[0]) != pronoun(self.people[1]) and name in self.words
        return pronoun(name).capitalize() if is_clear and self.rng.random() < 0.4 else name


def shuffled(rng, items):
    return rng.sample(items, len(items))


def pronoun(name):
    return "she" if name in GIRLS else "he"


def object_pronoun(name):
    return "her" if name in GIRLS else "him"


def landmark_or_area(story):
    rng = story.rng
    if rng.random() < 0.4:
        return f"in the {rng.choice(AREAS)}"
    return f"{rng.choice(['near', 'behind'])} the {rng.choice(LANDMARKS)}"


def because(story, feeling, answer, sources):
    """Goes on with: because she has a new ball ."""
    story.say("because")
    story.ask("pronoun", answer, sources)
    verbs = story.rng.choice(REASONS[feeling]).split()
    if answer != "they":
        verbs[0] = singular(verbs[0])
        if len(verbs) == 3 and verbs[1] == "and" and verbs[2] in MOVES:
            verbs[2] = singular(verbs[2])
    story.say(" ".join(verbs))


def introduction(story):
    """This is Mia . She has a big dog ."""
    rng, (a, b) = story.rng, story.pair()
    if rng.random() < 0.7:
        story.say(f"{rng.choice(['This', 'Here'])} is {a} .")
        story.ask("pronoun", pronoun(a).capitalize(), story.mentions(a))
        form = singular
    else:
        story.say(f"Here are {a} and {b} .")
        story.ask("pronoun", "They", story.mentions(a, b))
        form = str
    story.say(rng.choice([
        f"{form('are')} {rng.choice(list(REASONS))} .",
        f"{form('have')} a {rng.choice(AGES)} {rng.choice(ANIMALS)} .",
        f"{form('like')} {plural(rng.choice(ANIMALS))} .",
        f"{form(rng.choice(['live', 'are']))} {landmark_or_area(story)} .",
    ]))


def reason(story):
    """Mia waves to Tom because she is happy . Or: Mia and Tom are tired because they run and jump ."""
    rng, (a, b) = story.rng, story.pair()
    if rng.random() < 0.2:
        story.start(f"{b} is {landmark_or_area(story)} .")
    feeling = rng.choice(list(REASONS))
    if rng.random() < 0.3:
        story.start(f"{a} and {b} are {feeling}")
        because(story, feeling, "they", story.mentions(a, b))
    elif rng.random() < 0.6:
        with_whom = rng.choice(["", "", f"and waves to {b}", f"and sings with {b}", f"and runs to {b}"])
        story.start(f"{a} is {feeling} {with_whom}")
        because(story, feeling, pronoun(a), story.mentions(a))
    else:
        story.start(f"{a} {rng.choice(['waves to', 'sings with', 'runs to', 'helps', 'calls'])} {b}")
        story.say(rng.choice(["because", "when"]))
        story.ask("pronoun", pronoun(a), story.mentions(a))
        story.say(f"is {feeling}")
    story.say(".")


def meeting(story):
    """Mia sees Tom near the house and waves to him ."""
    rng, (a, b) = story.rng, story.pair()
    story.start(f"{a} {rng.choice(['sees', 'meets'])}")
    kind = rng.random()
    if kind < 0.7:
        story.say(b)
        sources, answer = story.mentions(b), object_pronoun(b)
    else:
        is_plural, animal = kind < 0.85, rng.choice(ANIMALS)
        story.say(f"the {plural(animal)}" if is_plural else f"the {animal}")
        sources, answer = [len(story.words) - 1], "them" if is_plural else "it"
    if rng.random() < 0.6:
        story.say(landmark_or_area(story))
    story.say("and " + rng.choice(["waves to", "talks to", "sings to", "plays with"]))
    story.ask("pronoun", answer, sources)
    story.say(rng.choice([".", f"in the {rng.choice(['morning', 'evening'])} ."]))


def evening(story):
    """In the evening Tom washes his hands ."""
    rng, (a, _) = story.rng, story.pair()
    story.say(rng.choice(["", "In the evening", "In the morning"]) + f" {a}")
    verb, what = rng.choice([("washes", "hands"), ("brushes", "teeth"), ("closes", "eyes"), ("washes", "face"), ("brushes", "hair")])
    story.say(verb)
    story.ask("pronoun", "her" if a in GIRLS else "his", story.mentions(a))
    story.say(f"{what} .")


def plain(story):
    """One or two sentences of plain_sentences.py: The cat sat on the mat because it was tired ."""
    rng = story.rng
    filler = Filler(rng, GIRLS, BOYS)
    for _ in range(rng.randint(1, 2)):
        subject, text = filler.sentence()
        words, begin = text.split(), len(story.words)
        is_small = rng.random() < 0.15  # as many people type
        source = None
        for word in words:
            if word == "@a":
                story.say(subject.text)
                source = len(story.words) - 1
            elif word == "@he" and subject.head and source is not None:
                story.ask("pronoun", subject.he, [source])
            else:
                story.say(subject.text if word == "@he" and source is None else subject.he if word == "@he" else word)
                if word == "@he" and source is None:  # because she was tired , the girl
                    source = len(story.words) - 1
        if not is_small:
            story.words[begin] = story.words[begin][0].upper() + story.words[begin][1:]


def group(story, is_quoted=False):
    """The dogs with the red hat near the house are hungry because they ..."""
    rng, is_plural = story.rng, story.rng.random() < 0.5
    is_animal = rng.random() < 0.7
    noun = rng.choice(ANIMALS) if is_animal else story.things.pop()
    number = lambda word: plural(word) if rng.random() < 0.5 else word
    size = rng.choice(["", "", rng.choice(AGES if is_animal else SIZES)])
    begin = f"The {size} {plural(noun) if is_plural else noun}"
    story.say(begin) if is_quoted else story.start(begin)
    subject = len(story.words) - 1
    kind = rng.random()
    if kind < 0.2 and is_animal:  # a hat never ends the subject
        story.say(f"with the {number(rng.choice(THINGS))}")
    if kind > 0.85:
        story.say(f"that {rng.choice(story.people)} {rng.choice(['likes', 'sees'])}")
    elif is_animal:
        story.say(f"{rng.choice(['near', 'behind'])} the {number(rng.choice(LANDMARKS))}")
    else:
        inside = f"in the {number(rng.choice(INTO))}"
        outside = f"{rng.choice(['on', 'under'])} the {number(rng.choice(ONTO))}"
        story.say(rng.choice([inside, outside]))
    verb = rng.choice(MOVES) if is_animal and rng.random() < 0.35 else rng.choice(["are", "are", "were"])
    answer = verb if is_plural else "was" if verb == "were" else singular(verb)
    story.ask("verb", answer, [subject], PLURAL_VERBS if is_plural else SINGULAR_VERBS)
    feeling = rng.choice(list(REASONS))
    if verb in ("are", "were"):
        story.say(feeling if is_animal else rng.choice([story.colors.pop(), rng.choice(SIZES)]))
        if verb == "are" and is_animal and not is_quoted and rng.random() < 0.5:
            because(story, feeling, "they" if is_plural else "it", [subject])
    story.say(".")


def talk(story):
    """Mia says , " The dogs near the house are hungry . " Or: " Where is the ball ? " asks Tom ."""
    rng, (a, _) = story.rng, story.pair()
    is_question, is_first = rng.random() < 0.4, rng.random() < 0.3
    verb, animal = "asks" if is_question else "says", rng.choice(ANIMALS)
    if not is_first:
        story.start(f"{a} {verb} ,")
    story.say('"')
    if is_question:
        story.say(rng.choice([
            rng.choice([f"Where is the {animal}", f"Where are the {plural(animal)}"]),
            f"Do you see the {animal} {landmark_or_area(story)}",
            f"Do you like {rng.choice(FOODS)}",
            f"Can we play {landmark_or_area(story)}",
        ]))
        story.say("?")
    elif is_first or rng.random() < 0.6:
        story.say(rng.choice([
            f"I see a {rng.choice(AGES)} {animal} {landmark_or_area(story)}",
            f"I like {rng.choice(FOODS)}",
            f"I am {rng.choice(list(REASONS))}",
            f"We can play {landmark_or_area(story)}",
        ]))
        story.say("," if is_first else ".")
    else:
        group(story, is_quoted=True)
    story.close_quote()
    if is_first:
        story.say(f"{verb} {a} .")


def tell(story, items, article):
    """Says a list for the first time and returns the position of each item (of one or more words)."""
    first = []
    for i, item in enumerate(items):
        story.say(article)
        first.append(len(story.words))
        story.say(" ".join(item) + separator(items, i))
    return first


def repeat(story, items, article, first):
    """Says the list again in the same order; first holds what `tell` returned."""
    for i, item in enumerate(items):
        story.say(article)
        for j, word in enumerate(item):
            story.ask("list", word, [first[i] + j])
        story.say(separator(items, i))


def separator(items, i):
    return {len(items) - 1: "", len(items) - 2: " and"}.get(i, " ,")


def shopping(story):
    """Mom says , " We need milk , eggs and bread . " Tom buys milk , eggs and bread ."""
    rng, (a, b) = story.rng, story.pair()
    items = [[story.foods.pop()] for _ in range(rng.randint(2, 4))]
    story.start(f'{a} says , " We need')
    first = tell(story, items, "")
    story.say(".")
    story.close_quote()
    story.say(f"{story.subject(b)} buys")
    repeat(story, items, "", first)
    story.say(".")


def song(story):
    """Mia sings , " cat sun tree bird . " Tom sings the same song , " cat sun tree bird . " """
    rng, (a, b) = story.rng, story.pair()
    items = rng.sample(ANIMALS + THINGS + FOODS + LANDMARKS, rng.randint(3, 7))
    story.start(f'{a} sings , "')
    first = len(story.words)
    story.say(" ".join(items) + " .")
    story.close_quote()
    story.say(f'{story.subject(b)} sings the same song , "')
    for i, word in enumerate(items):
        story.ask("list", word, [first + i])
    story.say(".")
    story.close_quote()


def belongings(story):
    """Mia has a red ball and a blue cup . Tom takes the red ball and the blue cup . Or: Tom wants the blue cup ."""
    rng, (a, b) = story.rng, story.pair()
    items = [[story.colors.pop(), story.things.pop()] for _ in range(rng.randint(2, 3))]
    story.start(f"{a} has")
    first = tell(story, items, "a")
    story.say(".")
    if rng.random() < 0.5:
        story.say(f"{b} takes")
        repeat(story, items, "the", first)
    else:
        if rng.random() < 0.4:
            evening(story)
        i = rng.randrange(len(items))
        story.say(f"{rng.choice([story.subject(a), b])} {rng.choice(['likes', 'wants'])} the {items[i][0]}")
        story.ask("list", items[i][1], [first[i] + 1])
    story.say(".")


def hiding(story):
    """Anna puts the ball in the box and the cup in the bag . Later she looks for the ball in the box ."""
    rng, (a, b) = story.rng, story.pair()
    things = [story.things.pop() for _ in range(rng.choice([1, 2, 2]))]
    if len(things) == 2 and rng.random() < 0.4:
        story.start(f"{a} has a {story.colors.pop()} {things[0]} and a {story.colors.pop()} {things[1]} .")
    owners = [a, rng.choice([a, b])]
    outside = [(rng.choice(["on the", "under the"]), place) for place in ONTO]
    places = rng.sample([("in the", place) for place in INTO] + outside, 2)
    found = []
    for i, thing in enumerate(things):
        if i == 0:
            story.start(f"{story.subject(a)} puts")
        else:
            story.say("and" if owners[1] == a else f"and {b} puts")
        story.say(f"the {thing} {' '.join(places[i])}")
        found.append(len(story.words) - 1)
    story.say(".")
    if rng.random() < 0.4:
        rng.choice([evening, reason, meeting])(story)
    for i in rng.sample(range(len(things)), rng.randint(1, len(things))):
        is_asked = rng.random() < 0.25
        if is_asked:
            asking, answering = story.pair()
            story.say(f'{asking} asks , " Where is the {things[i]} ?')
            story.close_quote()
            story.say(f'{answering} says , " The {things[i]} is')
        else:
            subject, verb = story.subject(owners[i]), rng.choice(["looks for", "looks for", "looks for", "finds"])
            story.start(f"{subject} {verb} the {things[i]}")
        story.say(places[i][0])
        story.ask("place", places[i][1], [found[i]])
        story.say(".")
        if is_asked:
            story.close_quote()


# A scene of lists is there only once, so that it is always clear which list is repeated.
SCENES = [reason, meeting, meeting, evening, group, group, group, talk, shopping, song, belongings] + 6 * [hiding] + 12 * [plain]


def story_of(rng):
    """Returns a story of at most CONTEXT words."""
    story = Story(rng)
    if rng.random() < 0.5:
        introduction(story)
    for scene in shuffled(rng, SCENES):
        words, questions = len(story.words), len(story.questions)
        scene(story)
        if len(story.words) > CONTEXT:
            del story.words[words:], story.questions[questions:]
            break
        if rng.random() < 0.1:
            break
    for i, word in enumerate(story.words[:-1]):
        if word == "a" and story.words[i + 1][0] in "aeiou":
            story.words[i] = "an"
    return story


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
        self.c_proj = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("is_hidden", torch.triu(torch.ones(CONTEXT, CONTEXT, dtype=torch.bool), 1), persistent=False)

    def forward(self, x, off=None):
        """Returns the output and the weights (B, H, T, T); the context of the head `off` counts as zero."""
        B, T, _ = x.shape
        queries, keys, values = self.c_attn(x).view(B, T, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = queries @ keys.transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        weights = torch.softmax(scores.masked_fill(self.is_hidden[:T, :T], -torch.inf), dim=-1)
        context = weights @ values
        if off is not None:
            context = context.clone()
            context[:, off] = 0
        return self.c_proj(context.transpose(1, 2).reshape(B, T, WIDTH)), weights


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(WIDTH, eps=EPSILON), Attention()
        self.ln_2 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(WIDTH, 4 * WIDTH), "c_proj": nn.Linear(4 * WIDTH, WIDTH)})

    def forward(self, x, off=None):
        out, weights = self.attn(self.ln_1(x), off)
        x = x + out
        hidden = F.gelu(self.mlp["c_fc"](self.ln_2(x)), approximate="tanh")
        return x + self.mlp["c_proj"](hidden), weights


class Gpt(nn.Module):
    """GPT-2's architecture, with its names of parameters."""

    def __init__(self, vocabulary_size):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary_size, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH, eps=EPSILON)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                is_residual = name.endswith("c_proj.weight")
                nn.init.normal_(parameter, std=0.08 / (math.sqrt(2 * LAYERS) if is_residual else 1))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
        angles = torch.arange(CONTEXT)[:, None] * 100 ** (-torch.arange(WIDTH // 2) / (WIDTH // 2))
        with torch.no_grad():  # positions are learned, but start as waves, so that heads soon find the previous word
            self.wpe.weight.copy_(0.1 * torch.cat([angles.sin(), angles.cos()], 1))

    def forward(self, tokens, off=(None, None), among=None):
        """Returns the logits and the attention weights of each layer.

        `off` is the layer and head to switch off; with `among` (B, T), only its true positions get logits: (places, words).
        """
        x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
        all_weights = []
        for layer, block in enumerate(self.h):
            x, weights = block(x, off[1] if off[0] == layer else None)
            all_weights.append(weights)
        x = self.ln_f(x if among is None else x[among])
        return x @ self.wte.weight.T, all_weights


def looks_at_previous_word(weights, targets):
    """Returns the mean logarithm of a head's weights on the previous word; weights (B, T, T), targets (B, T)."""
    previous = weights.diagonal(-1, 1, 2)
    is_word = targets[:, 1:] != PADDING
    return (previous.clamp(min=1e-6).log() * is_word).sum() / is_word.sum()


def looks_at_sources(weights, looks):
    """Returns the mean logarithm of a head's weights on the sources; weights (B, T, T), looks (row, position, source, place)."""
    rows, positions, sources, places = looks.unbind(1)
    _, places = torch.unique(places, return_inverse=True)
    sums = torch.zeros(int(places.max()) + 1).index_add(0, places, weights[rows, positions, sources])
    return sums.clamp(min=1e-6).log().mean()


def train(model, rows, emphasis, looks):
    """Trains the model on the rows, each once; `looks` holds what looks_of() returned for each batch.

    At first, the loss also asks four heads to look at the previous word, at the word after an earlier occurrence, at the
    name that a pronoun stands for, and at the subject of a verb, less and less. For the rest of the training these heads
    are as free as all others, and stay what they are because the model has come to need them.
    """
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}],
                                  lr=LEARNING_RATE, betas=(0.9, 0.98))
    steps = len(rows) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, steps, pct_start=0.1)
    started = time.time()
    for step in range(steps):
        batch = rows[step * BATCH : (step + 1) * BATCH].long()
        inputs, targets = batch[:, :-1].clamp(min=0), batch[:, 1:]
        inputs = inputs.masked_fill(torch.rand(inputs.shape) < UNKNOWN_RATE, 0)
        is_word = targets != PADDING
        logits, weights = model(inputs, among=is_word)
        counts = emphasis[step * BATCH : (step + 1) * BATCH][is_word]
        loss = (F.cross_entropy(logits, targets[is_word], reduction="none") * counts).sum() / counts.sum()
        shown = SHOWN_WEIGHT * (1 - step / (SHOWN * steps))
        if shown > 0:
            loss = loss - shown * looks_at_previous_word(weights[0][:, 0], targets)
            for role, places in looks[step].items():
                layer, head = HEADS_OF[role][0]
                loss = loss - shown * looks_at_sources(weights[layer][:, head], places.long())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0 or step == steps - 1:
            print(f"step {step} of {steps}: loss {loss:.4f}, {time.time() - started:.0f} s", flush=True)


def is_conv1d(name):
    """Says whether a weight is stored as (in, out), unlike nn.Linear's."""
    return name.endswith("weight") and ("attn.c_" in name or "mlp.c_" in name)


def write(model, words, folder):
    """Writes config.json, tokenizer.json and model.safetensors (F16) as Hugging Face's tools do."""
    os.makedirs(folder, exist_ok=True)
    config = {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": len(words), "n_positions": CONTEXT,
        "n_ctx": CONTEXT, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_inner": None,
        "activation_function": "gelu_new", "layer_norm_epsilon": EPSILON, "scale_attn_weights": True,
        "attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0, "tie_word_embeddings": True,
        "bos_token_id": None, "eos_token_id": words.index(END), "torch_dtype": "float16",
        "attnscope_head_names": {f"{layer}.{head}": name for (layer, head), name in HEADS_OF.values()},
    }
    special = [{"id": words.index(word), "content": word, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for word in (UNKNOWN, END)]
    splits = [{"type": "Whitespace"}, {"type": "Punctuation", "behavior": "Isolated"}]
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splits}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(words)}, "unk_token": UNKNOWN},
    }
    for name, content in (("config.json", config), ("tokenizer.json", tokenizer)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(json.dumps(content, indent=2) + "\n")

    header, pieces, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, parameter in model.state_dict().items():
        tensor = (parameter.T if is_conv1d(name) else parameter).contiguous().half()
        piece = tensor.numpy().astype("<f2").tobytes()
        header["transformer." + name] = {"dtype": "F16", "shape": list(tensor.shape),
                                         "data_offsets": [offset, offset + len(piece)]}
        pieces.append(piece)
        offset += len(piece)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(f"{folder}/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(pieces))


def read(folder):
    """Returns the model and its words, as written."""
    with open(f"{folder}/tokenizer.json") as file:
        vocabulary = json.load(file)["model"]["vocab"]
    with open(f"{folder}/model.safetensors", "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), bytearray(file.read())
    model, parameters = Gpt(len(vocabulary)), {}
    for name in model.state_dict():
        entry = header["transformer." + name]
        begin, end = entry["data_offsets"]
        tensor = torch.frombuffer(data[begin:end], dtype=torch.float16).view(entry["shape"]).float()
        parameters[name] = tensor.T if is_conv1d(name) else tensor
    model.load_state_dict(parameters)
    return model.eval(), list(vocabulary)


class Place:
    """A position of a fresh story from which the next word is predicted."""

    def __init__(self, story, position, answers, sources):
        self.story, self.position = story, position
        self.answers = answers  # ids of the words that count as right
        self.sources = sources  # positions that tell the answer


def places_of(stories, index, is_measuring=True):
    """Returns the places of each role: those of the questions, and those of the previous word and of induction."""
    places = defaultdict(list)
    for number, story in enumerate(stories):
        words = story.words
        for question in story.questions:
            position = question.position - 1
            answers = [index[word] for word in question.answers if word in index]
            place = Place(number, position, answers, question.sources)
            places[question.role].append(place)
            if question.role == "pronoun" and position - 1 not in question.sources:
                places["name"].append(place)  # elsewhere a head for the previous word looks at the name, too
            earlier = [i for i in range(position) if words[i] == words[position]]
            if question.role == "list" and len(earlier) == 1 and question.sources == [earlier[0] + 1]:
                places["induction"].append(place)
        for position in range(1, len(words) - 1) if is_measuring else []:
            places["previous"].append(Place(number, position, [index.get(words[position + 1], 0)], [position - 1]))
    return places


def run(model, rows, off=(None, None)):
    """Returns log-probabilities (B, T, words) and attention weights (B, layers, heads, T, T)."""
    with torch.no_grad():
        results = [model(part, off) for part in rows[:, :-1].long().clamp(min=0).split(250)]
    return (torch.cat([torch.log_softmax(logits, -1) for logits, _ in results]),
            torch.cat([torch.stack(weights, 1) for _, weights in results]))


def log_right(log_probabilities, places):
    """Returns the mean log-probability of the right words."""
    found = [torch.logsumexp(log_probabilities[p.story, p.position, p.answers], 0) for p in places]
    return float(torch.stack(found).mean())


def report(model, words, stories, best_after):
    """Prints how often the model is right, where its heads look, and what is lost without the best of them."""
    index = {word: i for i, word in enumerate(words)}
    rows = rows_of(stories, index)
    places = places_of(stories, index)
    log_probabilities, weights = run(model, rows)
    said = log_probabilities.argmax(-1)

    print("\nright about     model  previous word alone  places")
    for role in ROLES:
        right = [int(said[p.story, p.position]) in p.answers for p in places[role]]
        baseline = [int(best_after[int(rows[p.story, p.position])]) in p.answers for p in places[role]]
        share = lambda flags: f"{100 * sum(flags) / len(flags):5.1f} %"
        print(f"{role:12} {share(right):>8}  {share(baseline):>19}  {len(right):6}")

    scores = {}
    for role in HEAD_ROLES:
        looks = [weights[p.story][:, :, p.position, p.sources].sum(-1) for p in places[role]]
        scores[role] = torch.stack(looks).mean(0)
    print("\nattention   " + "".join(f"{role:>11}" for role in HEAD_ROLES))
    for layer in range(LAYERS):
        for head in range(HEADS):
            print(f"layer {layer + 1} head {head + 1}" + "".join(f"{scores[r][layer, head]:11.3f}" for r in HEAD_ROLES))

    print("\nrole        best head        score  log-probability of the right word: with it, without it")
    for role in HEAD_ROLES:
        layer, head = divmod(int(scores[role].argmax()), HEADS)
        without = log_right(run(model, rows, (layer, head))[0], places[role])
        print(f"{role:11} layer {layer + 1} head {head + 1}  {scores[role].max():.3f}  "
              f"{log_right(log_probabilities, places[role]):.3f}  {without:.3f}")


def show_example(model, words):
    tokens = torch.tensor([[words.index(word) for word in EXAMPLE.split()]])
    with torch.no_grad():
        probabilities = torch.softmax(model(tokens)[0][0, -1], -1)
    best = torch.topk(probabilities, 5)
    print(f"\n{EXAMPLE} ({tokens.shape[1]} tokens): "
          + ", ".join(f"{words[i]} {p:.3f}" for p, i in zip(best.values.tolist(), best.indices.tolist())))


def rows_of(stories, index):
    """Returns the ids of each story, behind it <end>, and then PADDING: (B, CONTEXT + 1)."""
    ids = [[index.get(word, 0) for word in story.words] + [1] for story in stories]
    return torch.tensor([row + [PADDING] * (CONTEXT + 1 - len(row)) for row in ids], dtype=torch.int16)


def looks_of(stories, index):
    """Returns for each role of a guided head its places: (row, position, source, number of the place)."""
    places = places_of(stories, index, is_measuring=False)
    looks = {role: [(place.story, place.position, source, number) for number, place in enumerate(places[role])
                    for source in place.sources] for role in HEAD_ROLES if role != "previous"}
    return {role: torch.tensor(entries, dtype=torch.int16) for role, entries in looks.items() if entries}


def emphasis_of(stories):
    """Returns how much each predicted word counts in the loss: (B, CONTEXT)."""
    emphasis = torch.ones((len(stories), CONTEXT), dtype=torch.int16)
    for row, story in zip(emphasis, stories):
        row[[question.position - 1 for question in story.questions]] = EMPHASIS
    return emphasis


def training_rows():
    """Returns the words (most frequent first, behind the special ones), and the rows to train on with their emphasis and looks."""
    rng = random.Random(SEED)
    counts = Counter(word for _ in range(20_000) for word in story_of(rng).words)
    words = [UNKNOWN, END] + [word for word, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
                              if count >= LEAST_COUNT]
    index = {word: i for i, word in enumerate(words)}
    rows, emphasis, looks = [], [], []
    for _ in range(STORIES // BATCH):
        stories = [story_of(rng) for _ in range(BATCH)]
        rows.append(rows_of(stories, index))
        emphasis.append(emphasis_of(stories))
        looks.append(looks_of(stories, index))
    return words, torch.cat(rows), torch.cat(emphasis), looks


def best_words_after(rows, size):
    """Returns for each word the one that most often follows it in training."""
    pairs = rows[:, :-1].long() * size + rows[:, 1:].long()
    counts = torch.bincount(pairs[rows[:, 1:] != PADDING], minlength=size * size)
    return counts.view(size, size).argmax(1)


def fresh_stories(rows, words):
    """Returns stories that are not among the rows."""
    rng, index = random.Random(SEED + 1000), {word: i for i, word in enumerate(words)}
    known = {row.tobytes() for row in rows.numpy()}
    stories = [story_of(rng) for _ in range(FRESH)]
    return [story for story, row in zip(stories, rows_of(stories, index).numpy()) if row.tobytes() not in known]


def main(folder):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    started = time.time()
    words, rows, emphasis, looks = training_rows()
    print(f"{len(words)} words, {len(rows)} stories, made in {time.time() - started:.0f} s", flush=True)
    model = Gpt(len(words))
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    train(model, rows, emphasis, looks)
    write(model, words, folder)
    model, words = read(folder)
    stories = fresh_stories(rows, words)
    print(f"{len(stories)} fresh stories")
    report(model, words, stories, best_words_after(rows, len(words)))
    show_example(model, words)


if __name__ == "__main__":
    main(sys.argv[1])

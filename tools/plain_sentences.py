"""Everyday words and sentences for the stories of train_small_model.py: patterns, and the words that fit into them.

    subject, text = Filler(rng, girls, boys).sentence()

A pattern is a text with slots. `[food]` is a word of the list NOUNS["food"], `[food+]` one of its plural, `[move:past]`
the past of a verb of the list VERBS["move"] (`:s` follows the subject, `:base` and `:ing` are the other forms), and
`[old|new]` one of the words given. `@a` is the subject, `@he @him @his` are pronouns that stand for it, and `@is @was @has
@does` are verbs that agree with it. A slot whose word is a pattern is filled again.
"""

import functools
import re

WOMEN = "woman girl mother sister aunt daughter queen wife lady grandmother princess".split()
MEN = "man boy father brother uncle son king husband farmer grandfather prince".split()
PEOPLE = ("teacher doctor friend baby child neighbor nurse driver student baker cook artist singer writer soldier sailor "
          "worker hunter guest stranger pilot cousin captain visitor").split()

NOUNS = {
    "pet": "dog cat bird rabbit horse cow hen duck goat pig sheep pony puppy kitten parrot donkey chicken goose lamb".split(),
    "wild": ("bear fox wolf lion tiger monkey elephant deer snake mouse frog owl squirrel turtle bee spider ant butterfly "
             "whale fish shark eagle crow rat giraffe camel zebra crocodile penguin").split(),
    "food": ("bread cheese rice soup cake honey jam butter meat fish salad pie pizza pasta chocolate ice ham "
             "sugar salt fruit corn pudding toast breakfast lunch dinner").split(),
    "fruit": "apple pear egg carrot nut orange banana cherry potato tomato onion bean cookie pancake lemon grape plum sandwich peach strawberry".split(),
    "beverage": "water milk tea coffee juice lemonade".split(),
    "thing": ("ball cup doll kite drum bell key lamp spoon flag ring picture clock phone camera map knife fork plate bottle "
              "glass pen pencil toy umbrella mirror candle rope ladder hammer basket box bag present guitar piano radio "
              "computer paper blanket pillow stick stone coin ticket card").split(),
    "reading": "book letter story newspaper magazine poem page note word message lesson song".split(),
    "vehicle": "car bus train boat ship plane bike truck taxi tractor".split(),
    "wear": "hat coat dress shirt jacket sweater scarf cap skirt suit".split(),
    "pair": "shoe boot glove sock".split(),
    "seat": "chair bed bench sofa floor mat grass carpet couch rug".split(),
    "furniture": "table shelf desk chair bed sofa cupboard drawer".split(),
    "building": ("house school shop church hotel hospital castle museum station library theater restaurant tower market bank "
                 "factory office bakery barn farm").split(),
    "area": "garden park kitchen forest yard field city town village street room classroom bathroom bedroom hall zoo desert jungle".split(),
    "nature": "river lake sea hill mountain tree beach island bridge road gate wall fence rock well corner door window fire".split(),
    "body": "hand arm leg foot head face nose ear eye mouth back finger knee neck hair tooth".split(),
    "plant": "flower rose tree leaf bush plant".split(),
    "sport": "football chess cards tennis music games basketball".split(),
    "subject": "math history science English art reading writing".split(),
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "monthname": "January February March April May June July August September October November December".split(),
    "season": "spring summer autumn winter".split(),
    "sky": "sunny rainy cloudy windy snowy foggy cold warm hot cool wet dry dark stormy".split(),
    "color": "red blue green yellow white black brown pink orange gray purple gold silver".split(),
    "size": "big small old new little large long short tall heavy light round wide thick thin huge tiny".split(),
    "quality": ("good bad nice beautiful pretty ugly clean dirty cheap expensive broken empty full strange wonderful lovely "
                "simple different special favorite").split(),
    "taste": "sweet sour fresh hot cold warm good delicious bad bitter".split(),
    "age": "old young little big small tall brave clever kind poor rich strong lazy quiet busy famous wise funny friendly polite wild".split(),
    "mood": "happy sad tired hungry thirsty angry afraid glad sick lonely proud sorry surprised worried bored excited late ready free alone safe hurt well fine".split(),
    "number": "two three four five six seven eight nine ten eleven twelve twenty thirty fifty many some few several".split(),
    "order": "first second third last next".split(),
    "idea": "idea plan question answer problem dream secret job name number reason".split(),
    "material": "wood stone paper gold silver glass iron wool leather plastic".split(),
    "manner": "slowly quickly quietly loudly happily carefully suddenly sadly softly gently well fast together alone again".split(),
    "often": "always never often sometimes usually".split(),
    "land": "England France China Africa America India".split(),
    "language": "English French German Chinese Spanish".split(),
}

# base, past, form with -ing; the form with -s is made of the base
FORMS = """
sleep slept sleeping|run ran running|jump jumped jumping|play played playing|wait waited waiting|rest rested resting
walk walked walking|sit sat sitting|stand stood standing|eat ate eating|drink drank drinking|fall fell falling
hide hid hiding|dream dreamed dreaming|swim swam swimming|sing sang singing|dance danced dancing|laugh laughed laughing
smile smiled smiling|cry cried crying|work worked working|read read reading|write wrote writing|talk talked talking
cook cooked cooking|think thought thinking|learn learned learning|study studied studying|shout shouted shouting
draw drew drawing|paint painted painting|go went going|come came coming|ride rode riding|drive drove driving
fly flew flying|climb climbed climbing|hurry hurried hurrying|move moved moving|return returned returning
travel traveled traveling|have had having|take took taking|find found finding|see saw seeing|want wanted wanting
like liked liking|buy bought buying|sell sold selling|make made making|break broke breaking|lose lost losing
hold held holding|carry carried carrying|bring brought bringing|keep kept keeping|drop dropped dropping
throw threw throwing|catch caught catching|open opened opening|close closed closing|clean cleaned cleaning
wash washed washing|wear wore wearing|cut cut cutting|build built building|fix fixed fixing|use used using
show showed showing|give gave giving|send sent sending|push pushed pushing|pull pulled pulling|steal stole stealing
need needed needing|love loved loving|hate hated hating|remember remembered remembering|forget forgot forgetting
choose chose choosing|touch touched touching|lift lifted lifting|cover covered covering|fill filled filling
leave left leaving|watch watched watching|hear heard hearing|follow followed following|visit visited visiting
meet met meeting|call called calling|ask asked asking|tell told telling|teach taught teaching|help helped helping
thank thanked thanking|know knew knowing|kiss kissed kissing|hug hugged hugging|say said saying|speak spoke speaking
put put putting|look looked looking|turn turned turning|start started starting|stop stopped stopping|win won winning
try tried trying|begin began beginning|live lived living|stay stayed staying|grow grew growing|hit hit hitting
feed fed feeding|believe believed believing|feel felt feeling|get got getting|pay paid paying|enjoy enjoyed enjoying
understand understood understanding|wake woke waking|arrive arrived arriving|listen listened listening
smell smelled smelling|taste tasted tasting|count counted counting|share shared sharing|invite invited inviting
finish finished finishing|save saved saving|chase chased chasing|bark barked barking|lie lay lying|plant planted planting
bake baked baking|spend spent spending|change changed changing|light lit lighting|lead led leading|join joined joining
pick picked picking|blow blew blowing|shine shone shining|rain rained raining|snow snowed snowing|lock locked locking
"""
FORM = {base: (base, past, ing) for base, past, ing in (entry.split() for entry in FORMS.replace("\n", "|").split("|") if entry)}

VERBS = {
    "act": "sleep run jump play wait rest walk sit stand eat drink hide swim fall".split(),
    "do": ("sleep run jump play wait rest walk sit stand eat drink hide dream swim sing dance laugh smile cry work read write "
           "talk cook think learn study shout draw paint stop listen").split(),
    "move": "go walk run come ride drive hurry travel return move".split(),
    "get": ("take find see want like buy sell make break lose hold carry bring keep drop throw catch clean use show need love "
            "forget choose touch lift have push pull fix cover hate move remember pick get").split(),
    "person": "see meet call ask help thank know kiss hug like love visit follow watch hear remember teach invite find leave hit believe join save".split(),
    "say": "say think know believe hear".split(),
}

PLURALS = {
    "woman": "women", "man": "men", "child": "children", "mouse": "mice", "sheep": "sheep", "fish": "fish", "deer": "deer",
    "wolf": "wolves", "foot": "feet", "tooth": "teeth", "leaf": "leaves", "knife": "knives", "shelf": "shelves",
    "potato": "potatoes", "tomato": "tomatoes", "goose": "geese", "wife": "wives", "hair": "hair", "piano": "pianos",
    "radio": "radios", "zoo": "zoos", "scarf": "scarves", "photo": "photos",
}


def plural(noun):
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("x", "ch", "sh", "s")) else "s")


def singular(verb):
    """Returns the form of a verb that follows he, she or it."""
    if verb in ("are", "have", "can"):
        return {"are": "is", "have": "has", "can": "can"}[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("x", "ch", "sh", "s", "o")) else "s")


PLACES = ["in the [area]", "in the [building]", "near the [nature]", "behind the [building]", "at the [building]",
          "by the [nature]", "under the [tree|bridge|table|bed]", "in front of the [building]", "at home", "at school",
          "next to the [nature]", "between the [building] and the [nature]", "on the [hill|beach|road|bridge|island|farm]",
          "outside", "inside", "there", "here", "in [land]", "beside the [nature]", "around the [nature]", "far from the [city|town|sea|village]"]
TO = ["to the [building]", "to the [area]", "to the [nature]", "home", "to school", "to work", "to bed", "into the [area]",
      "through the [forest|park|city|field|gate|door]", "across the [street|bridge|river|field]", "along the [river|road|beach|street]",
      "up the [hill|mountain|road]", "down the [hill|road|street]", "out of the [house|room|forest|garden]", "over the [bridge|hill]", "away", "from the [building] to the [building]",
      "toward the [nature]", "past the [building]"]
WHEN_PAST = ["yesterday", "in the [morning|evening|afternoon]", "at night", "last [night|week|month|year|summer|winter]", "on [weekday]", "in [monthname]",
             "in [season]", "[number] [days|weeks|months|years|hours|minutes] ago", "at noon", "after [breakfast|lunch|dinner|school|work]",
             "before [breakfast|lunch|dinner|school|work]", "all [day|night]", "for [an hour|a week|a year|a minute|a long time]",
             "every [day|week|year|morning|evening]", "during the [day|night|week]", "the whole day", "until [morning|evening|noon]", "since [Monday|Friday|noon]", "once", "twice"]
WHEN_NOW = ["today", "now", "every [day|week|year|morning|evening|night]", "in the [morning|evening|afternoon]", "at night", "on [weekday]",
            "in [season]", "after [breakfast|lunch|dinner|school|work]"]
WHEN_NEXT = ["tomorrow", "soon", "later", "next [week|month|year|summer|winter]", "on [weekday]", "in [monthname]", "tonight"]
OBJECTS = ["a [thing]", "the [thing]", "a [size] [thing]", "the [size] [thing]", "a [color] [thing]", "the [color] [thing]", "a [quality] [thing]",
           "the [quality] [thing]", "@his [thing]", "[number] [thing+]", "the [thing+]", "a [wear]", "the [wear]", "@his [wear]",
           "[number] [fruit+]", "the [vehicle]", "a [color] [vehicle]", "the [reading]", "a [quality] [reading]", "this [thing]", "that [thing]",
           "these [thing+]", "those [thing+]", "another [thing]", "all the [thing+]", "the same [thing]", "the other [thing]",
           "a [thing] and a [thing]", "@his [quality] [thing]", "the [order] [thing]", "both [thing+]", "each [thing]", "more [fruit+]", "a [thing] of [material]",
           "one [thing]", "the [material] [thing]", "@his own [thing]", "something", "nothing", "everything", "it", "any [thing]",
           "enough [beverage]", "the [plant+]", "a [building]", "a [color] [building]", "the [quality] [building]"]
OTHERS = ["[name]", "[name]", "the [woman]", "the [man]", "the [people]", "@his [people]", "@his [woman]", "@his [man]", "the [age] [man]", "the [age] [woman]",
          "a [people]", "the [people+]", "@his [friends|parents|family|children]", "the [pet]", "the [wild]", "everyone", "somebody", "them", "us", "me", "you",
          "someone", "nobody", "@his best friend", "an [old|angry] [people]"]
SOMEONE = ["[name]", "[name]", "the [woman]", "the [man]", "the [people]", "@his [people]", "@his [woman]", "@his [man]", "the [age] [man]",
           "the [age] [woman]", "a [people]", "everyone", "everybody", "somebody", "someone", "nobody", "@his best friend"]
FOODS = ["[food]", "[food]", "a [fruit]", "one [fruit]", "the [fruit]", "[beverage]", "[fruit+]", "some [food]", "some [beverage]", "[number] [fruit+]", "a piece of [cake|bread|cheese|pie]", "a [fruit]",
         "a cup of [tea|coffee|milk|water]", "a glass of [water|milk|juice|lemonade]", "the [food]", "a bowl of [soup|rice|salad|pasta]", "ice cream", "much [food]", "a little [food]"]
KINDS = {"name": None, "place": PLACES, "to": TO, "past": WHEN_PAST, "now": WHEN_NOW, "next": WHEN_NEXT, "object": OBJECTS, "other": OTHERS,
         "who": SOMEONE, "meal": FOODS, "woman": WOMEN, "man": MEN, "people": PEOPLE}

# What one does or is, and why. In the past; @he is asked for.
WHY_ALL = [
    ("slept [place]|lay down [place]|went to sleep|rested [place]|stopped [place]|sat on the [seat]|fell asleep|lay on the [seat]", "@was [tired|very tired|sleepy|old|weak|so tired]|had run [all day|too far|very fast]"),
    ("ate the [food]|ate [meal]|wanted [meal]|looked for [food]|came home|stole the [food]", "@was [hungry|very hungry|always hungry]|had not eaten [past]|liked [food]"),
    ("drank the [beverage]|drank [beverage]|wanted water|went to the [river|lake|well]", "@was [thirsty|very thirsty|hot]|had run [all day|far]"),
    ("ran away|hid [place]|hid under the [bed|table|sofa]|jumped up|ran [to]", "@was [afraid|scared|afraid of the [wild]|afraid of the dark]|saw a [wild]|heard a [loud|strange] [noise|sound|voice]"),
    ("stayed [place]|waited [place]|slept [place]|came back", "@was [sick|cold|lost|alone|hurt]|wanted to [do:base]|had nowhere to go|liked the [nature|area|building]"),
    ("sat by the fire|shook|slept near the fire", "@was cold|felt cold|wanted to get warm"),
    ("jumped into the [water|river|lake|sea]|sat in the shade|went swimming", "@was hot|liked to swim|could swim well|wanted to swim|saw a fish"),
    ("could not [act:base]|did not [act:base]|fell", "@was too [tired|old|small|young|weak|sick|heavy|slow]|had hurt @his [body]|had a broken leg"),
    ("slept well|slept", "dreamed of [food|the [nature|area]|home]|dreamed|@was tired|dreamed of [home|the sea]"),
    ("won|won the race|arrived first", "@was [fast|faster|the fastest|strong|stronger|the strongest|the best]|could run fast"),
]
WHY_PEOPLE = [
    ("cried|was sad|sat alone [place]|went away|said nothing", "had lost @his [thing|wear|pet]|@was [sad|lonely|alone|hurt|unhappy]|had no friends|could not find @his [thing|pet|key]|missed @his [family|mother|friend]"),
    ("smiled|laughed|danced|sang a song|was happy", "@was [happy|glad|proud|excited]|had [won|found @his [thing]|a new [thing|friend|job]]|got a [present|letter|prize]|loved the [reading|nature]"),
    ("shouted|was angry|closed the door|threw the [thing]", "@was [angry|mad|upset]|could not sleep|had lost the game|hated the noise"),
    ("hurried [to]|ran to [school|work]|drove fast|did not wait", "@was [late|very late|in a hurry]|had no time|wanted to catch the [bus|train]|woke up late"),
    ("put on a [wear]|closed the window|wore a [wear]|made a fire", "@was cold|felt cold|wanted to go out"),
    ("opened the window|took off @his [coat|jacket|sweater|hat]", "@was hot|felt hot|wanted fresh air"),
    ("took an umbrella|opened the umbrella|stayed at home", "thought it would rain|did not like the rain|saw a [dark|black] cloud"),
    ("went to the [doctor|hospital]|stayed in bed|did not go to [school|work]", "@was [sick|ill|hurt]|felt [sick|ill|bad]|had hurt @his [body]"),
    ("bought the [thing|wear|vehicle]|went to the [shop|market]|sold the [thing|vehicle]", "needed [money|a [thing]|[food]]|liked [it|the color]|had [enough money|no money|a lot of money]"),
    ("could not buy the [thing|vehicle]|worked all day|worked hard", "had no money|@was poor|needed the money|wanted to be rich"),
    ("studied hard|read the book|went to the library|learned [language]", "wanted to [learn|be a [doctor|teacher|writer|pilot]|travel to [land]]|had a test|loved [books|science|stories]"),
    ("called [other]|helped [other]|thanked [other]|visited [other]|wrote a letter to [other]", "@was [kind|alone|worried|a good friend|in love]|needed help|wanted to talk|had a [question|problem|plan|secret|good idea]"),
    ("did not answer|did not know the answer|made a mistake", "@was [tired|not ready|busy|nervous]|did not [understand|hear|know]|had not listened|forgot the [word|question|answer]"),
]

PEOPLE_PATTERNS = """
@a [do:past] [place] .
@a [do:past] [past] .
@a [do:past] [manner] .
@a [move:past] [to] .
@a [move:past] [to] with [other] .
@a [move:past] [to] [past] .
@a [get:past] [object] .
@a [get:past] [object] [place] .
@a [get:past] [object] [past] .
@a [get:s] [object] .
@a [get:s] [object] [now] .
@a [person:past] [other] .
@a [person:past] [who] [place] .
@a [person:past] [who] [past] .
@a [person:s] [other] .
@a [do:s] [now] .
@a [often] [do:s] [place] .
@a [often] [get:s] [object] .
@a @is [mood] .
@a @is [mood] [now] .
@a @was [mood] .
@a @was [very|so|too|really|quite|not|still|always] [mood] .
@a @was [place] [past] .
@a @is [do:ing] [place] .
@a @was [do:ing] [place] .
@a @was [do:ing] when [who] came [place|home|in|back] .
@a @was [move:ing] [to] .
@a @has a [size] [thing|vehicle|pet|building] .
@a @has [number] [pet+] .
@a had a [color] [building|vehicle|thing] near the [nature] .
@a had a [size] [building|vehicle|pet] [place] .
@a @has [blue|brown|green|gray] eyes and [long|short|black|brown|red|white] hair .
@a gave [him|her|them|me|us|you] a [thing|reading|wear] .
@a gave [other] a [thing|reading|wear|fruit] .
@a gave [who] [object] because it was @his birthday .
@a gave the [thing|reading] to [other] .
@a [showed|told|sent|brought] [other] the [reading|thing] .
@a told [other] a [funny|long|sad|true|strange] story .
@a read a [reading] [place|past] .
@a wrote a [long|short] [letter|story|poem|note|message] to [other] .
@a ate [meal] for [breakfast|lunch|dinner] .
@a ate [meal] and drank [beverage] .
@a cooked [food|soup|dinner|lunch|rice|pasta] for [other] .
@a baked [bread|a cake|cookies|a pie] [past] .
@a [like+] to [do:base] .
@a [like+] [food] and [fruit+] .
@a [like+] [meal] but [who] likes [meal] .
@a wanted to [do:base] [place] .
@a wanted to [get:base] [object] .
@a wanted to [move:base] [to] .
@a tried to [get:base] [object] .
@a began to [do:base] .
@a started to [do:base] again .
@a went to the [market|shop] to buy [meal] .
@a went to the [market|shop] to buy a [thing|wear] .
@a went out to [do:base] .
@a can [do:base] [manner] .
@a could [do:base] [manner] .
@a can not [do:base] [now] .
@a will [do:base] [next] .
@a will [get:base] [object] [next] .
@a will [move:base] [to] [next] .
@a would like [meal] .
@a would [person:base] [other] if @he could .
@a must [do:base] [now|next] .
@a should [do:base] [now|next|more] .
@a may [do:base] [next|here] .
@a might [do:base] [next] .
@a did not [do:base] [past] .
@a did not [get:base] [object] .
@a did not want to [do:base] .
@a didn ' t [get:base] [object] .
@a couldn ' t [do:base] .
@a do+ not [get:base] [object] .
@a washed @his [hands|face|hair|feet|car] .
@a brushed @his [hair|teeth] .
@a opened the [door|window|box|bag|gate|letter|present] .
@a closed the [door|window|box|bag|gate|book] and went [away|home|out|to bed] .
@a locked the door and put the key in @his [pocket|bag] .
@a turned on the [light|radio|lamp|music] .
@a turned off the [light|radio|lamp|music] .
@a put the [thing] on the [furniture] .
@a put the [thing] in the [box|bag|basket|drawer|cupboard|pocket] .
@a put [object] on the [furniture] and [do:past] .
@a put on @his [wear] and @his [pair+] .
@a took off @his [wear|pair+] .
@a wore a [color] [wear] .
@a wore a [color] [wear] and [color] [pair+] .
@a played [sport] with [other] .
@a played [the [guitar|piano|drum]] [manner|past] .
@a [get:past] [object] and [get:past] [object] .
@a [do:past] and [do:past] [past|manner] .
@a [get:past] [object] , but [who] [get:past] [object] .
@a [person:past] [other] , and then @he [move:past] [to] .
@a [get:past] [object] , then @he [do:past] .
@a [move:past] [to] , so @he [get:past] [object] .
@a was+ [tired|hungry|sick|late|bored] , so @he [went home|went to bed|left|stopped|sat down|stayed there] .
@a was+ [tired|hungry|sick|late|busy] , but @he [do:past] [past|manner] .
when @a came home , @he [do:past] .
when @a @was [young|little|a child] , @he [get:past] [object] .
after @a [get:past] [object] , @he [move:past] [to] .
before @a [move:past] [to] , @he [person:past] [other] .
while @a [do:past] , [who] [get:past] [object] .
if @a @is [tired|hungry|late|sick] , @he [will|must|can] [do:base] .
if it [rains|snows] , @a will [stay at home|do:base] .
although @a @was [mood] , @he [do:past] .
although it was [sky] , @a [do:past] [place] .
@a has+ [lived|worked|been] [place] for [number] [years|months|weeks|days] .
@a has+ never [seen|eaten|had|been to] [a [wild]|[land]|the sea] .
@a has+ [lost|found|broken|forgotten|taken|bought|sold|seen|made] [object] .
@a had [lost|found|broken|forgotten|taken|bought|sold|seen|made|given] [object] .
@a [say:past] that [who] was [mood] .
@a [say:past] that @he @was [mood] .
@a [say:s] that [who] is [mood] .
@a thought about the [idea|reading|sport|future|past] .
@a had a [good|bad|new|great|strange|different] [idea|plan|question|answer|problem|dream|secret|job] .
@a asked a [question|difficult question] and [who] answered .
@a forgot @his [thing|wear|name|reading] [place] .
@a lost @his [thing|wear|reading|way] [place] .
@a looked at the [moon|sun|stars|clouds|picture|map|clock|[wild]|sea] .
@a looked for the [thing|pet|wear] [place] .
@a looked [happy|sad|tired|angry|sick|young|old] .
@a felt [happy|sad|tired|angry|sick|lonely|proud|better|worse] [past] .
@a listened to the [music|radio|teacher|song|rain|wind|story] .
@a heard a [noise|voice|sound|song|bird|bell] [place] .
@a watched the [wild|pet|sea|sport|birds|stars|rain|movie|television] .
@a saw a [wild] [place] and [ran away|smiled|stopped|laughed] .
@a fed the [pet|pet+|ducks] [past] .
@a planted [number] [plant+] [place] .
@a [spoke|talked] to [other] about the [idea|reading|weather|game|trip] .
@a speak+ [language] and [language] .
@a study+ [subject] and [subject] at school .
@a learned [language] [at school|in [land]] .
@a live+ in a [size] [building|village|town|city] [place] .
@a lived in a [size] [building|village|town|city] with @his [family|mother|pet|friends|parents] .
@a come+ from [land] .
@a travel+ to [land] [by [train|plane|ship|boat|car]] .
@a came by [bus|train|car|bike|plane] .
@a paid [number] [dollars|coins] for the [thing|wear|fruit] .
@a paid a [hundred|thousand] dollars for the [vehicle|picture|ring] .
@a got up at [number] o ' clock .
@a woke up [early|late|at night|at noon] and [do:past] .
@a [is+] [number] years old .
@a [is+] the [tallest|oldest|youngest|smallest|strongest|fastest|best|happiest] [boy|girl|student|child|man|woman] in the [school|village|town|class|world|family] .
@a [is+] [taller|older|younger|smaller|stronger|faster|better|richer] than [other] .
@a [is+] as [tall|old|strong|fast|kind|clever] as [other] .
@a hurt @his [body] and [cried|went to the doctor|went home] .
@a broke @his [leg|arm|foot|finger|nose] [past] .
@a said goodbye and [left|went home|went away] .
@a said hello to [other] .
@a made [a [thing]|a fire|a mistake|a cake|breakfast|lunch|dinner|tea|coffee|the bed] [past] .
@a built a [house|boat|wall|bridge|tower|fence|castle] [place] .
@a painted the [building|wall|fence|door|picture] [color] .
@a drew a picture of a [wild|building|vehicle|plant] .
@a cut the [bread|cake|paper|rope|grass|meat] with a knife .
@a filled the [bottle|glass|cup] with [beverage] .
@a caught a [fish|ball|cold|bird|train] [past] .
@a spent [the [day|night|morning|evening|summer]] [place] .
@a enjoyed the [party|game|trip|music|dinner|day|show] .
@a invited [other] to the [party|game|wedding|show] .
@a [won|lost] the [game|race|prize] .
@a finished @his [work|homework|book|lunch|job] [past] .
@a did @his [work|homework|job] [manner|past] .
@a shared the [food|fruit+] with [other] .
@a believed [other] .
@a dreamed of [the sea|home|[land]|a [color] [building]|a [size] [wild]] .
@a smiled at [other] and [do:past] .
@a laughed at the [joke|story|picture] .
@a know+ [when|how|why|where] [who] [do:past] .
@a asked [why|how|where|when] [who] [do:past] .
@a did [everything|nothing|something] for [other] .
@a took the [bus|train|boat|taxi|plane] [to the [building]|to the [city|town|village]|home] .
@a rode @his [bike|horse] [to] .
@a ran [as fast as @he could|so fast that @he fell|after the [bus|pet|ball|wild]] .
@a @was [afraid|tired|proud] of [other|the dark|the [wild]|the [wild+]] .
@a @was good at [subject|sport] .
@a @was the [order] to [arrive|leave|speak|eat|finish] .
@a waited for [other|the bus|the train|an answer] [place|past] .
@a sat [between|behind|next to|in front of|near] [who] [place|past] .
@a sat at the [table|window|desk|door] and [do:past] .
@a sat on the [seat] and [do:past] .
@a sat on the [seat] .
@a stood [at the door|by the window|on the bridge|under the tree|in the rain|in line] and waited .
@a left @his [thing|wear|reading] [on the [furniture]|at home|at school] .
@a need+ [more|some|enough|no] [money|time|help|water|sleep|food] .
@a had [little|no|enough|too much|a lot of|less] [money|time|work|food|luck] .
@a saved [other] from the [fire|water|wild] .
@a told the truth .
@a told a lie .
@a can count to [number|a hundred|a thousand|a million] .
@a took care of [other] .
@a took a [photo|picture] of [other|the [building]|the [nature]] .
@a chose the [color] [wear|thing|vehicle] .
""".strip().split("\n")

ANIMAL_PATTERNS = """
@a [act:past] [place] .
@a sat on the [seat] .
@a sat on the [seat] and [ate|slept|waited] .
@a slept on the [seat] [past] .
@a slept [past] .
@a [act:past] [past] .
@a [act:past] [manner] .
@a [act:s] [place] .
@a [act:s] [now] .
@a @is [act:ing] [place] .
@a @was [act:ing] [place] .
@a [ran|walked|went|came|moved] [to] .
@a ran after the [pet|wild|ball|car] .
@a chased the [pet|wild|ball] [to|place] .
@a saw a [pet|wild] [place] .
@a saw the [pet|wild] and [ran away|hid|stopped|jumped] .
@a ate the [food|fruit+|grass|[plant+]] .
@a drank the [milk|water] .
@a drank [water|milk] from the [cup|bowl|river|lake] .
@a @was [hungry|thirsty|tired|afraid|happy|sick|cold|hurt|lost|old|young|small|wild] .
@a @is [hungry|thirsty|tired|afraid|happy|sick|cold|old|young|small|wild|dangerous] .
@a @was [black|white|brown|gray] and very [small|big|fast|old|pretty] .
@a @has [a long tail|big ears|[number] legs|a long neck|sharp teeth|strong legs|brown eyes|soft hair] .
@a [like+] [food|milk|grass|water|fish|nuts|the sun|to [act:base]] .
@a live+ [in the [forest|jungle|zoo|desert|sea|field|barn]|on a farm|in [land]|near the [nature]] .
@a lived [in the [forest|jungle|zoo|desert|sea|field|barn]|on a farm|in [land]|near the [nature]] .
@a can [run|swim|jump|climb|see|hear] [manner] .
@a can not [fly|swim|climb|speak|read] .
@a followed [name|the [man]|the [woman]|the [people]] [to] .
@a found [a [fruit]|some [food]|a bone|a friend|its home] [place] .
@a hid [behind the [nature|building]|under the [furniture|bush]|in the [grass|box|barn]] .
@a jumped [over the [fence|wall|gate]|on the [furniture|seat]|into the [water|river|lake]] .
@a climbed [the tree|up the [tree|wall|hill]|onto the roof] .
@a wanted to [eat|play|sleep|drink|go home|run away|catch the [wild|pet|ball]] .
@a did not [act:base] [past] .
@a was+ [tired|hungry|afraid|hurt] , so @he [slept|ran away|ate|hid|lay down|stayed there] .
when @a saw the [wild|pet] , @he [ran away|hid|jumped|stopped] .
if @a @is [hungry|thirsty] , @he will [eat|drink] .
@a barked at the [wild|stranger|car|moon] .
@a belong+ to [name|the [man]|the [woman]|the [people]] .
@a made a [loud|strange|soft] [noise|sound] .
@a @was in the [box|basket|house|garden|barn|water|tree|cage] .
""".strip().split("\n")

OTHER_PATTERNS = """
the [sun] [shone|was hot|was bright|is shining|rose|set] [past] .
the sun [was shining|shone] and the sky was [blue|clear|bright] .
the moon and the stars [shone|were bright] in the [dark] sky .
the [wind] [blew|was strong|was cold] [past|place] .
it [rained|snowed|was raining|was snowing] [past|in the [area|village|city|mountains]] .
it was a [sky] [day|night|morning|evening|afternoon] .
it was [sky] [past] .
it is [sky] [now] .
it is [number] o ' clock .
today is [weekday] .
tomorrow is [weekday] .
yesterday was [weekday] .
my birthday is in [monthname] .
the year has twelve months and the week has seven days .
there is a [thing] on the [furniture] .
there is a [size] [building] [place] .
there was a [pet|wild] [place] .
there were [number] [pet+|wild+] [place] .
there are [number] [thing+] [in the [box|bag|drawer]|on the [furniture]] .
there were [number] people [place] .
there was no [food|beverage|money|time|light|one] [place] .
the [thing] is on the [furniture] .
the [thing] was [in the [box|bag|drawer|room]|under the [furniture]|on the [floor|furniture]] .
the [thing] is [color] .
the [color] [thing] is [size|quality] .
the [thing] was [broken|lost|expensive|cheap|heavy|light|old|new|dirty|clean] .
the [thing] is made of [material] .
the [thing] did not fit in the [box|bag] because it was too [big|large|long|wide|heavy] .
the [thing] fell from the [furniture] and broke .
the [building] is [size|quality|open|closed|far away|near] .
the [building] is [between|near|behind|next to|far from] the [building] .
the [building] was [built|old] [past] .
the [vehicle] is [color|fast|slow|new|old|full|late] .
the [vehicle] stopped [place] because it was [old|broken|full|empty] .
the [vehicle] [arrived|left|stopped] [past] .
the [reading] was [long|short|funny|sad|interesting|boring|true|difficult|easy] .
the [reading] is about a [wild|king|queen|princess|soldier|family] .
the [food] [was|is|tastes|smells] [taste] .
the [fruit+] [were|are|taste|smell] [taste] .
the [beverage] is [hot|cold|warm|sweet|fresh] .
the [plant+] [grow|grew] [place] .
the [plant+] are [color|beautiful|pretty|tall] .
the [leaves] [fall|fell] in autumn .
the [nature] is [long|deep|high|wide|dark|beautiful|quiet|dangerous] .
the [river|road|bridge] is [long|wide|narrow|deep|straight] .
the door [was|is] [open|closed|locked] .
the door opened and [name|the [man]|the [woman]|a [people]] came in .
the game [was|is] [fun|over|easy|hard|interesting|boring] .
the [question|problem|lesson|test|exercise] [was|is] [easy|hard|difficult|important|simple] .
the answer is [right|wrong|true|false|yes|no|simple] .
the [wear] is too [big|small|long|short|expensive] for [other] .
the [pair+] are [new|old|dirty|clean|wet|dry|too small] .
the [people+] [do:past] [place] .
the [people+] [get:past] [object] .
the [people+] were [mood] .
the children are [act:ing] [place] .
the children [do:past] [place|manner|past] .
[name] and [name] [do:past] [place|past] .
[name] and [name] are [mood|good friends|brother and sister] .
[name] and [name] [get:past] [object] .
[name] ' s [thing|wear|pet|vehicle|people|building] is [size|color|quality] .
the [people] ' s [thing|wear|pet|vehicle] was [size|color|quality] .
my [man|woman|people] is a [doctor|teacher|nurse|farmer|driver|cook|singer|artist|writer|pilot] .
my name is [name] .
his name is [name] .
her name was [name] .
who [get:past] [object] ?
who is [do:ing] [place] ?
what did [who] [get:base] [past] ?
what do you [do|want|like|need|see|think|know] ?
what is [in the [box|bag]|on the [furniture]|your name|this|that|it|the answer] ?
where is [the [thing|pet|building]|my [thing|wear|pet]|[name]] ?
where are [the [thing+|pet+]|my [pair+]|the children|you|we|they] ?
where do you live ?
when will [who] [move:base] [to] ?
why did [who] [do:base] [place] ?
why are you [mood|do:ing] ?
how are you ?
how old are you ?
how many [thing+|fruit+|pet+|friends] do you have ?
how much [money|time|milk|water] do we need ?
which [thing|wear|vehicle|reading] do you want ?
whose [thing|wear|reading] is this ?
can you [do:base] [manner] ?
can you help me ?
could you give me [object] , please ?
will you [person:base] [who] [next] ?
do you [get:base] [object] ?
do you know [other] ?
does [name] [do:base] [place] ?
did you [get:base] [object] ?
is [the [pet|people|thing|building]] [place|old|new|here] ?
are you [mood] ?
was [who] [place|mood] ?
have you seen [other|my [thing|pet|wear]] ?
please [give me the [thing]|close the [door|window]|open the [door|window]|sit down|wait|come in|help me] .
let us [do:base] [place] .
let ' s go [home|to the [building]|out] .
don ' t [run|shout|cry|worry|go|touch the [thing]|forget the [thing]|open the [door|box]] !
look at [the [wild|picture|building]|that [thing]|me] !
come [here|in|home|back|with me] !
go [home|away|out|to bed] !
thank you for the [present|letter|book|food|help] .
yes , [I can|it is|please|he is|she is|we do|they are] .
no , [I can ' t|it isn ' t|thank you|he is not|she is not|we don ' t] .
it ' s [my|your|his|her|our|their] [thing|wear|reading] .
I ' m [mood|very [mood]|ten years old] .
he ' s [mood|a [doctor|teacher|farmer]|not here] .
she ' s [mood|a [doctor|teacher|nurse]|not here] .
that ' s [good|right|wrong|my [thing]|all] .
I don ' t [know|like [food]|want to go|understand|think so] .
this is [my|your|his|her|our|their] [thing|wear|house|room|family|pet|people] .
that is a [quality] [thing|building|picture|story|idea] .
these are my [pair+|thing+|friends|parents] .
those [wild+|thing+|pet+] are [size|color|quality] .
this [thing] is mine and that one is [yours|hers|his|ours|theirs] .
the [thing] is [mine|yours|hers|his|ours|theirs] .
once upon a time there was a [king|queen|princess|prince|wolf|fox|bear] who lived in a [castle|forest|tower|village] .
a [long] time ago a [king|queen|farmer|hunter|soldier] lived [place] .
some people [like|love|hate|need|want] [food|music|dogs|cats|books|flowers|the sea|the city] .
most people [like|love|need|want] [food|music|dogs|books|flowers|money|time] .
many people [live|work|eat|wait] [place] .
all children [like|love|need|want] [cake|ice cream|games|to play|sleep|a family] .
everyone [do:past] [past|place] .
everybody was [mood] .
nobody [was [place]|knew the answer|saw [other]|came] .
someone [get:past] [object] .
something [fell|happened|moved] [place|past] .
nothing happened .
everything was [good|fine|quiet|ready|new|different] .
one plus one is two .
two plus [two] is four .
two and three are five .
money is [important|not everything] .
time is money .
life is [good|short|beautiful|hard] .
the [food|wear|thing] is [cheap|expensive|good|my favorite] .
my favorite food is [food] .
bread is [good|cheap] .
the [animal|dog|cat] is [hungry|big|small|in the house] .
the animals [act:past] [place] .
there are many [animals|flowers|people|things|trees|houses] [place] .
the weather [is|was] [good|bad|cold|warm|nice] [past] .
he is a [nice|kind|good|bad|famous|clever] person .
the [flower|plant] is [color|beautiful|dry] .
what color is the [thing|wear|pet|flower] ?
I think that [who] is [mood] .
of course we [do:base] [place] .
maybe [who] will [do:base] [next] .
perhaps it will [rain|snow] [next] .
the [people] and the [people] [do:past] [place] .
neither [name] nor [name] [do:past] .
either [name] or [name] will [do:base] [next] .
I have a [thing] and you have a [thing] .
we are [mood|friends|at home|at school|here] .
they are [mood|friends|at home|at school|here] .
you are [mood|my friend|late|right|wrong] .
my favorite color is [color] .
the [end] .
the train leaves at [number] o ' clock .
the school begins at [eight] o ' clock .
the world is [round|big|small|beautiful|full of people] .
the earth is round and the sun is [hot|far away] .
the king and the queen lived in a castle .
the war was [over|long|bad] .
the [market|city|street|bus|room|museum] was full of people .
the [city|town|village|country] is [big|small|old|far from here|quiet|beautiful] .
the [light|music|fire|noise] was too [bright|loud|hot] .
the [pet] with the [color] [tail|ears|eyes|legs] [act:past] [place] .
the [pet] and the [pet] [act:past] [place] .
the [pet] that [chased|saw|followed] the [wild] was [mood|big|old|black|white] .
the [man|woman|people] who [get:past] [object] was [mood|old|young|rich|poor] .
the [man|woman|people] who [do:past] [place] was [mood|my friend|old|young] .
[pet+] [like|eat|need|want] [food|fruit+|grass|water] .
[wild+] [eat|like|fear] [pet+|wild+|grass|leaves] .
[wild+] [live|sleep|hide|run] [in the [forest|jungle|zoo|desert|sea|field]|place] .
[wild+|pet+] can [run|swim|jump|climb|see|hear] [manner] .
[wild+|pet+] are [size|fast|slow|dangerous|clever|friendly|quiet] .
[birds|planes|bees|owls|eagles] [can fly|fly] [over the [city|sea|forest]|in the sky|high|south in winter] .
""".strip().split("\n")


RARE_PATTERNS = """
@a ate [a|one|the|this|another] [fruit] .
@a bought [a|one|the|this] [fruit] and some [food] .
@a put the [fruit] on the [furniture] .
@a was+ born in [monthname] .
@a will come back in [monthname] .
@a visited [land] in [monthname] .
@a @is the [tallest|oldest|youngest|smallest|strongest|fastest|best|happiest|richest|biggest] [boy|girl|student|child] in the [school|class|world|family] .
@a @was [taller|older|younger|smaller|bigger|richer|better] than [other] .
@a felt [better|worse|great|really good|quite well|still sick] .
@a [get:s] [object] .
@a [get:s] [object] [now] .
@a [person:s] [who] [now] .
@a [often] [person:s] [other] .
@a [do:s] [now|place|manner] .
@a wanted to [person:base] [other] .
@a liked [sport] and [sport] .
@a [studied|taught|liked] [subject] and [subject] .
@a saw [clouds|mountains|planes|a leaf|a movie|many things] [place] .
@a talked about the [future|wedding|trip|reason|class|number|movie] .
@a had [bad luck|good luck|less time|a million dollars|a hundred dollars|cold feet|a dream] .
@a [is+] in the [same class|first line|right place|wrong line] .
@a [was+] [still|quite|really] [mood] .
@a [is+] [moving|traveling|smiling|returning|hurrying|cooking|laughing] [now|place] .
[wild+|pet+] [eat|like|need] [food|grass|leaves|fruit|water] .
[wild+|pet+] are [size|fast|slow|dangerous|clever|friendly] .
perhaps [who] will [arrive|finish|begin|worry|invite us|look at it] [next] .
maybe [who] can [person:base] us [next] .
[who] was given a [reading|thing|wear] .
it has [rained|snowed] [past] .
which [fruit|thing|wear] do you want ?
the [fruit] is [color|taste] .
the [fruit] was on the [furniture] .
the stars and the clouds are in the sky .
everybody [do:past] [past] .
please close the [door|window|book] .
"""
RARE_PATTERNS = RARE_PATTERNS.strip().split("\n")


class Subject:
    """A subject as its sentence needs it: its text, its pronouns, and its number."""

    def __init__(self, text, he, him, his, is_plural=False, be=None, head=True):
        self.text, self.he, self.him, self.his, self.is_plural = text, he, him, his, is_plural
        self.be = be or (("are", "were") if is_plural else ("is", "was"))
        self.head = head  # whether its last word tells what the pronoun is

    def agree(self, verb):
        return verb if self.is_plural or self.text in ("I", "you") else singular(verb)


SHE, HE, IT, THEY = ("she", "her", "her"), ("he", "him", "his"), ("it", "it", "its"), ("they", "them", "their")
PRONOUNS = [Subject("I", "I", "me", "my", be=("am", "was"), head=False), Subject("you", "you", "you", "your", True, head=False),
            Subject("we", "we", "us", "our", True, head=False), Subject("she", *SHE), Subject("he", *HE),
            Subject("they", *THEY, True), Subject("she", *SHE), Subject("he", *HE)]


@functools.cache
def options(text):
    """Returns the parts of `a|b [c|d]|e`: brackets hide their bars."""
    depth, parts, begin = 0, [], 0
    for i, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return parts + [text[begin:]]


def weighted(patterns):
    """Returns each pattern the more often the more verbs fit into it, so that all verbs are read often."""
    return [pattern for pattern in patterns for _ in range(1 + 3 * pattern.count(":"))]


PEOPLE_PATTERNS, ANIMAL_PATTERNS, OTHER_PATTERNS, RARE_PATTERNS = (
    weighted(patterns) for patterns in (PEOPLE_PATTERNS, ANIMAL_PATTERNS, OTHER_PATTERNS, RARE_PATTERNS))


class Filler:
    """Fills patterns with words drawn by `rng`; the names are those of train_small_model.py."""

    def __init__(self, rng, girls, boys):
        self.rng, self.girls, self.boys = rng, girls, boys

    def choice(self, text):
        return self.rng.choice(options(text))

    def slot(self, text, subject):
        """Returns the words for the inside of a pair of brackets."""
        option = self.choice(text)
        if option == "name":
            return self.rng.choice(self.girls + self.boys)
        if option in KINDS and KINDS[option]:
            return self.fill(self.rng.choice(KINDS[option]), subject)
        if option in NOUNS:
            return self.rng.choice(NOUNS[option])
        if re.fullmatch(r"\w+\+", option):
            if option[:-1] in NOUNS or option[:-1] in KINDS:
                return plural(self.rng.choice(NOUNS.get(option[:-1]) or KINDS[option[:-1]]))
            return self.verb(option[:-1], subject)
        if re.fullmatch(r"\w+:\w+", option):
            name, form = option.split(":")
            base, past, ing = FORM[self.rng.choice(VERBS[name])]
            return {"base": base, "past": past, "ing": ing, "s": subject.agree(base) if subject else singular(base)}[form]
        return self.fill(option, subject)

    def verb(self, word, subject):
        return {"is": subject.be[0], "was": subject.be[1]}.get(word) or subject.agree("have" if word == "has" else word)

    def fill(self, pattern, subject):
        out, i = [], 0
        while i < len(pattern):
            if pattern[i] == "[":
                depth, j = 1, i + 1
                while depth:
                    depth += (pattern[j] == "[") - (pattern[j] == "]")
                    j += 1
                out.append(self.slot(pattern[i + 1 : j - 1], subject))
                i = j
            else:
                j = pattern.find("[", i)
                j = len(pattern) if j < 0 else j
                out.append(pattern[i:j])
                i = j
        return "".join(out)

    def someone(self):
        """Returns a person as a subject."""
        rng = self.rng
        kind = rng.random()
        adjective = rng.choice(NOUNS["age"]) + " " if rng.random() < 0.35 else ""
        the = rng.choice(["the", "the", "the", "a", "my", "his", "her", "our", "your", "their", "this", "every" if rng.random() < 0.3 else "the"])
        if kind < 0.25:
            return rng.choice(PRONOUNS)
        if kind < 0.45:
            girl = rng.random() < 0.5
            return Subject(rng.choice(self.girls if girl else self.boys), *(SHE if girl else HE))
        if kind < 0.85:
            woman = rng.random() < 0.5
            return Subject(f"{the} {adjective}{rng.choice(WOMEN if woman else MEN)}", *(SHE if woman else HE))
        return Subject(f"the {adjective}{plural(rng.choice(PEOPLE + ['child', 'boy', 'girl', 'man', 'woman', 'people']))}", *THEY, True)

    def animal(self):
        rng = self.rng
        adjective = rng.choice(NOUNS["age"][:5] + ["red", "white", "black", "brown", "gray"] + ["brave", "clever", "lazy", "wild", "hungry", "fast"]) + " " if rng.random() < 0.4 else ""
        noun = rng.choice(NOUNS["pet"] + NOUNS["wild"] if rng.random() < 0.7 else ["cat", "dog", "bird", "horse", "mouse", "fox"])
        if rng.random() < 0.25:
            begin = rng.choice(["the ", "the ", "", "two ", "three ", "these ", "some "])
            return Subject(f"{begin}{adjective if begin else ''}{plural(noun)}", *THEY, True)
        the = rng.choice(["the", "the", "the", "the", "a", "my", "his", "her", "our", "your", "this", "that", "one"])
        return Subject(f"{the} {adjective}{noun}", *IT)

    def sentence(self):
        """Returns the subject of a sentence, or None, and its text, in which @a and @he are still marks."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            return None, self.fill(rng.choice(OTHER_PATTERNS), None).replace("@his", rng.choice(["my", "his", "her", "your"]))
        is_rare = rng.random() < 0.15
        is_animal = rng.random() < 0.4 and not is_rare
        subject = self.animal() if is_animal else self.someone()
        if is_rare:
            pattern = rng.choice(RARE_PATTERNS)
        elif kind < 0.55:
            what, why = rng.choice(WHY_ALL if is_animal else WHY_ALL + WHY_PEOPLE + WHY_PEOPLE)
            joint = rng.choice(["because", "because", "because", ", for", "since"])
            pattern = f"@a {self.choice(what)} {joint} @he {self.choice(why)} ."
            if rng.random() < 0.1:
                pattern = f"because @a {self.choice(why)} , @he {self.choice(what)} ."
        else:
            pattern = rng.choice(ANIMAL_PATTERNS if is_animal else PEOPLE_PATTERNS)
        text = self.fill(pattern, subject)
        text = re.sub(r"(?<!@)\bwas (?=sad|happy|angry)", "@was ", text) if "@he" in pattern else text
        text = re.sub(r"([a-z]+)\+", lambda match: self.verb(match[1], subject), text)
        for mark, word in (("@is", subject.be[0]), ("@was", subject.be[1]), ("@has", subject.agree("have")),
                           ("@his", subject.his), ("@him", subject.him)):
            text = re.sub(mark + r"\b", word, text)
        return subject, text

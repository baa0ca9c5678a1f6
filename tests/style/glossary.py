"""Words and openings of sentences that a standard term or a plain sentence has replaced."""
import re

from cpp_text import code_of

# In identifiers and file names, everywhere.
WORDS = {
    'lane': 'connection pool, purpose', 'inbox': 'delta queue', 'mailbox': 'completion queue', 'mishap': 'injected fault',
    'trouble': 'injected fault, error', 'furniture': 'default ServiceAccount and root CA publisher', 'shelf': 'collection, pool',
    'shelves': 'collections', 'sight': 'view', 'witness': 'reporter', 'remark': 'log record', 'onlooker': 'viewer',
    'deaf': 'stalled', 'patience': 'timeout, time limit', 'complaint': 'violation, error', 'spoil': 'corrupt, degrade',
    'aside': 'the thread, or the reason', 'anew': 'again, restart, recreate', 'timekeeper': 'timer thread',
    'culprit': 'the build that crashed', 'obstacle': 'reason', 'objection': 'reason', 'misfit': 'error', 'twin': 'counterpart',
}
# In identifiers of the product; tests play people who speak otherwise.
PRODUCT_WORDS = WORDS | {
    'settle': 'merge, resolve, finish, wait until idle', 'rested': 'idle', 'resting': 'idle, suspended',
    'told': 'notified, reported', 'heard': 'received', 'nobody': 'none, anonymous', 'whereabouts': 'location',
    'goodbye': 'close_notify', 'meanwhile': 'observer', 'crew': 'workers',
}
PRODUCT = ('cli/', 'host/', 'lib/', 'nodes/', 'plugins/', 'sandbox/', 'sdk/', 'testing/')

# In comments and Markdown.
PHRASES = [(re.compile(rf'\b(?:{pattern})\b', re.I), instead) for pattern, instead in {
    r'tells|told': 'reports, notifies',
    r'settle[sd]?|settling': 'merge, resolve, finish, wait until idle, update status',
    r'whoever|nobody': 'the subject itself, or the passive voice',
    r'lets? go of|lets go|comes? to rest|at rest': 'releases; is idle',
    r'lest': 'so that ... not',
    r'deaf': 'stalled', r'complain(?:ts?|s|ed)?': 'violation, error', r'anew': 'again; restarts, recreates',
    r'goes on(?! the)|serves on': 'continues, keeps serving', r'comes? back': 'returns', r'let go': 'released',
    r'says? so': 'reports, requests or requires it', r'holds? up': 'delays, blocks',
}.items()]
# A sentence begins with a comment, a paragraph, an item of a list, or after the end of another one.
OPENING = re.compile(r'(?:^|(?<=[.!?;] ))(Of|By|Whoever|Nobody)(?! (?:default|hand)\b)\b')
# A comment that explains a name begins with what the name is, not with "What it ..." or "How it ...".
RIDDLE = re.compile(r'(How|What|Where|Which)\b')
END_OF_SENTENCE = ('.', '!', '?', ':', '|')


def word_pattern(words):
    """A word begins an identifier, follows an underscore, or is a part of CamelCase; it may be a plural."""
    return re.compile(
        '(?<![A-Za-z])(' + '|'.join(words) + ')(?:e?s)?(?![a-z])|'
        '(?<![A-Z])(' + '|'.join(word.title() for word in words) + ')(?:e?s)?(?![a-z])')


PATTERN, PRODUCT_PATTERN = word_pattern(WORDS), word_pattern(PRODUCT_WORDS)


def names(file):
    pattern = PRODUCT_PATTERN if file.path.startswith(PRODUCT) else PATTERN
    for number, line in enumerate((file.path + '\n' + code_of(file.text)).split('\n')):
        for found in pattern.finditer(line):
            word = (found.group(1) or found.group(2)).lower()
            yield max(number, 1), f'"{found.group()}": the glossary says {PRODUCT_WORDS[word]}'


def comments(text):
    """(line, text, whether the line holds nothing else) of each line with a // comment."""
    bare = code_of(text).split('\n')
    for number, line in enumerate(text.split('\n'), 1):
        code = bare[number - 1].rstrip()
        if found := re.match(r'\s*//[/!]?<?\s*', line[len(code):]):
            yield number, line[len(code) + found.end():], not code


def paragraphs(text):
    """The same for Markdown, without code."""
    inside = False
    for number, line in enumerate(text.split('\n'), 1):
        if line.startswith('```'):
            inside = not inside
        elif not inside:
            yield number, re.sub(r'`[^`]*`', '``', re.sub(r'^\s*(?:[-*] |\d+\. )?', '', line)), True


def prose(file):
    lines = paragraphs(file.text) if file.path.endswith('.md') else comments(file.text)
    last, runs_on = 0, False
    for number, text, alone in lines:
        follows = alone and runs_on and last == number - 1
        for found in OPENING.finditer(text):
            if found.start() > 0 or not follows:
                yield number, f'a sentence opens with "{found.group(1)}": begin with its subject'
        if not file.path.endswith('.md') and not follows and (found := RIDDLE.match(text)):
            yield number, f'a comment opens with "{found.group()}": begin with the thing itself'
        for pattern, instead in PHRASES:
            for found in pattern.finditer(text):
                yield number, f'"{found.group()}": write {instead}'
        last, runs_on = number, alone and bool(text) and not text.endswith(END_OF_SENTENCE)

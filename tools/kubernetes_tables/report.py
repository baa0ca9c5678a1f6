"""Mistakes in the input: each names the file and what to do."""


class Mistake(Exception):
    """An input that the tool cannot use. `place` is the file or folder, `remedy` a sentence for people."""

    def __init__(self, place, problem, remedy):
        super().__init__(f'{place}: {problem}. {remedy}')

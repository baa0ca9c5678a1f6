"""snippets.py LANGUAGE DOCUMENT SOURCE: each ```LANGUAGE block of the document stands in the source, but for indentation and line breaks."""
import pathlib
import re
import sys


def squeezed(text):
    return ''.join(text.split())


def main():
    document, source = (pathlib.Path(argument).read_text() for argument in sys.argv[2:4])
    blocks = re.findall(rf'^```{sys.argv[1]}\n(.*?)^```$', document, re.M | re.S)
    lacking = [block for block in blocks if squeezed(block) not in squeezed(source)]
    for block in lacking:
        print(f'{sys.argv[3]} does not contain:\n{block}')
    print(f'{len(blocks)} snippets, {len(lacking)} of them are not compiled')
    sys.exit(1 if lacking or not blocks else 0)


if __name__ == '__main__':
    main()

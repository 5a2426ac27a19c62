"""The compiled part: a command line without the program's name, and what it prints."""

__version__: str

def run(arguments: list[str]) -> str: ...

"""HyperLogLogs: PFADD to PFDEBUG, compared by their bytes; some are dense, and some keys are none."""

KEYS = ["a", "b", "c", "d"]
HEADER = "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80"


def key(source):
    return source.choice(KEYS) if source.random() < 0.96 else source.choice(["string", "absent", ""])


def elements(source):
    kind = source.random()
    if kind < 0.05:
        return []
    if kind < 0.9:
        return [source.randrange(200) for _ in range(source.choice([1, 2, 5, 20]))]
    first = source.randrange(1 << 30)
    return range(first, first + source.choice([100, 600, 1500, 3000]))


def whole(source):
    """A sparse one with runs at random that are exactly all registers: such as no server writes, and may be read."""
    text, left = HEADER, 16384
    while left:
        kind = source.random()
        if kind < 0.4:
            run = min(left, source.randrange(1, 5))
            text += chr(0x80 | source.randrange(32) << 2 | run - 1)
        elif kind < 0.8:
            run = min(left, source.randrange(1, 65))
            text += chr(run - 1)
        else:
            run = min(left, source.randrange(1, 6000))
            text += chr(0x40 | run - 1 >> 8) + chr(run - 1 & 255)
        left -= run
    return text


def make(source, step):
    kind = source.random()
    if kind < 0.5:
        return [step("PFADD", key(source), *elements(source))]
    if kind < 0.65:
        return [step("PFCOUNT", *[key(source) for _ in range(source.choice([1, 1, 1, 2, 3]))])]
    if kind < 0.75:
        return [step("PFMERGE", *[key(source) for _ in range(source.choice([1, 2, 2, 3]))])]
    if kind < 0.85:
        return [step("GET", key(source)), step("STRLEN", key(source))]
    if kind < 0.92:
        return [step("PFDEBUG", source.choice(["ENCODING", "DECODE", "TODENSE", "GETREG", "WORD"]), key(source))]
    if kind < 0.96:
        return [step("SET", key(source), whole(source))]
    return [source.choice([
        step("SET", key(source), "v"), step("RPUSH", key(source), "v"), step("DEL", key(source)),
        step("EXPIRE", key(source), "100"), step("COPY", key(source), key(source), "REPLACE")])]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("TTL", name), step("GET", name), step("PFCOUNT", name)]
    return steps

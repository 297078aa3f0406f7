"""SORT and SORT_RO of lists, by keys and fields.

Left out is what Redis itself does not decide: the order of equal weights with BY and ALPHA where it sorts in part. And
numbers that are too large for a double: the server that has seen one refuses good ones afterwards.
"""

KEYS = ["a", "b", "c"]
NUMBERS = ["0", "1", "2", "3", "10", "-1", "-5", "1.5", "1e1", ".5", "inf", "-inf", "0x10", " 7"]
WORDS = ["", "x", "yy", "Z", "x\x00a", "\xff"]
PATTERNS = ["w*", "h*->f", "h*->g", "s*", "#", "nosort", "absent*", "*", "h*->", "w*x", "h*"]


def key(source):
    return source.choice(KEYS) if source.random() < 0.95 else source.choice(["string", "absent"])


def element(source):
    kind = source.random()
    return str(source.randrange(12)) if kind < 0.8 else source.choice(NUMBERS if kind < 0.97 else WORDS)


def limit(source):
    return [source.choice([0, 0, 1, 2, 5, -1, 100, "9223372036854775807", "x"]),
            source.choice([0, 1, 2, 5, 100, -1, "-9223372036854775808", "x"])]


def sort(source, step):
    words = []
    for _ in range(source.choice([0, 1, 1, 2, 3, 4])):
        kind = source.random()
        if kind < 0.2:
            words += ["GET", source.choice(PATTERNS)]
        elif kind < 0.4:
            words += ["BY", source.choice(PATTERNS)]
        elif kind < 0.6:
            words += ["LIMIT", *limit(source)]
        elif kind < 0.75:
            words += [source.choice(["ASC", "DESC", "desc"])]
        elif kind < 0.88:
            words += ["ALPHA"]
        elif kind < 0.96:
            words += ["STORE", key(source)]
        else:
            words += [source.choice(["BY", "GET", "STORE", "LIMIT", "WORD"])]
    if "BY" in words and "ALPHA" in words and "LIMIT" in words:
        words = [word for word in words if word != "ALPHA"]
    return [step(source.choice(["SORT", "SORT", "SORT_RO"]), key(source), *words)]


def make(source, step):
    kind = source.random()
    if kind < 0.35:
        return [step("RPUSH", key(source), *[element(source) for _ in range(source.choice([1, 2, 5]))])]
    if kind < 0.5:
        return [source.choice([
            step("SET", f"w{source.randrange(12)}", source.randrange(100)),
            step("SET", f"s{source.randrange(12)}", source.choice(WORDS)),
            step("HSET", f"h{source.randrange(12)}", "f", source.randrange(100), "g", source.choice(WORDS))])]
    if kind < 0.54:
        return [source.choice([step("DEL", key(source)), step("SET", "string", "v"), step("EXPIRE", key(source), 100)])]
    return sort(source, step)


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("TTL", name), step("LRANGE", name, "0", "-1")]
    return steps

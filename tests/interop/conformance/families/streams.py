"""Streams: XADD to XSETID, groups and what is pending, on a few keys, of which one may be a string."""

KEYS = ["a", "b", "c"]
GROUPS = ["g", "h", "", "g" * 60]
CONSUMERS = ["alice", "bob", ""]
NUMBERS = ["0", "1", "2", "-1", "3", "-0", "007", "+5", "9223372036854775807", "9223372036854775808", "1.5", "x", ""]
ODD_IDS = ["-", "+", "*", "$", ">", "(", "0", "0-0", "0-1", "1-*", "0-*", "x", "1-x", "1-", "-1", "1--1", "", "+1", " 1",
           "007", "18446744073709551615", "18446744073709551615-18446744073709551615", "18446744073709551616", "1-1-1",
           "9" * 130, "18446744073709551615-*", "1-18446744073709551615"]
WORDS = ["", "x", "field", "v" * 70, "w" * 300, "\x00\xff", "a b", "12345"]
LONG = ["z" * 1300, "y" * 5000]


def key(source):
    return source.choice(KEYS) if source.random() < 0.96 else source.choice(["string", "absent", ""])


def identifier(source):
    if source.random() < 0.08:
        return source.choice(ODD_IDS)
    return f"{source.randrange(1, 12)}-{source.randrange(0, 4)}" if source.random() < 0.8 else str(source.randrange(0, 12))


def new_identifier(source):
    kind = source.random()
    if kind < 0.7:
        return f"{source.randrange(1, 40)}-*"
    found = identifier(source)
    return "7-*" if found == "*" else found  # Its time is another one on each server.


def end(source, word):
    kind = source.random()
    return word if kind < 0.5 else "(" + identifier(source) if kind < 0.65 else identifier(source)


def number(source):
    return source.randrange(0, 9) if source.random() < 0.9 else source.choice(NUMBERS)


def fields(source):
    if source.random() < 0.5:
        return ["field", source.choice(WORDS), "other", str(source.randrange(100))]
    count = source.choice([1, 1, 2, 3])
    words = [source.choice(WORDS + (LONG if source.random() < 0.1 else [])) for _ in range(2 * count)]
    return words if source.random() < 0.96 else words[1:]


def trim(source):
    kind = source.random()
    if kind < 0.5:
        return ["MAXLEN", *source.choice([[], ["="]]), number(source)]
    if kind < 0.9:
        return ["MINID", *source.choice([[], ["="]]), identifier(source)]
    # Of what is no more than a hundred entries Redis removes all or nothing: here are more than there are.
    return source.choice([["MAXLEN", "~", "1000"], ["MAXLEN", "~", "1000", "LIMIT", number(source)],
                          ["MAXLEN", "5", "LIMIT", "5"], ["LIMIT", "5"], ["MAXLEN"], ["MAXLEN", "1", "MINID", "1"],
                          ["MINID", "~", "0", "LIMIT", number(source)], ["NEAR", "5"], ["maxlen", "-1"]])


def add(source, step):
    options = source.choice([[], [], [], [], ["NOMKSTREAM"]])
    options = options + (trim(source) if source.random() < 0.15 else [])
    return [step("XADD", key(source), *options, new_identifier(source), *fields(source))]


def read_range(source, step):
    count = source.choice([[], [], ["COUNT", number(source)], ["COUNT"], ["NUMBER", "1"]])
    if source.random() < 0.5:
        return [step("XRANGE", key(source), end(source, "-"), end(source, "+"), *count)]
    return [step("XREVRANGE", key(source), end(source, "+"), end(source, "-"), *count)]


def read(source, step):
    words = source.choice([[], ["COUNT", number(source)]])
    keys = [key(source) for _ in range(source.choice([1, 1, 2, 3]))]
    ids = [source.choice(["0", identifier(source), identifier(source), "$"]) for _ in keys]
    if source.random() < 0.03:
        ids = ids[1:]
    return [step("XREAD", *words, *source.choice([["STREAMS"]] * 30 + [[], ["NOACK", "STREAMS"], ["GROUP", "g", "c", "STREAMS"]]),
                 *keys, *ids)]


def remove(source, step):
    return [source.choice([
        step("XDEL", key(source), *[identifier(source) for _ in range(source.choice([1, 1, 2, 4]))]),
        step("XTRIM", key(source), *trim(source))])]


def set_id(source, step):
    words = []
    if source.random() < 0.4:
        words += ["ENTRIESADDED", number(source)]
    if source.random() < 0.3:
        words += ["MAXDELETEDID", identifier(source)]
    if source.random() < 0.05:
        words += ["MORE"]
    return [step("XSETID", key(source), identifier(source), *words)]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("HSET", name, "f", "v")])]


def make(source, step):
    kind = source.random()
    if kind < 0.4:
        return add(source, step)
    if kind < 0.55:
        return read_range(source, step)
    if kind < 0.65:
        return read(source, step)
    if kind < 0.78:
        return remove(source, step)
    if kind < 0.82:
        return set_id(source, step)
    if kind < 0.86:
        return [step("XLEN", key(source))]
    if kind < 0.96:
        return other(source, step)
    name = source.choice(["XADD", "XLEN", "XRANGE", "XREVRANGE", "XREAD", "XDEL", "XTRIM", "XSETID"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 4]))])]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("TTL", name), step("XLEN", name), step("XRANGE", name, "-", "+"),
                  step("XREVRANGE", name, "+", "-")]
    return steps

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
    return [step("XADD", key(source), *options, new_identifier(source), *fields(source), same=same_refusal)]


# With MS-* behind the last sequence number of MS, Redis chooses between its errors by what an earlier call left in errno.
SMALLER = b"ERR The ID specified in XADD is equal or smaller than the target stream top item"
TOO_LARGE = b"ERR Elements are too large to be stored"


def same_refusal(theirs, ours):
    return ours == (b"-", SMALLER) and theirs == (b"-", TOO_LARGE)


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


# Behind these words is a time, or the number of nodes of another tree.
MASKED = {b"idle", b"seen-time", b"radix-tree-keys", b"radix-tree-nodes"}


def same_times(theirs, ours):
    """XINFO: moments, and what is behind the words above, may differ."""
    if not (isinstance(theirs[1], list) and isinstance(ours[1], list)):
        return theirs == ours or theirs[0] == ours[0] == b":" and is_moment(theirs[1]) and is_moment(ours[1])
    if theirs[0] != ours[0] or len(theirs[1]) != len(ours[1]):
        return False
    before = None
    for one, other in zip(theirs[1], ours[1]):
        if before not in MASKED and not same_times(one, other):
            return False
        before = other[1] if isinstance(other[1], bytes) else None
    return True


def is_moment(text):
    return int(text) > 1_000_000_000_000


def is_time(text):
    """Since it was just delivered, or long ago as the sequence says."""
    return int(text) > 1_000_000 or 0 <= int(text) < 2_000


def same_rows(theirs, ours):
    """XPENDING: id, consumer, time since it was delivered, how often."""
    return theirs[0] == ours[0] and len(theirs[1]) == len(ours[1]) and all(
        [one[1][i] for i in (0, 1, 3)] == [other[1][i] for i in (0, 1, 3)]
        and is_time(one[1][2][1]) and is_time(other[1][2][1]) for one, other in zip(theirs[1], ours[1]))


def group(source):
    return source.choice(GROUPS[:2]) if source.random() < 0.9 else source.choice(GROUPS)


def consumer(source):
    return source.choice(CONSUMERS)


def ids(source):
    return [identifier(source) for _ in range(source.choice([1, 1, 2, 4]))]


def change_group(source, step):
    name, of = key(source), group(source)
    start = source.choice(["$", "0", "0", identifier(source)])
    read = source.choice([[], [], ["ENTRIESREAD", number(source)], ["ENTRIESREAD"]])
    return [source.choice([
        step("XGROUP", "CREATE", name, of, start, *source.choice([[], ["MKSTREAM"], ["MKSTREAM", "x"]]), *read),
        step("XGROUP", "CREATE", name, of, start, *read, *source.choice([[], ["MKSTREAM"]])),
        step("XGROUP", "CREATE", name, of, start, "MKSTREAM"), step("XGROUP", "CREATE", name, of, start, "MKSTREAM"),
        step("XGROUP", "SETID", name, of, start, *read), step("XGROUP", "DESTROY", name, of),
        step("XGROUP", "CREATECONSUMER", name, of, consumer(source)),
        step("XGROUP", "DELCONSUMER", name, of, consumer(source)),
        step("XGROUP", source.choice(["CREATE", "SETID", "DESTROY", "NONE", "HELP"]),
             *[key(source) for _ in range(source.randrange(5))])])]


def read_group(source, step):
    words = source.choice([[], [], ["COUNT", number(source)], ["NOACK"], ["COUNT", "2", "NOACK"]])
    keys = [key(source) for _ in range(source.choice([1, 1, 1, 2]))]
    after = [source.choice([">", ">", ">", "0", identifier(source), source.choice(ODD_IDS)]) for _ in keys]
    return [step("XREADGROUP", "GROUP", group(source), consumer(source), *words, "STREAMS", *keys, *after)]


def claim(source, step):
    name, of, who = key(source), group(source), consumer(source)
    idle = source.choice(["0", "0", "0", "900000", "-1", "x"])
    options = []
    for _ in range(source.choice([0, 0, 1, 2])):
        options += source.choice([["FORCE"], ["JUSTID"], ["RETRYCOUNT", number(source)], ["IDLE", "5000000"],
                                  ["IDLE", "-5"], ["TIME", "1"], ["TIME", "x"], ["LASTID", identifier(source)], ["MORE"]])
    automatic = source.choice([[], ["COUNT", number(source)], ["JUSTID"], ["COUNT", "2", "JUSTID"], ["COUNT"]])
    return [source.choice([
        step("XCLAIM", name, of, who, idle, *ids(source), *options),
        step("XAUTOCLAIM", name, of, who, idle, end(source, "-"), *automatic),
        step("XACK", name, of, *ids(source))])]


def ask(source, step):
    name, of = key(source), group(source)
    idle = source.choice([[], [], ["IDLE", source.choice(["0", "900000", "x"])]])
    return [source.choice([
        step("XPENDING", name, of),
        step("XPENDING", name, of, *idle, end(source, "-"), end(source, "+"), number(source),
             *source.choice([[], [consumer(source)]]), same=same_rows),
        step("XINFO", "STREAM", name, same=same_times), step("XINFO", "GROUPS", name),
        step("XINFO", "CONSUMERS", name, of, same=same_times),
        step("XINFO", "STREAM", name, "FULL", *source.choice([[], ["COUNT", number(source)]]), same=same_times),
        step("XINFO", source.choice(["STREAM", "GROUPS", "HELP", "NONE"]), *[name for _ in range(source.randrange(4))],
             same=same_times)])]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("SADD", name, "x")])]


def make(source, step):
    if source.random() < 0.45:
        return source.choice([change_group, read_group, read_group, claim, claim, ask])(source, step)
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
    name = source.choice(["XADD", "XLEN", "XRANGE", "XREVRANGE", "XREAD", "XDEL", "XTRIM", "XSETID", "XACK", "XCLAIM",
                          "XAUTOCLAIM", "XPENDING", "XREADGROUP", "XGROUP", "XINFO"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 4]))])]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("TTL", name), step("XLEN", name), step("XRANGE", name, "-", "+"),
                  step("XREVRANGE", name, "+", "-"), step("XINFO", "GROUPS", name),
                  step("XINFO", "STREAM", name, "FULL", "COUNT", "0", same=same_times)]
    return steps

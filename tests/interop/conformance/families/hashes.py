"""Hashes: HSET to HSCAN, on a few keys, of which one may be a string. Some are beyond Redis's compact encoding.

None has more than 4 KB: of longer ones the encoding may differ.
"""

from families import sets

# CONFIG SET of the encoding's thresholds.
CHANGES_SETTINGS = True

KEYS = ["a", "b", "c", "d"]
FIELDS = ["", "x", "y", "zz", "x" * 64, "y" * 65, "\x00\xff", "a b", "*", "10", "-0"]
VALUES = ["", "v", "v" * 64, "v" * 65, "007", "+5", "-0", "1.5", "inf", "nan", "1e400", " 1", "9223372036854775807",
          "-9223372036854775808", "9223372036854775808", "3.0e3", "0x10", "\x00\xff"]
COUNTS = sets.COUNTS
RANDOM_COUNTS = ["0", "1", "2", "5", "100", "-1", "-5", "x", "9223372036854775808", "4611686018427387904",
                 "-9223372036854775808"]


def leaves(tree):
    return sorted(repr(each) for each in tree[1]) if isinstance(tree[1], list) else tree


def same_fields(theirs, ours):
    """Fields, or values alone: once it is a hash table, their order is that of its slots."""
    return theirs[0] == ours[0] and leaves(theirs) == leaves(ours)


def same_pairs(theirs, ours):
    """Fields with their values, in RESP2 in turn."""
    def pairs(tree):
        return sorted(map(repr, zip(tree[1][::2], tree[1][1::2]))) if isinstance(tree[1], list) else tree
    return theirs[0] == ours[0] and pairs(theirs) == pairs(ours)


def same_page(theirs, ours):
    """HSCAN: the cursor is compared; the order is that of a hash table's slots once there is one."""
    if not isinstance(theirs[1], list) or not isinstance(ours[1], list):
        return theirs == ours
    return theirs[1][0] == ours[1][0] and same_pairs(theirs[1][1], ours[1][1])


def key(source):
    return source.choice(KEYS) if source.random() < 0.95 else source.choice(["string", "absent", ""])


def field(source):
    if source.random() < 0.03:
        return source.choice(sets.LONGEST)
    return source.choice("abcdefgh") if source.random() < 0.85 else source.choice(FIELDS)


def fields(source):
    return [field(source) for _ in range(source.choice([1, 1, 2, 3, 20]))]


def value(source):
    kind = source.random()
    if kind < 0.6:
        return str(source.randrange(-20, 20))
    return repr(source.uniform(-100, 100)) if kind < 0.8 else source.choice(VALUES)


def write(source, step):
    pairs = []
    for _ in range(source.choice([1, 1, 1, 2, 3, 8, 20])):
        pairs += [field(source), value(source)]
    if source.random() < 0.03:
        pairs.pop()
    return [step(source.choice(["HSET", "HSET", "HMSET"]), key(source), *pairs)]


def add(source, step):
    name = source.choice(["HINCRBY", "HINCRBYFLOAT", "HSETNX"])
    number = value(source) if source.random() < 0.5 else str(source.randrange(-5, 6))
    return [step(name, key(source), field(source), number)]


def limits(source, step):
    """A few entries, so that encodings change; set back behind it."""
    name = key(source)
    directive, low = source.choice([("hash-max-listpack-entries", "3"), ("hash-max-listpack-value", "2"),
                                    ("hash-max-ziplist-entries", "0")])
    default = "64" if directive.endswith("value") else "512"
    return [step("CONFIG", "SET", directive, low), *write(source, step), *add(source, step),
            step("OBJECT", "ENCODING", name), step("CONFIG", "SET", directive, default)]


def reads(source, step):
    name = key(source)
    return [source.choice([
        step("HGET", name, field(source)), step("HMGET", name, *fields(source)), step("HLEN", name),
        step("HSTRLEN", name, field(source)), step("HEXISTS", name, field(source)),
        step("HGETALL", name, same=same_all), step("HKEYS", name, same=same_fields),
        step("HVALS", name, same=same_fields)])]


def same_all(theirs, ours):
    """HGETALL: a map in RESP3, an array in RESP2; of both, pairs."""
    return same_pairs(theirs, ours)


def random_fields(source, step):
    words = [source.choice(RANDOM_COUNTS)] if source.random() < 0.7 else []
    if words and source.random() < 0.4:
        words.append(source.choice(["WITHVALUES", "WITHVALUES", "withvalues", "WITHSCORES"]))
    return [step("HRANDFIELD", key(source), *words, same=sets.same_shape)]


def scan(source, step):
    words = ["HSCAN", key(source), source.choice(["0", "0", "0", "x", "-1"])]
    if words[-1] == "-1":
        words[-1] = "0"
    if source.random() < 0.3:
        words += ["MATCH", source.choice(["*", "a*", "x?", "[a-c]", ""])]
    words += ["COUNT", source.choice(["1000", "1000", "1000", "0", "x", "-1"])]
    return [step(*words, same=same_page)]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("SADD", name, "x")])]


def make(source, step):
    kind = source.random()
    for share, one in ((0.3, write), (0.42, add), (0.46, limits), (0.68, reads), (0.75, random_fields), (0.8, scan),
                       (0.9, other)):
        if kind < share:
            return one(source, step)
    if kind < 0.98:
        return [step("HDEL", key(source), *fields(source))]
    name = source.choice([
        "HSET", "HMSET", "HSETNX", "HGET", "HMGET", "HGETALL", "HLEN", "HDEL", "HINCRBY", "HINCRBYFLOAT", "HRANDFIELD",
        "HSCAN", "HSTRLEN", "HEXISTS", "HKEYS", "HVALS"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 4]))], same=sets.same_shape),
            step("FLUSHDB")]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("OBJECT", "ENCODING", name), step("TTL", name), step("HLEN", name),
                  step("HGETALL", name, same=same_all)]
    return steps

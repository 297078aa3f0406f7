"""Sets: SADD to SSCAN, on a few keys, of which one may be a string."""

KEYS = ["a", "b", "c", "d"]
NUMBERS = ["0", "-1", "1", "2", "3", "10", "100", "-0", "007", "+5", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "1.5"]
WORDS = ["", "x", "y", "zz", "x" * 70, "\x00\xff", "a b", "*", "[a"]
# Enough of them are longer than a record of ours has.
LONG = [f"long member {number:012d}" for number in range(400)]
# Beyond what pages of ours have; some begin alike.
LONGEST = ["m" * 1500 + "a", "m" * 1500 + "b", "m" * 1500, "m" * 1024, "m" * 1025, "n" * 4000, "m" * 1300 + "z"]
COUNTS = ["0", "1", "2", "5", "100", "-1", "-5", "x", "", "1.5", "9223372036854775807", "9223372036854775808",
          "-9223372036854775808"]


def elements(tree):
    return tree[0], sorted(tree[1], key=repr) if isinstance(tree[1], list) else tree[1]


def same_members(theirs, ours):
    """Members of a set, or of a combination: their order is that of a hash table's slots."""
    return elements(theirs) == elements(ours)


def same_page(theirs, ours):
    """SSCAN: the cursor is compared; the order is that of a hash table's slots."""
    if not isinstance(theirs[1], list) or not isinstance(ours[1], list):
        return theirs == ours
    return theirs[1][0] == ours[1][0] and same_members(theirs[1][1], ours[1][1])


def same_shape(theirs, ours):
    """Members at random: which, means nothing; how many, does."""
    if isinstance(theirs[1], list) and isinstance(ours[1], list):
        return theirs[0] == ours[0] and len(theirs[1]) == len(ours[1])
    return theirs[0] == ours[0] and (theirs[1] is None) == (ours[1] is None)


def key(source):
    return source.choice(KEYS) if source.random() < 0.95 else source.choice(["string", "absent", ""])


def keys(source):
    return [key(source) for _ in range(source.choice([1, 1, 2, 2, 3, 4]))]


def member(source):
    kind = source.random()
    if kind < 0.03:
        return source.choice(LONGEST)
    if kind < 0.5:
        return str(source.randrange(-5, 30))
    if kind < 0.6:
        return source.choice(LONG)
    return source.choice(NUMBERS) if kind < 0.7 else source.choice(WORDS)


def members(source):
    return [member(source) for _ in range(source.choice([1, 1, 1, 2, 3, 8]))]


def combination(source, step):
    name = source.choice(["SINTER", "SUNION", "SDIFF", "SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE", "SINTERCARD"])
    if name.endswith("STORE"):
        return [step(name, key(source), *keys(source))]
    if name != "SINTERCARD":
        return [step(name, *keys(source), same=same_members)]
    named = keys(source)
    number = len(named) if source.random() < 0.9 else source.choice(COUNTS)
    limit = ["LIMIT", source.choice(COUNTS)] if source.random() < 0.4 else []
    return [step(name, number, *named, *limit)]


def scan(source, step):
    words = ["SSCAN", key(source), source.choice(["0", "0", "0", "x"])]
    if source.random() < 0.3:
        words += ["MATCH", source.choice(["*", "1*", "x?", "[0-9]", ""])]
    if source.random() < 0.3:
        words += ["COUNT", source.choice(["1000", "1000", "0", "x", "-1"])]
    else:
        words += ["COUNT", "1000"]
    return [step(*words, same=same_page)]


def pop(source, step):
    """What is popped is not the same, so the key is emptied behind it."""
    name = key(source)
    count = [source.choice(COUNTS)] if source.random() < 0.6 else []
    return [step("SPOP", name, *count, same=same_shape), step("SCARD", name), step("DEL", name)]


def random_members(source, step):
    count = [source.choice(["0", "1", "2", "5", "100", "-1", "-5", "x", "9223372036854775808"])]
    return [step("SRANDMEMBER", key(source), *(count if source.random() < 0.7 else []), same=same_shape)]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("STRLEN", name)])]


def many(source, step):
    """So many that the set becomes long, or goes."""
    first = source.randrange(150)
    chosen = LONG[first:first + source.randrange(100, 300)]
    return [step(source.choice(["SADD", "SADD", "SADD", "SREM", "SMISMEMBER"]), key(source), *chosen)]


def make(source, step):
    if source.random() < 0.08:
        return many(source, step)
    kind = source.random()
    if kind < 0.3:
        return [step("SADD", key(source), *members(source))]
    if kind < 0.42:
        return [step("SREM", key(source), *members(source))]
    if kind < 0.5:
        return [step("SMOVE", key(source), key(source), member(source))]
    if kind < 0.65:
        return combination(source, step)
    if kind < 0.69:
        return pop(source, step)
    if kind < 0.74:
        return random_members(source, step)
    if kind < 0.79:
        return scan(source, step)
    if kind < 0.9:
        return [source.choice([
            step("SCARD", key(source)), step("SISMEMBER", key(source), member(source)),
            step("SMISMEMBER", key(source), *members(source)),
            step("SMEMBERS", key(source), same=same_members)])]
    if kind < 0.98:
        return other(source, step)
    name = source.choice(["SADD", "SREM", "SCARD", "SMOVE", "SINTERCARD", "SISMEMBER", "SMEMBERS", "SPOP", "SSCAN"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 4]))], same=same_shape), step("FLUSHDB")]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("OBJECT", "ENCODING", name), step("TTL", name),
                  step("SMEMBERS", name, same=same_members)]
    return steps

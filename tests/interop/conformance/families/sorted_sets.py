"""Sorted sets: ZADD to ZSCAN, on a few keys, of which one may be a set or a string."""

from families import sets

KEYS = ["a", "b", "c", "d"]
SCORES = ["0", "-0", "1", "-1", "2", "3.3", "0.1", "0.2", "0.30000000000000004", "1e20", "-1e-5", "1e300", "1e-320",
          "inf", "-inf", "+inf", "Infinity", "nan", "-nan", "1e400", "1e-400", "x", "", " 1", "1 ", "0x10", "0x1.8p3",
          "0x", "0x.8", "0x1p-1074", "0x1p-1080", "0x1p2000", "1.", ".5", ".", "1e", "1e+", "--1", "+5", "1_0",
          "9007199254740993", "123456789012345678", "4503599627370497", "3.141592653589793238", "-0.0", "00012",
          "1e17", "1e16", "123456.789e3", "0x1.fffffffffffff8p0", "0x1.00000000000008p0", "5e-324", "2.5e-324"]
MEMBERS = ["", "x", "y", "zz", "x" * 70, "\x00\xff", "a b", "*", "10", "-0", "9223372036854775807"]
COUNTS = sets.COUNTS
RANKS = ["0", "1", "2", "5", "-1", "-2", "-5", "100", "-100", "x", "9223372036854775807", "-9223372036854775808", "1.5"]
LEX_ENDS = ["-", "+", "[a", "(a", "[c", "(c", "[e", "(zz", "[", "(", "a", "", "[\xff", "--", "-\x00", "+x",
            "[" + "m" * 1500 + "a", "(" + "m" * 1500 + "a", "[" + "m" * 1024, "(" + "m" * 1400]

same_shape = sets.same_shape


def key(source):
    return source.choice(KEYS) if source.random() < 0.93 else source.choice(["string", "set", "absent", ""])


def keys(source):
    return [key(source) for _ in range(source.choice([1, 2, 2, 3, 4]))]


def score(source):
    kind = source.random()
    if kind < 0.5:
        return str(source.randrange(-5, 15))
    if kind < 0.75:
        return repr(source.uniform(-100, 100))
    return source.choice(SCORES)


def member(source):
    if source.random() < 0.08:
        return source.choice(sets.LONG if source.random() < 0.6 else sets.LONGEST)
    return source.choice("abcdefgh") if source.random() < 0.8 else source.choice(MEMBERS)


def members(source):
    return [member(source) for _ in range(source.choice([1, 1, 2, 3]))]


def good_score(source):
    return str(source.randrange(-5, 15)) if source.random() < 0.7 else source.choice(
        ["0.1", "0.2", "-0", "1e20", "3.3", "inf", "-inf", "1e-320", "1.5e-7", "123456789.125"])


def add(source, step):
    options = source.choices(["NX", "XX", "GT", "LT", "CH", "INCR", "ch", "word"], [3, 3, 3, 3, 4, 3, 1, .3],
                             k=source.choice([0, 0, 0, 0, 1, 1, 2, 3]))
    pairs = []
    # Most sequences need members, so most scores are numbers.
    one = good_score if source.random() < 0.8 else score
    for _ in range(source.choice([1, 1, 1, 2, 3, 8])):
        pairs += [one(source), member(source)]
    if source.random() < 0.03:
        pairs.pop()
    return [step("ZADD", key(source), *options, *pairs)]


def score_end(source):
    return ("(" if source.random() < 0.3 else "") + (score(source) if source.random() < 0.9 else "")


def lex_end(source):
    return source.choice(LEX_ENDS) if source.random() < 0.5 else source.choice("[(") + member(source)


def limit(source):
    if source.random() < 0.6:
        return []
    return ["LIMIT", source.choice(["0", "1", "2", "-1", "x", "10"]), source.choice(["0", "1", "2", "5", "-1", "-5", "x"])]


def same_scores(source, step, name):
    """Ranges by member mean something only if all scores are equal."""
    pairs = []
    for each in set(members(source) + members(source)):
        pairs += ["0", each]
    if source.random() < 0.2:
        for each in sets.LONG[:source.randrange(100, 300)]:
            pairs += ["0", each]
    return [step("DEL", name), step("ZADD", name, *pairs)]


def ends(source, kind):
    if kind == "rank":
        return [source.choice(RANKS), source.choice(RANKS)]
    return [score_end(source), score_end(source)] if kind == "score" else [lex_end(source), lex_end(source)]


def ranges(source, step):
    kind = source.choice(["rank", "score", "lex"])
    name = key(source)
    before = same_scores(source, step, name) if kind == "lex" else []
    form = source.random()
    with_scores = ["WITHSCORES"] if source.random() < (0.05 if kind == "lex" else 0.4) else []
    if form < 0.45:
        by = {"rank": [], "score": ["BYSCORE"], "lex": ["BYLEX"]}[kind]
        options = by + (["REV"] if source.random() < 0.4 else []) + limit(source) + with_scores
        if source.random() < 0.1:
            source.shuffle(options)
        words = ["ZRANGE", name, *ends(source, kind), *options]
        if source.random() < 0.25:
            words = ["ZRANGESTORE", key(source)] + words[1:len(words) - len(with_scores)]
        return before + [step(*words)]
    if form < 0.75:
        command = {"rank": ["ZREVRANGE"], "score": ["ZRANGEBYSCORE", "ZREVRANGEBYSCORE"],
                   "lex": ["ZRANGEBYLEX", "ZREVRANGEBYLEX"]}[kind]
        extra = limit(source) + with_scores
        return before + [step(source.choice(command), name, *ends(source, kind), *extra)]
    if form < 0.88:
        command = {"rank": "ZRANGE", "score": "ZCOUNT", "lex": "ZLEXCOUNT"}[kind]
        return before + [step(command, name, *ends(source, kind))]
    command = {"rank": "ZREMRANGEBYRANK", "score": "ZREMRANGEBYSCORE", "lex": "ZREMRANGEBYLEX"}[kind]
    return before + [step(command, name, *ends(source, kind))]


def combination(source, step):
    name = source.choice(["ZUNION", "ZINTER", "ZDIFF", "ZINTERCARD", "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"])
    named = keys(source)
    number = len(named) if source.random() < 0.93 else source.choice(COUNTS)
    options = []
    if source.random() < 0.35:
        options += ["WEIGHTS"] + [good_score(source) if source.random() < .95 else score(source) for _ in named]
    if source.random() < 0.35:
        options += ["AGGREGATE", source.choice(["SUM", "MIN", "MAX", "sum", "x"])]
    if source.random() < 0.35:
        options.append("WITHSCORES")
    if source.random() < 0.1 or (name == "ZINTERCARD" and source.random() < 0.5):
        options += ["LIMIT", source.choice(COUNTS)]
    if name in ("ZINTERCARD", "ZDIFF", "ZDIFFSTORE") and source.random() < 0.7:
        options = options[-2:] if options[-2:-1] == ["LIMIT"] else options[-1:] if options[-1:] == ["WITHSCORES"] else []
    destination = [key(source)] if name.endswith("STORE") else []
    return [step(name, *destination, number, *named, *options)]


def pops(source, step):
    count = source.choice(COUNTS)
    if source.random() < 0.5:
        return [step(source.choice(["ZPOPMIN", "ZPOPMAX"]), key(source), *([count] if source.random() < 0.6 else []))]
    named = keys(source)
    number = len(named) if source.random() < 0.9 else source.choice(COUNTS)
    options = ["COUNT", count] if source.random() < 0.5 else []
    if source.random() < 0.05:
        options += source.choice([["COUNT", "1"], ["x"], ["COUNT"]])
    return [step("ZMPOP", number, *named, source.choice(["MIN", "MAX", "min", "x"] if source.random() < 0.2 else
                                                         ["MIN", "MAX"]), *options)]


def random_members(source, step):
    count = [source.choice(["0", "1", "2", "5", "100", "-1", "-5", "x", "9223372036854775808", "4611686018427387904"])]
    words = count + (["WITHSCORES"] if source.random() < 0.4 else []) if source.random() < 0.7 else []
    return [step("ZRANDMEMBER", key(source), *words, same=same_shape)]


def same_page(theirs, ours):
    """ZSCAN: the cursor is compared; the order is that of a hash table's slots once there is one."""
    if not isinstance(theirs[1], list) or not isinstance(ours[1], list):
        return theirs == ours

    def pairs(tree):
        texts = tree[1][1][1]
        return sorted(zip(texts[::2], texts[1::2]), key=repr)
    return theirs[1][0] == ours[1][0] and pairs(theirs) == pairs(ours)


def scan(source, step):
    words = ["ZSCAN", key(source), source.choice(["0", "0", "0", "x"])]
    if source.random() < 0.3:
        words += ["MATCH", source.choice(["*", "a*", "x?", "[a-c]", ""])]
    words += ["COUNT", source.choice(["1000", "1000", "1000", "0", "x", "-1"])]
    return [step(*words, same=same_page)]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("SADD", name, *members(source)),
        step("SADD", "set", *members(source)), step("SMEMBERS", name, same=sets.same_members)])]


def reads(source, step):
    name = key(source)
    return [source.choice([
        step("ZCARD", name), step("ZSCORE", name, member(source)), step("ZMSCORE", name, *members(source)),
        step("ZRANK", name, member(source)), step("ZREVRANK", name, member(source))])]


def many(source, step):
    """So many that the sorted set becomes long, or goes."""
    first = source.randrange(150)
    chosen = sets.LONG[first:first + source.randrange(100, 300)]
    command = source.choice(["ZADD", "ZADD", "ZADD", "ZREM", "ZMSCORE"])
    pairs = [word for each in chosen for word in ((good_score(source), each) if command == "ZADD" else (each,))]
    return [step(command, key(source), *pairs)]


def make(source, step):
    if source.random() < 0.08:
        return many(source, step)
    kind = source.random()
    for share, one in ((0.3, add), (0.6, ranges), (0.72, combination), (0.77, pops), (0.8, random_members),
                       (0.83, scan), (0.88, reads), (0.95, other)):
        if kind < share:
            return one(source, step)
    if kind < 0.98:
        name = source.choice(["ZREM", "ZINCRBY"])
        words = members(source) if name == "ZREM" else [score(source), member(source)]
        return [step(name, key(source), *words)]
    name = source.choice([
        "ZADD", "ZREM", "ZCARD", "ZSCORE", "ZINCRBY", "ZRANGE", "ZRANGESTORE", "ZREVRANGE", "ZUNION", "ZUNIONSTORE",
        "ZMPOP", "ZPOPMIN", "ZSCAN", "ZRANK", "ZINTERCARD", "ZMSCORE", "ZCOUNT", "ZLEXCOUNT", "ZRANDMEMBER"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 4]))], same=same_shape), step("FLUSHDB")]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("OBJECT", "ENCODING", name), step("TTL", name),
                  step("ZRANGE", name, "0", "-1", "WITHSCORES"), step("ZCARD", name)]
    return steps

"""Names of more than a page of ours has: members and fields that begin alike, in collections of a few and of many.

Each type has keys of its own, so that most commands find what they are about.
"""

import collections
import hashlib

from families import hashes, sets

WEIGHT = 10

HASHES, LISTS, SETS, SORTED = ["h", "i"], ["l", "k"], ["s", "t"], ["y", "z"]

# A name of more than 1,024 bytes lies in a block; one of 1,280 had been the longest.
LENGTHS = [1, 8, 32, 243, 1023, 1024, 1025, 1026, 1032, 1056, 1279, 1280, 1281, 1500, 2047, 2048, 2049, 4096, 9000]
LONGEST = [65_536, 300_000]
ALPHABET = "ab\x00\xff"


def begins(length):
    return "m" * length


def name(source):
    kind = source.random()
    if kind < 0.01:
        return begins(source.choice(LONGEST)) + source.choice(ALPHABET)
    if kind < 0.2:
        return begins(source.choice(LENGTHS))
    if kind < 0.5:  # They differ around the first 1,024 bytes.
        text = list(begins(source.choice(LENGTHS[4:])))
        text[source.choice([0, 7, 255, 1021, 1022]) if source.random() < 0.3 else -1] = source.choice(ALPHABET)
        return "".join(text)
    if kind < 0.9:
        return many_of(source.randrange(400))
    return source.choice(["", "a", "m", "x" * 70, "7", "12345"])


def many_of(number):
    """One of many, that begin alike; where each stands among them is as if at random."""
    digest = hashlib.sha1(b"%d" % number).hexdigest()[:12]
    return begins(1018 + number % 7) + digest + "t" * (number % 5 * 100)


def names(source):
    if source.random() < 0.12:
        first = source.randrange(300)
        chosen = [many_of(number) for number in range(first, first + source.randrange(20, 100))]
        source.shuffle(chosen)
        return chosen
    return [name(source) for _ in range(source.choice([1, 1, 1, 2, 3, 8]))]


def score(source):
    return str(source.choice([0, 0, 0, 0, 1, 1, 2, -1, 0.5, "inf", "-inf", "-0"]))


def pattern(source):
    return source.choice(["*", "m*", "*a", begins(1024) + "*", begins(1500), "*\xff", "[a-z]*t", "x*"])


def lex_end(source):
    kind = source.random()
    if kind < 0.2:
        return source.choice("-+")
    text = name(source)
    if kind < 0.5 and text:
        text = text[:source.choice([1023, 1024, 1025, 1030, len(text) - 1])]
    return source.choice("[(") + text


def same_page(theirs, ours):
    """A page of HSCAN and the like: ours may end before Redis's, where what it has looked at is long."""
    if not isinstance(theirs[1], list) or not isinstance(ours[1], list):
        return theirs == ours
    told, whole = (collections.Counter(hashes.leaves(tree[1][1])) for tree in (ours, theirs))
    return told == whole if ours[1][0] == theirs[1][0] else told <= whole


def of_hashes(source, step):
    key, field = source.choice(HASHES), name(source)
    value = source.choice(["", "1", "-5", "v" * 64, "v" * 1500, "2.5", "w" * 70000])
    page = [*(["MATCH", pattern(source)] if source.random() < 0.5 else []), "COUNT", "2000"]
    count = source.choice(["1", "5", "-5", "1000"])
    return [
        step("HSET", key, *[word for each in names(source) for word in (each, value)]),
        step("HDEL", key, *names(source)),
        step("HSETNX", key, field, value),
        step("HINCRBY", key, field, "3"),
        step("HINCRBYFLOAT", key, field, "0.5"),
        step("HGET", key, field),
        step("HMGET", key, *names(source)),
        step("HSTRLEN", key, field),
        step("HEXISTS", key, field),
        step("HGETALL", key, same=hashes.same_all),
        step("HKEYS", key, same=hashes.same_fields),
        step("HVALS", key, same=hashes.same_fields),
        step("HSCAN", key, "0", *page, same=same_page),
        step("HRANDFIELD", key, count, same=sets.same_shape),
        step("HLEN", key)]


def of_sets(source, step):
    key, both = source.choice(SETS), source.sample(SETS, 2)
    page = [*(["MATCH", pattern(source)] if source.random() < 0.5 else []), "COUNT", "2000"]
    limit = ["LIMIT", source.choice(["0", "1", "5"])] if source.random() < 0.5 else []
    return [
        step("SADD", key, *names(source)),
        step("SADD", key, *names(source)),
        step("SREM", key, *names(source)),
        step("SMOVE", *both, name(source)),
        step("SISMEMBER", key, name(source)),
        step("SMISMEMBER", key, *names(source)),
        step("SMEMBERS", key, same=sets.same_members),
        step("SSCAN", key, "0", *page, same=same_page),
        step("SINTER", *both, same=sets.same_members),
        step("SDIFF", *both, same=sets.same_members),
        step("SUNION", *both, same=sets.same_members),
        step(source.choice(["SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE"]), key, *both),
        step("SINTERCARD", "2", *both, *limit),
        step("SRANDMEMBER", key, source.choice(["1", "7", "-7", "1000"]), same=sets.same_shape),
        step("SCARD", key)]


def of_sorted_sets(source, step):
    key, both, member = source.choice(SORTED), source.sample(SORTED, 2), name(source)
    pairs = [word for each in names(source) for word in (score(source), each)]
    options = source.choice([[], [], ["GT"], ["LT", "CH"], ["NX"], ["XX", "CH"]])
    by_score = [score(source), score(source)]
    ranks = [source.randrange(-9, 9), source.randrange(-9, 9)] if source.random() < 0.5 else ["0", "-1"]
    limit = ["LIMIT", source.randrange(4), source.choice(["-1", "1", "5"])] if source.random() < 0.4 else []
    page = [*(["MATCH", pattern(source)] if source.random() < 0.5 else []), "COUNT", "2000"]
    reversed_ = ["REV"] if source.random() < 0.4 else []
    return [
        step("ZADD", key, *options, *pairs),
        step("ZADD", key, *pairs),
        step("ZADD", key, *source.choice([["INCR"], ["INCR", "GT"], ["INCR", "NX"], ["INCR", "XX"]]), *pairs[:2]),
        step("ZINCRBY", key, source.choice(["0", "1", "-0.5"]), member),
        step("ZREM", key, *names(source)),
        step("ZSCORE", key, member),
        step("ZMSCORE", key, *names(source)),
        step(source.choice(["ZRANK", "ZREVRANK"]), key, member),
        step("ZRANGE", key, *ranks, *reversed_, "WITHSCORES"),
        step("ZRANGE", key, *by_score, "BYSCORE", *reversed_, *limit),
        step("ZCOUNT", key, *by_score),
        step("ZRANGESTORE", *both, *ranks, *reversed_),
        step("ZRANGESTORE", *both, *by_score, "BYSCORE", *reversed_, *limit),
        step("ZREMRANGEBYSCORE", key, *by_score),
        step("ZREMRANGEBYRANK", key, *ranks[:1], source.randrange(0, 9)),
        step(source.choice(["ZPOPMIN", "ZPOPMAX"]), key, source.choice(["1", "3", "40"])),
        step(source.choice(["ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"]), key, "2", *both),
        step(source.choice(["ZUNION", "ZINTER", "ZDIFF"]), "2", *both, "WITHSCORES"),
        step("ZINTERCARD", "2", *both),
        step("ZUNIONSTORE", key, "2", source.choice(SETS), key, "AGGREGATE", "MIN"),
        step("ZSCAN", key, "0", *page, same=same_page),
        step("ZRANDMEMBER", key, source.choice(["1", "7", "-7", "1000"]), same=sets.same_shape)]


def by_name(source, step):
    """Ranges by member mean something only if all scores are equal."""
    key, other = source.sample(SORTED, 2)
    ends = [lex_end(source), lex_end(source)]
    options = (["REV"] if source.random() < 0.4 else []) + (
        ["LIMIT", source.randrange(4), source.choice(["-1", "1", "5"])] if source.random() < 0.4 else [])
    pairs = [word for each in names(source) + names(source) for word in ("0", each)]
    return [
        step("DEL", key), step("ZADD", key, *pairs), step("ZRANGE", key, *ends, "BYLEX", *options),
        step("ZLEXCOUNT", key, *ends), step("ZRANGESTORE", other, key, *ends, "BYLEX", *options),
        step("ZREMRANGEBYLEX", key, *ends), step("ZCARD", key)]


def of_lists(source, step):
    key, both, element = source.choice(LISTS), source.sample(LISTS, 2), name(source)
    number = source.randrange(-6, 7)
    return [
        step(source.choice(["LPUSH", "RPUSH"]), key, *names(source)),
        step("LREM", key, number, element),
        step("LPOS", key, element, "COUNT", "0"),
        step("LINSERT", key, source.choice(["BEFORE", "AFTER"]), element, name(source)),
        step("LSET", key, number, element),
        step("LINDEX", key, number),
        step("LRANGE", key, number, "-1"),
        step("LTRIM", key, source.randrange(3), "-1"),
        step("LPOP", key, source.choice(["1", "3", "20"])),
        step("LMOVE", *both, "LEFT", source.choice(["LEFT", "RIGHT"])),
        step("SORT", source.choice([key, source.choice(SETS), source.choice(SORTED)]), "ALPHA", "LIMIT", "0", "50",
             same=same_texts)]


def same_texts(theirs, ours):
    """SORT by texts, in part: what is alike up to a zero byte comes in any order."""
    def compared(tree):
        return [text.split(b"\0")[0] for _, text in tree[1]] if isinstance(tree[1], list) else tree[1]
    return theirs[0] == ours[0] and compared(theirs) == compared(ours)


def of_keys(source, step):
    keys = source.choice([HASHES, LISTS, SETS, SORTED])
    key, both = source.choice(keys), source.sample(keys, 2)
    return [
        step("COPY", *both, "REPLACE"), step("COPY", *both), step("RENAME", *both), step("DEL", key),
        step("TYPE", key), step("EXPIRE", key, "100"), step("PERSIST", key)]


def popped(source, step):
    """What is popped is not the same, so the key is emptied behind it."""
    key = source.choice(SETS)
    return [step("SPOP", key, source.choice(["1", "5", "90", "1000"]), same=sets.same_shape), step("SCARD", key),
            step("DEL", key)]


def make(source, step):
    kind = source.random()
    if kind < 0.03:
        return popped(source, step)
    if kind < 0.07:
        return by_name(source, step)
    for share, one in ((0.38, of_sorted_sets), (0.6, of_hashes), (0.82, of_sets), (0.92, of_lists)):
        if kind < share:
            return [source.choice(one(source, step))]
    return [source.choice(of_keys(source, step))]


def ending(step):
    steps = []
    for key in HASHES:
        steps += [step("HLEN", key), step("HGETALL", key, same=hashes.same_all)]
    for key in SETS:
        steps += [step("SCARD", key), step("SMEMBERS", key, same=sets.same_members)]
    for key in SORTED:
        steps += [step("ZCARD", key), step("ZRANGE", key, "0", "-1", "WITHSCORES")]
    return steps + [step("LRANGE", key, "0", "-1") for key in LISTS]

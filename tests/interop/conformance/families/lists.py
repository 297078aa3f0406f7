"""Lists: LPUSH to LMPOP, on a few keys, of which one may be a string; some are longer than a record of ours."""

KEYS = ["a", "b", "c", "d"]
NUMBERS = ["0", "1", "2", "-1", "-2", "3", "-0", "007", "+5", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "1.5", "x", ""]
# Enough of them are longer than a record of ours has.
LONG = [f"long element {number:012d}" for number in range(400)]
WORDS = ["", "x", "y", "zz", "x" * 70, "y" * 300, "\x00\xff", "a b"]


def key(source):
    return source.choice(KEYS) if source.random() < 0.95 else source.choice(["string", "absent", ""])


def element(source):
    if source.random() < 0.03:
        return source.choice(LONG + ["z" * 1300, "z" * 5000])
    return str(source.randrange(-3, 6)) if source.random() < 0.8 else source.choice(WORDS)


def elements(source):
    if source.random() < 0.04:
        first = source.randrange(200)
        return LONG[first:first + 200]
    return [element(source) for _ in range(source.choice([1, 1, 1, 2, 3, 6]))]


def number(source):
    return source.randrange(-8, 9) if source.random() < 0.85 else source.choice(NUMBERS)


def end(source):
    return source.choice(["LEFT", "RIGHT", "left", "Right"]) if source.random() < 0.97 else "MIDDLE"


def position(source, step):
    words = ["LPOS", key(source), element(source)]
    for name in source.sample(["RANK", "COUNT", "MAXLEN"], source.choice([0, 1, 1, 2, 3])):
        words += [name, number(source)]
    return [step(*words[:source.choice([99, 99, 99, 4])])]


def pop_of_many(source, step):
    keys = [key(source) for _ in range(source.choice([1, 2, 3]))]
    count = len(keys) if source.random() < 0.9 else source.choice(NUMBERS)
    return [step("LMPOP", count, *keys, end(source), *(["COUNT", number(source)] if source.random() < 0.5 else []))]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("RENAME", name, key(source)), step("COPY", name, key(source), "REPLACE"), step("EXPIRE", name, "100"),
        step("TTL", name), step("EXISTS", name), step("GET", name), step("SADD", name, "x")])]


def make(source, step):
    kind = source.random()
    if kind < 0.3:
        name = source.choice(["LPUSH", "RPUSH", "LPUSH", "RPUSH", "LPUSHX", "RPUSHX"])
        return [step(name, key(source), *elements(source))]
    if kind < 0.42:
        count = [number(source)] if source.random() < 0.5 else []
        return [step(source.choice(["LPOP", "RPOP"]), key(source), *count)]
    if kind < 0.52:
        return [source.choice([
            step("LMOVE", key(source), key(source), end(source), end(source)),
            step("RPOPLPUSH", key(source), key(source))])]
    if kind < 0.56:
        return pop_of_many(source, step)
    if kind < 0.62:
        return position(source, step)
    if kind < 0.7:
        return [source.choice([
            step("LINSERT", key(source), source.choice(["BEFORE", "AFTER", "after", "BESIDE"]), element(source),
                 element(source)),
            step("LSET", key(source), number(source), element(source))])]
    if kind < 0.78:
        return [source.choice([
            step("LREM", key(source), number(source), element(source)),
            step("LTRIM", key(source), number(source), number(source))])]
    if kind < 0.9:
        return [source.choice([
            step("LLEN", key(source)), step("LRANGE", key(source), number(source), number(source)),
            step("LRANGE", key(source), "0", "-1"), step("LINDEX", key(source), number(source))])]
    if kind < 0.98:
        return other(source, step)
    name = source.choice(["LPUSH", "LPOP", "LMOVE", "LMPOP", "LPOS", "LREM", "LTRIM", "LSET", "LINSERT", "LRANGE"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 4]))])]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("TTL", name), step("LRANGE", name, "0", "-1")]
    return steps

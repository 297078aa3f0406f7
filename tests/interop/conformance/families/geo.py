"""Points: GEOADD to GEOSEARCHSTORE, on a few keys, of which one may be a string or have scores that are no points.

Left out is which of several members at the same distance come first where COUNT takes a part: Redis sorts only a part.
"""

KEYS = ["a", "b", "c"]
LONGITUDES = ["0", "180", "-180", "179.999999", "-179.999999", "90", "-90", "1e-10", "13.361389", "15.087269", "-0"]
LATITUDES = ["0", "85.05112878", "-85.05112878", "85", "-85", "80.5", "-80.5", "66.5", "-66.5", "38.115556", "-0"]
WRONG_DEGREES = ["181", "-181", "86", "-86", "nan", "inf", "-inf", "x", "", "1e309", "1e300", "0x10", " 1", "85.05112879"]
LENGTHS = ["0", "1", "100", "200000", "5000000", "10000000", "20037726.37", "20037726.38", "25000000", "1e300", "inf",
           "1e-300", "0.0001", "5e-324"]
WRONG_LENGTHS = ["-1", "-0", "nan", "x", "", "1e400", "-inf"]
UNITS = ["m", "km", "ft", "mi", "M", "Km"]
MEMBERS = ["a", "b", "c", "d", "e", "f", "g", "", "x" * 70, "\x00\xff", "10"]
COUNTS = ["1", "1", "2", "3", "5", "100", "0", "-1", "x", "9223372036854775807", "9223372036854775808"]
SCORES = ["0", "-1", "1", "3.7", "1e300", "-1e300", "inf", "-inf", "4503599627370496", "4503599627370495",
          "18446744073709551615", "18446744073709549568", "9223372036854775808", "-9223372036854775808", "-0.5"]


def parts(tree):
    """The distances of a reply, in its order, and how long it is."""
    if not isinstance(tree[1], list):
        return tree
    return [each[1][1] if isinstance(each[1], list) else None for each in tree[1]]


def same_distances(theirs, ours):
    return parts(theirs) == parts(ours)


def key(source):
    return source.choice(KEYS) if source.random() < 0.94 else source.choice(["string", "absent", ""])


def member(source):
    return source.choice(MEMBERS)


def degree(source, limit, edges):
    kind = source.random()
    if kind < 0.75:
        return repr(source.uniform(-limit, limit))
    if kind < 0.9:
        return str(source.randrange(-int(limit), int(limit)))
    return source.choice(edges)


def position(source):
    if source.random() < 0.03:
        return [source.choice(WRONG_DEGREES + ["5"]), source.choice(WRONG_DEGREES + ["5"])]
    if source.random() < 0.3:  # Some that are near each other.
        return [repr(13.3 + source.random() / 10), repr(38.1 + source.random() / 10)]
    return [degree(source, 180, LONGITUDES), degree(source, 85.05, LATITUDES)]


def length(source):
    kind = source.random()
    if kind < 0.5:
        return repr(10 ** source.uniform(0, 7.4))
    return source.choice(LENGTHS if kind < 0.96 else WRONG_LENGTHS)


def unit(source):
    return source.choice(UNITS) if source.random() < 0.97 else source.choice(["cm", "", "kmm"])


def add(source, step):
    words = source.choices(["NX", "XX", "CH", "ch", "GT"], [3, 2, 4, 1, .2], k=source.choice([0, 0, 0, 1, 1, 2]))
    for _ in range(source.choice([1, 2, 3, 8])):
        words += position(source) + [member(source)]
    if source.random() < 0.03:
        words.pop()
    return [step("GEOADD", key(source), *words)]


def many(source, step):
    """More than a few, so that cells have some each."""
    words = []
    for i in range(40):
        words += position(source) + [f"m{i}"]
    return [step("GEOADD", key(source), *words)]


def options(source, may_have_parts, words):
    chosen = []
    if may_have_parts:
        chosen += [[each] for each in ("WITHCOORD", "WITHDIST", "WITHHASH", "withdist") if source.random() < 0.3]
    if source.random() < 0.4:
        chosen.append([source.choice(["ASC", "DESC", "asc"])])
    if source.random() < 0.35:
        count = ["COUNT", source.choice(COUNTS)]
        chosen.append(count + (["ANY"] if source.random() < 0.4 else []))
    elif source.random() < 0.05:
        chosen.append(["ANY"])
    if source.random() < 0.02:
        chosen.append([source.choice(["COUNT", "word", "STORE", "STOREDIST", "FROMMEMBER", "BYBOX"])])
    chosen += words
    source.shuffle(chosen)
    return [word for each in chosen for word in each]


def search_step(source, step, words):
    """With COUNT, only distances are compared, which must be asked for."""
    names = [str(word).upper() for word in words]
    if "COUNT" in names and "ANY" not in names and "WITHDIST" in names:
        return step(*words, same=same_distances)
    if "COUNT" in names and "ANY" not in names:
        words = [word for word, name in zip(words, names) if name != "COUNT" and word not in COUNTS[:6]]
    return step(*words)


def radius(source, step):
    by_member = source.random() < 0.5
    read_only = source.random() < 0.4
    name = ("GEORADIUSBYMEMBER" if by_member else "GEORADIUS") + ("_RO" if read_only else "")
    center = [member(source)] if by_member else position(source)
    store = []
    if not read_only and source.random() < 0.3 or source.random() < 0.03:
        store = [[source.choice(["STORE", "STOREDIST"]), source.choice(KEYS)]]
    words = options(source, not store or source.random() < 0.1, store)
    words = [name, key(source), *center, length(source), unit(source), *words]
    if store:
        words = [word for word in words if word not in ("COUNT", "ANY")] if source.random() < 0.5 else words
        return [stored(step, words), show(step, store[0][1])]
    return [search_step(source, step, words)]


def stored(step, words):
    names = [str(word).upper() for word in words]
    if "COUNT" in names and "ANY" not in names:
        words = [word for word, name in zip(words, names) if name != "COUNT" and word not in COUNTS[:6]]
    return step(*words)


def show(step, name):
    return step("ZRANGE", name, "0", "-1", "WITHSCORES")


def search(source, step):
    store = source.random() < 0.3
    center = [["FROMMEMBER", member(source)] if source.random() < 0.5 else ["FROMLONLAT", *position(source)]]
    shape = [["BYRADIUS", length(source), unit(source)] if source.random() < 0.5 else
             ["BYBOX", length(source), length(source), unit(source)]]
    fixed = center + shape
    kind = source.random()
    if kind < 0.02:
        fixed = fixed[:1]
    elif kind < 0.04:
        fixed = fixed[1:]
    elif kind < 0.06:
        fixed += fixed[:1]
    elif kind < 0.08:
        fixed += [["FROMMEMBER", "a"], ["BYRADIUS", "1", "m"]]
    if store and source.random() < 0.4:
        fixed.append(["STOREDIST"])
    words = options(source, not store or source.random() < 0.1, fixed)
    if store:
        destination = source.choice(KEYS)
        return [stored(step, ["GEOSEARCHSTORE", destination, key(source), *words]), show(step, destination)]
    return [search_step(source, step, [source.choice(["GEOSEARCH", "geosearch"]), key(source), *words])]


def reads(source, step):
    name = key(source)
    members = [member(source) for _ in range(source.choice([0, 1, 2, 5, 20]))]
    return [source.choice([
        step("GEOPOS", name, *members), step("GEOHASH", name, *members),
        step("GEODIST", name, member(source), member(source), *([unit(source)] if source.random() < 0.5 else [])),
        step("GEODIST", name, member(source), member(source), "m", *(["x"] if source.random() < 0.1 else [])),
        step("ZSCORE", name, member(source))])]


def other(source, step):
    name = key(source)
    return [source.choice([
        step("TYPE", name), step("OBJECT", "ENCODING", name), step("DEL", name), step("SET", name, "v"),
        step("ZADD", name, source.choice(SCORES), member(source)), step("ZREM", name, member(source)),
        step("EXPIRE", name, "100"), step("SADD", name, "x"), step("ZADD", name, source.choice(SCORES), member(source)),
        step("COPY", name, key(source), "REPLACE")])]


def make(source, step):
    kind = source.random()
    for share, one in ((0.25, add), (0.29, many), (0.5, radius), (0.75, search), (0.88, reads), (0.97, other)):
        if kind < share:
            return one(source, step)
    name = source.choice([
        "GEOADD", "GEODIST", "GEOHASH", "GEOPOS", "GEORADIUS", "GEORADIUS_RO", "GEORADIUSBYMEMBER",
        "GEORADIUSBYMEMBER_RO", "GEOSEARCH", "GEOSEARCHSTORE"])
    return [step(name, *[key(source) for _ in range(source.choice([0, 1, 2, 3, 4, 5, 6, 7]))])]


def ending(step):
    steps = []
    for name in KEYS:
        steps += [step("TYPE", name), step("OBJECT", "ENCODING", name), step("TTL", name), show(step, name),
                  step("GEOPOS", name, *MEMBERS), step("GEOHASH", name, *MEMBERS)]
    return steps

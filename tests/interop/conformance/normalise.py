"""The reviewed list of what may differ between Redis's replies and ours, each with its reason.

Each takes the two replies as trees of (type, value), theirs and ours, and says whether they mean the same.
"""

import re

# What we have beyond Redis 7.0, because clients of today send it.
LATER_COMMANDS = {
    b"cache", b"cache|cluster", b"cache|curve", b"cache|doctor", b"cache|events", b"cache|help", b"cache|memory",
    b"cache|package", b"cache|prefixes", b"cache|topkeys", b"cache|unsafe",
    b"client|setinfo",
    b"client|no-touch", b"commandlog",
    b"hexpire", b"hexpireat", b"hexpiretime", b"hgetdel", b"hgetex", b"hpersist", b"hpexpire", b"hpexpireat",
    b"hpexpiretime", b"hpttl", b"hsetex", b"httl",
    b"commandlog|get", b"commandlog|help", b"commandlog|len", b"commandlog|reset", b"hotkeys", b"hotkeys|get",
    b"hotkeys|help", b"hotkeys|reset", b"monitor", b"waitaof"}
LATER_HELP = (b"SETINFO", b"NO-TOUCH", b"LIST <option>")
LATER_FIELDS = rb" lib-name=\S* lib-ver=\S* tot-net-in=\d+ tot-net-out=\d+ tot-cmds=\d+ watch=\d+"

# Of INFO: the server's own name, beside the version of Redis that it is compatible with; what limits were met, for
# which Redis 7.0 has no fields; and some that later versions of it have.
OUR_INFO_FIELDS = {
    b"acl_access_denied_auth",
    b"acl_access_denied_channel",
    b"acl_access_denied_cmd",
    b"acl_access_denied_key",
    b"acl_access_denied_tls_cert",
    b"cache_version",
    b"keyspace_events_dropped",
    b"pubsub_clients",
    b"total_blocking_keys",
    b"total_watched_keys",
    b"transacting_clients",
    b"watching_clients",
    b"client_authentication_timeout_disconnections",
    b"client_idle_disconnections",
    b"client_output_buffer_limit_disconnections",
    b"client_output_timeout_disconnections",
    b"client_partial_request_disconnections",
    b"client_query_buffer_limit_disconnections",
    b"client_unauthenticated_bytes_disconnections",
    b"compressed_bytes",
    b"compressed_keys",
    b"compressed_value_bytes",
    b"compression_tries",
    b"delayed_accepts",
    b"delayed_authentications",
    b"hit_ratio_curve",
    b"http_disconnections",
    b"latency_max_usec_10s",
    b"latency_max_usec_1s",
    b"latency_max_usec_60s",
    b"latency_p99_usec_10s",
    b"maxmemory_clients",
    b"process_base_memory",
    b"protected_mode_rejections",
    b"server_name",
    b"tls_disconnections",
    b"unsafe_actions",
    b"tls_handshake_failures",
}

# How far two clocks' answers may lie apart when the servers were asked one after the other.
CLOCK_SLACK_MS = 2000

# Of a client's line: numbers that a connection or a buffer happens to have.
CLIENT_FIELDS = (
    b"id|addr|laddr|fd|age|idle|qbuf|qbuf-free|argv-mem|multi-mem|rbs|rbp|obl|oll|omem|tot-mem")

# Of HELLO: the number of the connection; the name is ours on purpose.
HELLO_FIELDS = {b"id": (b":", b"N"), b"server": (b"$", b"NAME")}


def same_elements(theirs, ours):
    """KEYS: the order is that of a hash table's slots."""
    return theirs[0] == ours[0] and sorted(theirs[1]) == sorted(ours[1])


def same_pairs(theirs, ours):
    """CONFIG GET of several names: the order is that of a hash table's slots."""
    return theirs[0] == ours[0] and sorted(pairs(theirs[1])) == sorted(pairs(ours[1]))


def same_page(theirs, ours):
    """SCAN of all keys in one page: the cursor is compared; the keys' order is that of a hash table's slots."""
    (their_cursor, their_keys), (our_cursor, our_keys) = theirs[1], ours[1]
    return their_cursor == our_cursor and same_elements(their_keys, our_keys)


def same_kind(theirs, ours):
    """RANDOMKEY and CLIENT ID: any key, any number; the type is compared."""
    return theirs[0] == ours[0] and (theirs[1] is None) == (ours[1] is None)


def near(theirs, ours):
    """What is left of a time to live, and the time itself: the servers are asked one after the other."""
    if theirs[0] != ours[0]:
        return False
    if isinstance(theirs[1], list):
        return len(theirs[1]) == len(ours[1]) and near(theirs[1][0], ours[1][0])
    return abs(int(theirs[1]) - int(ours[1])) <= CLOCK_SLACK_MS


def same_client(theirs, ours):
    """CLIENT INFO and LIST: the fields' names and order and all that is not a number of this connection."""
    def masked(tree):
        text = re.sub(LATER_FIELDS, b"", tree[1])
        return tree[0], re.sub(rb"\b(" + CLIENT_FIELDS + rb")=\S*", rb"\1=", text)
    return masked(theirs) == masked(ours)


def same_hello(theirs, ours):
    """HELLO: the connection's number and the server's name differ."""
    def masked(tree):
        values = [HELLO_FIELDS.get(key[1], value) for key, value in pairs(tree[1])]
        return tree[0], [key for key, _ in pairs(tree[1])], values
    return masked(theirs) == masked(ours)


def part_of(theirs, ours):
    """COMMAND LIST and a command's subcommands: we have some of Redis's, each as Redis has it, in any order."""
    return theirs[0] == ours[0] and len(ours[1]) > 0 and all(
        row in theirs[1] for row in ours[1] if name_of(row) not in LATER_COMMANDS)


def name_of(row):
    return row[1][0][1] if isinstance(row[1], list) else row[1]


def same_lines(theirs, ours):
    """HELP: a block for each subcommand; we have those of ours, each as Redis has it."""
    their_blocks = blocks(theirs)
    return theirs[0] == ours[0] and all(
        block in their_blocks for block in blocks(ours) if not block[0].startswith(LATER_HELP))


def blocks(tree):
    """Lines that are not indented, each with the indented ones that follow it."""
    found = []
    for _, line in tree[1]:
        if line.startswith(b" "):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def same_rows(theirs, ours):
    """COMMAND and COMMAND INFO: as above, for the commands and for the subcommands that end each row."""
    their_rows = {row[1][0]: row for row in theirs[1] if row[1]}
    return theirs[0] == ours[0] and len(ours[1]) > 0 and all(
        row[1] is None or row[1][0][1] in LATER_COMMANDS or same_row(their_rows[row[1][0]], row) for row in ours[1])


def same_row(theirs, ours):
    (*their_fields, their_subcommands), (*our_fields, our_subcommands) = theirs[1], ours[1]
    return their_fields == our_fields and (
        their_subcommands == our_subcommands or part_of(their_subcommands, our_subcommands))


def same_docs(theirs, ours):
    """COMMAND DOCS of commands with subcommands: we have some of these, and their order is that of a hash table."""
    return theirs[0] == ours[0] and same_map(theirs[1], ours[1], lambda _, one, other: same_doc(one, other))


def same_doc(theirs, ours):
    def is_same(name, one, other):
        return one == other or name[1] == b"subcommands" and all(
            pair in pairs(one[1]) for pair in pairs(other[1]) if pair[0][1] not in LATER_COMMANDS)
    return theirs[0] == ours[0] and same_map(theirs[1], ours[1], is_same)


def same_map(theirs, ours, is_same):
    return theirs[::2] == ours[::2] and all(map(is_same, theirs[::2], theirs[1::2], ours[1::2]))


def info_part_of(theirs, ours):
    """INFO: the figures differ; our sections and fields are among Redis's, sections in its order."""
    def fields(tree):
        # A field for each command, error or event that there was so far counts as one.
        return [re.sub(rb"^(cmdstat|errorstat|latency_percentiles_usec)_\w.*", rb"\1", line.split(b":")[0])
                for line in tree[1].split(b"\r\n") if line]
    their_fields, our_fields = fields(theirs), fields(ours)
    sections = [field for field in their_fields if field.startswith(b"# ") and field in our_fields]
    return (theirs[0] == ours[0] and sections == [field for field in our_fields if field.startswith(b"# ")]
            and all(field in their_fields for field in our_fields if field not in OUR_INFO_FIELDS))


def pairs(values):
    return list(zip(values[::2], values[1::2]))


NORMALISATIONS = {
    "unordered": same_elements,
    "pairs": same_pairs,
    "scan": same_page,
    "any": same_kind,
    "near": near,
    "client": same_client,
    "hello": same_hello,
    "part": part_of,
    "lines": same_lines,
    "rows": same_rows,
    "docs": same_docs,
    "info": info_part_of,
}

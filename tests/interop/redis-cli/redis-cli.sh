#!/usr/bin/env bash
# usage: redis-cli.sh PORT [OPTION...] — what a person at a terminal and a script do with Debian's redis-cli.
set -u
port=$1
shift
options=("$@")
passed=0
failed=0

cli() { redis-cli -p "$port" "${options[@]}" "$@"; }

# for_seconds SECONDS OPTION...: what does not end by itself; without a buffer, which its end would lose.
for_seconds() { timeout "$1" stdbuf -oL redis-cli -p "$port" "${options[@]}" "${@:2}" 2>&1; }

# check NAME EXPECTED ACTUAL
check() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  fi
}

check 'an empty server' OK "$(cli flushall)"
check ping PONG "$(cli ping)"
check set OK "$(cli set cli:k 'a b')"
check get 'a b' "$(cli get cli:k)"
check 'value from the standard input' OK "$(printf 'from\0stdin' | cli -x set cli:stdin)"
check 'length of it' 10 "$(cli strlen cli:stdin)"
check 'quoted on a terminal' '"a b"' "$(cli --no-raw get cli:k)"
check 'integer on a terminal' '(integer) 1' "$(cli --no-raw incr cli:n)"
check 'nil on a terminal' '(nil)' "$(cli --no-raw get cli:absent)"
check 'error' 'ERR wrong number of arguments for '"'get'"' command' "$(cli get | head -n 1)"
check 'error as exit code' 1 "$(cli -e get >/dev/null 2>&1; echo $?)"
check 'commands from the standard input' $'OK\n2\nPONG' "$(printf 'set cli:n 1\nincr cli:n\nping\n' | cli)"
check 'RESP3' OK "$(cli -3 set cli:three 3)"
check 'RESP3 greeting' '1# "server" => "cache"' "$(cli -3 --no-raw hello | head -n 1)"
check 'database' $'OK\n1' "$(printf 'set cli:db v\ndbsize\n' | cli -n 7)"
check 'flush of it' OK "$(cli -n 7 flushdb)"
check 'repeat' $'1\n2\n3' "$(cli -r 3 incr cli:repeat)"
check 'comma-separated values' '"1","2"' "$(cli mset cli:a 1 cli:b 2 >/dev/null; cli --csv mget cli:a cli:b)"
check 'scan' $'cli:a\ncli:b' "$(cli --scan --pattern 'cli:[ab]' | sort)"
check 'pipe mode' 'errors: 0, replies: 1000' "$(for i in $(seq 1000); do printf 'SET cli:p%s %s\r\n' "$i" "$i"; done \
  | cli --pipe | tail -n 1)"
check 'what pipe mode wrote' 1000 "$(cli get cli:p1000)"
check 'info' redis_version:7.0.15 "$(cli info server | tr -d '\r' | grep '^redis_version')"
check 'big keys' 1 "$(cli --bigkeys 2>&1 | grep -c 'Sampled .* keys in the keyspace')"
check 'big keys of the keyspace' 1 "$(cli --bigkeys 2>&1 | grep -c '^Biggest string found .* has [0-9]* bytes$')"
check 'memory of keys' 1 "$(cli --memkeys 2>&1 | grep -c '^Biggest string found .* has [0-9]* bytes$')"
check 'hot keys under a policy by recency' 1 "$(cli --hotkeys 2>&1 | grep -c 'ERR An LFU maxmemory policy is not selected')"
cli config set maxmemory-policy allkeys-lfu >/dev/null
for _ in 1 2 3; do for _ in $(seq 200); do echo 'get cli:hot'; done | cli >/dev/null; done
cli set cli:hot v >/dev/null
check 'hot keys' cli:hot "$(cli --hotkeys 2>&1 | sed -n 's/^hot key found with counter: [0-9]*.keyname: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' | head -n 1)"
check 'hot keys of the server' cli:hot "$(cli hotkeys get count 1 | sed -n 2p)"
cli config set maxmemory-policy allkeys-lru >/dev/null
check 'statistics' 1 "$(for_seconds 3 --stat | grep -c -m 1 '^keys ')"
check 'latency by seconds' 1 "$(for_seconds 4 --raw --latency-history -i 1 | grep -c -m 1 '^[0-9]')"
check 'latency as a distribution' 1 "$(for_seconds 4 --latency-dist -i 1 | grep -c -m 1 .)"
check 'latency of the machine' 1 "$(cli --intrinsic-latency 1 2>&1 | grep -c 'total runs')"
check 'command log' '(empty array)' "$(cli --no-raw commandlog get -1 large-reply)"
check 'events' 1 "$(cli cache events count 1 | grep -c '^config$')"
(sleep 1; cli echo 'to see' >/dev/null) &
check 'monitor' 1 "$(for_seconds 3 monitor count 1 command echo | grep -c '"echo" "to see"$')"
check 'latency' 1 "$(timeout 20 redis-cli -p "$port" "${options[@]}" --raw --latency -i 1 2>/dev/null | head -n 1 | grep -c '^[0-9]')"
check 'wrong password' 1 "$(cli -a wrong --no-auth-warning ping 2>&1 | grep -c '^AUTH failed: ')"
joe() { cli --no-auth-warning --user joe --pass secret "$@" 2>&1 | head -n 1; }
check 'a user' OK "$(cli acl setuser joe on '>secret' '~cli:*' +@read '(~tmp:* +set)')"
check 'its command' 'a b' "$(joe get cli:k)"
check 'a command that it may not run' 1 "$(joe del cli:k | grep -c '^NOPERM ')"
check 'a key that it may not use' 1 "$(joe get other | grep -c '^NOPERM ')"
check 'its selector' OK "$(joe set tmp:1 v)"
check 'its wrong password' 1 "$(cli --no-auth-warning --user joe --pass wrong ping 2>&1 | grep -c '^AUTH failed: ')"
check 'what was denied' 3 "$(cli --json acl log 2>/dev/null | grep -o '"reason"' | wc -l)"
check 'no user any more' 1 "$(cli acl deluser joe)"
check 'quit' OK "$(cli quit)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

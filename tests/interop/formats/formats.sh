#!/usr/bin/env bash
# usage: formats.sh PROGRAM DIR PORT — the files that we share with others, both ways: LZ4 blocks beside the tool lz4,
# dumps beside redis-server. DIR is empty, and nobody listens on PORT.
set -u
program=$1
dir=$2
port=$3
passed=0
failed=0

# check NAME EXPECTED ACTUAL
check() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  fi
}

cli() { redis-cli -p "$port" "$@"; }

dotnet "$program" write "$dir" || { echo 'writing failed'; exit 1; }

for value in "$dir"/*.value; do
  name=${value%.value}
  check "lz4 reads $(basename "$name")" same \
    "$(lz4 -dc "$name.plain.lz4" 2>&1 | cmp - "$value" 2>&1 && echo same)"
  check "lz4 reads $(basename "$name") with the dictionary" same \
    "$(lz4 -dc -D "$dir/dictionary" "$name.dictionary.lz4" 2>&1 | cmp - "$value" 2>&1 && echo same)"
  lz4 -q -9 -BI -f "$value" "$name.plain.theirs"
  lz4 -q -9 -BI -f -D "$dir/dictionary" "$value" "$name.dictionary.theirs"
done

redis-server --port "$port" --bind 127.0.0.1 --save "" --appendonly no --dir "$dir" --dbfilename ours.rdb \
  --enable-protected-configs yes \
  </dev/null >"$dir/redis.log" 2>&1 &
redis=$!
trap 'kill "$redis" 2>/dev/null' EXIT
for _ in $(seq 600); do
  [ "$(cli ping 2>/dev/null)" = PONG ] && break
  kill -0 "$redis" 2>/dev/null || { cat "$dir/redis.log"; break; }
  sleep 0.1
done
check 'redis-server loads our dump' 509,500 "$(cli dbsize),$(cli -n 3 dbsize)"
check 'a number' -2147483648 "$(cli get min)"
check 'its encoding' int "$(cli object encoding min)"
check 'no number' 007 "$(cli get 007)"
check 'a long value' 100000 "$(cli strlen long)"
check 'an expiry' 4102444800000 "$(cli pexpiretime '')"
check 'none' -1 "$(cli pexpiretime empty)"
check 'other types' 1,1,1,1 "$(cli rpush list a),$(cli sadd set a),$(cli hset hash f v),$(cli zadd zset 1 a)"
check 'a stream' 1-1 "$(cli xadd stream 1-1 f v)"
check 'another dump' OK,OK "$(cli config set dbfilename theirs.rdb),$(cli save)"
kill "$redis"
wait "$redis" 2>/dev/null

while IFS= read -r line; do
  check "we read ${line%%: *}" ok "${line#*: }"
done < <(dotnet "$program" read "$dir")
check 'all were read' 17 "$(dotnet "$program" read "$dir" | wc -l)"

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

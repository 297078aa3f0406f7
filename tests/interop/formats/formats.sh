#!/usr/bin/env bash
# usage: formats.sh PROGRAM TOOL DIR PORT — the files that we share with others, both ways: LZ4 blocks beside the tool
# lz4, dumps beside redis-server, also by way of the command cache (TOOL). DIR is empty, and nobody listens on PORT.
set -u
program=$1
tool=$2
dir=$3
port=$4
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

# start_redis FILE: waits until redis-server has loaded it, or has died.
start_redis() {
  redis-server --port "$port" --bind 127.0.0.1 --save "" --appendonly no --dir "$dir" --dbfilename "$1" \
    --enable-protected-configs yes --enable-debug-command yes \
    </dev/null >"$dir/redis.log" 2>&1 &
  redis=$!
  for _ in $(seq 600); do
    [ "$(cli ping 2>/dev/null)" = PONG ] && break
    kill -0 "$redis" 2>/dev/null || { cat "$dir/redis.log"; break; }
    sleep 0.1
  done
}

stop_redis() {
  kill "$redis"
  wait "$redis" 2>/dev/null
}

redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null' EXIT
start_redis ours.rdb
check 'redis-server loads our dump' 509,500 "$(cli dbsize),$(cli -n 3 dbsize)"
check 'a number' -2147483648 "$(cli get min)"
check 'its encoding' int "$(cli object encoding min)"
check 'no number' 007 "$(cli get 007)"
check 'a long value' 100000 "$(cli strlen long)"
check 'an expiry' 4102444800000 "$(cli pexpiretime '')"
check 'none' -1 "$(cli pexpiretime empty)"
check 'nodes of ten elements' OK "$(cli config set list-max-listpack-size 10)"
check 'lists' 3,200 "$(cli rpush list a -7 ""),$(cli rpush nodes $(seq -99 100))"
check 'a list of longer elements' 2 "$(cli rpush longer "$(printf %300s x)" "$(printf %1000s y)")"
check 'hashes in both encodings' 2,1 "$(cli hset hash f v n 12),$(cli hset table f "$(printf %100s v)")"
check 'their encodings' listpack,hashtable "$(cli object encoding hash),$(cli object encoding table)"
check 'sets in both encodings' 3,2 "$(cli sadd numbers 1 -2 30000),$(cli sadd names a 1)"
check 'their encodings' intset,hashtable "$(cli object encoding numbers),$(cli object encoding names)"
check 'sorted sets in both encodings' 2,1 "$(cli zadd ranks 1.5 a -inf b),$(cli zadd scores 0.1 "$(printf %100s m)")"
check 'their encodings' listpack,skiplist "$(cli object encoding ranks),$(cli object encoding scores)"
digest=$(cli debug digest)
check 'a dump with collections' OK,OK "$(cli config set dbfilename some.rdb),$(cli save)"
check 'an entry that expires soon' OK "$(cli set soon x px 1500)"
check 'another dump, with it' OK,OK "$(cli config set dbfilename soon.rdb),$(cli save)"
check 'it is gone' 1 "$(cli del soon)"
check 'a stream' 1-1 "$(cli xadd stream 1-1 f v)"
check 'another dump' OK,OK "$(cli config set dbfilename theirs.rdb),$(cli save)"
stop_redis

while IFS= read -r line; do
  check "we read ${line%%: *}" ok "${line#*: }"
done < <(dotnet "$program" read "$dir")
check 'all were read' 17 "$(dotnet "$program" read "$dir" | wc -l)"

convert() { dotnet "$tool" convert "$@" 2>&1; }

sleep 1.5 # Until what expires soon has expired.
converted=$(convert "$dir/soon.rdb" "$dir/soon")
check 'cache convert drops what has expired' 1 "$(grep -c '^not taken: 1 that have expired\.$' <<<"$converted")"
converted=$(convert "$dir/theirs.rdb" "$dir/store")
check 'cache convert reads a dump of redis-server' 1 "$(grep -c 'has 1,019 entries\.' <<<"$converted")"
check 'it takes all types' 0 "$(grep -c '^not taken' <<<"$converted")"
check 'it names the version' 1 "$(grep -c '^RDB version 10, of Redis 7' <<<"$converted")"
check 'cache verify finds it whole' 0 "$(dotnet "$tool" verify "$dir/store" >/dev/null 2>&1; echo $?)"
check 'cache convert reads collections' 1 "$(convert "$dir/some.rdb" "$dir/some" | grep -c 'has 1,018 entries\.')"
check 'cache convert writes a dump' 1 "$(convert "$dir/some" "$dir/back.rdb" | grep -c 'has 1,018 entries\.')"
start_redis back.rdb
check 'redis-server loads it' 518,500 "$(cli dbsize),$(cli -n 3 dbsize)"
check 'it has the same entries' "$digest" "$(cli debug digest)"
check 'a number after conversion' int "$(cli object encoding min)"
check 'a long value after conversion' 100000 "$(cli strlen long)"
check 'an expiry after conversion' 4102444800000 "$(cli pexpiretime '')"
stop_redis
redis=
dd if=/dev/zero of="$dir/theirs.rdb" bs=1 seek=2000 count=4 conv=notrunc 2>/dev/null
check 'cache convert refuses a damaged dump' 1 "$(convert "$dir/theirs.rdb" "$dir/none" >/dev/null; echo $?)"
check 'it writes nothing then' none "$(ls -d "$dir/none" 2>/dev/null || echo none)"

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

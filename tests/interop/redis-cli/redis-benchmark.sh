#!/usr/bin/env bash
# usage: redis-benchmark.sh PORT — Debian's redis-benchmark, pipelined and not; judged by errors, not by speed.
set -u
port=$1
passed=0
failed=0

# check NAME EXPECTED_ROWS ARGUMENTS...: exits with 0, says nothing beside its rows, and has a row a test.
check() {
  local name=$1 rows=$2 output code
  shift 2
  output=$(redis-benchmark -p "$port" --csv "$@" 2>&1 </dev/null)
  code=$?
  if [ $code = 0 ] && [ "$(grep -c '^"[A-Z]*' <<<"$output")" = $((rows + 1)) ] \
    && [ "$(wc -l <<<"$output")" = $((rows + 1)) ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s (exit code %s)\n%s\n' "$name" "$code" "$output"
  fi
}

check 'pipelined' 2 -t set,get -P 30 -c 16 -n 200000 -d 256 -r 100000
check 'one by one' 4 -t ping,set,get -c 50 -n 20000
check 'large values' 2 -t set,get -c 8 -n 500 -d 262144
check 'counters and many keys' 2 -t incr,mset -P 10 -n 20000 -r 1000
check 'RESP3' 2 -3 -t set,get -P 30 -c 16 -n 50000

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/usr/bin/env bash
# Starts each sample, built in Release before, and sees it answer. Needs redis-server, redis-cli and curl. Ends with
# "N passed, N failed".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../samples" || exit 1
passed=0
failed=0
started=()
logs=$(mktemp -d)
trap 'for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done; wait; rm -rf "$logs"' EXIT

command -v curl >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq curl </dev/null || exit 1

free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# check NAME EXPECTED ACTUAL: whether the one holds the other.
check() {
  case "$3" in
    *"$2"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)); printf 'FAILED %s: expected %s, was %s\n' "$1" "$2" "$3" ;;
  esac
}

start() {
  local name=$1
  shift
  (cd "$name" && exec dotnet "bin/Release/net10.0/$name.dll" "$@" </dev/null >"$logs/$name") &
  started+=($!)
}

# answer COMMAND...: its output, once it succeeds; a minute at most.
answer() {
  for _ in $(seq 300); do
    "$@" 2>/dev/null && return
    sleep 0.2
  done
}

in_process=$(dotnet InProcess/bin/Release/net10.0/InProcess.dll </dev/null)
check InProcess 'visits    42' "$in_process"
check 'its leaderboard' 'cleo with 350, ada with 320; ada comes 2.' "$in_process"
check 'its queue' 'resize 17.png, 1 left' "$in_process"
check 'its limit of requests' '5 of 8 requests' "$in_process"

port=$(free_port)
start PingServer "$port"
check PingServer PONG "$(answer redis-cli -e -p "$port" ping)"

port=$(free_port)
start StandaloneServer --port "$port" --maxmemory 64mb
check StandaloneServer PONG "$(answer redis-cli -e -p "$port" ping)"
check 'its limit' 67108864 "$(redis-cli -p "$port" config get maxmemory)"

port=$(free_port)
web=$(free_port)
url="http://127.0.0.1:$web"
start AspNet --urls "$url" --CacheServer:Port "$port" --Telemetry:Seconds 1
check AspNet '<html' "$(answer curl -sf "$url/")"
curl -sf -o /dev/null --data-urlencode 'note=from the page' "$url/note"
check 'what its page stored, seen by redis-cli' 'from the page' "$(redis-cli -p "$port" get note)"
prices=$(curl -sf "$url/" | grep -o '<table>.*</table>')
check 'its prices' 'Quinces' "$prices"
check 'its prices, from the hybrid cache' "$prices" "$(curl -sf "$url/")"
check 'its prices, after their tag was removed' 'differ' \
  "$(curl -sf -X POST "$url/prices"; curl -sf "$url/" | grep -qF "$prices" || echo differ)"
report=$(curl -sf "$url/report")
check 'its report' 'Made at' "$report"
check 'its report, from the output cache' "$report" "$(curl -sf "$url/report")"
check 'its report, after its tag was evicted' 'differs' \
  "$([ "$(curl -sfL -X POST "$url/report" >/dev/null; curl -sf "$url/report")" = "$report" ] || echo differs)"
check 'its health' Healthy "$(curl -sf "$url/health")"
check 'its traffic' '"evictions":' "$(curl -sf -X POST -o /dev/null "$url/traffic"; curl -sf "$url/statistics")"
check 'its metrics on the console' 'dotnet.cache.request.result=hit' \
  "$(answer grep -m 1 'dotnet.cache.requests dotnet.cache.name=default' "$logs/AspNet")"

redis=$(free_port)
redis-server --port "$redis" --bind 127.0.0.1 --save "" --dir "$logs" </dev/null >"$logs/redis" 2>&1 &
started+=($!)
check Redis PONG "$(answer redis-cli -e -p "$redis" ping)"
first="http://127.0.0.1:$(free_port)"
start NearPages --urls "$first" --Redis "127.0.0.1:$redis"
second="http://127.0.0.1:$(free_port)"
start NearPages --urls "$second" --Redis "127.0.0.1:$redis"
check 'one near cache' Healthy "$(answer curl -sf "$first/health")"
check 'another one' Healthy "$(answer curl -sf "$second/health")"
curl -sf --data-urlencode 'note=written in one' "$first/note"
# seen: whether the second one has it; else it is asked again.
seen() { curl -sf "$second/seen" | grep -F 'written in one'; }
check 'what one has written, in the other' 'written in one' "$(answer seen)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

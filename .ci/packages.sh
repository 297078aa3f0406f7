#!/usr/bin/env bash
# Packs the libraries into the local feed and looks at what a user of the packages gets: what they hold, the command
# installed from its package, and an application that has nothing but them, run as it is, published trimmed as a single
# file, and compiled to native code. Ends with "N passed, N failed".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
feed=eng/feed
consumer=tests/packages/Consumer.csproj
passed=0
failed=0

# count COMMAND...: adds the line "N passed, N failed" that it ends with.
count() {
  local line
  "$@" >"$out/log" 2>&1
  local code=$?
  cat "$out/log"
  line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$out/log" | tail -n 1)
  [ -n "$line" ] || line='0 passed, 1 failed'
  [ "$code" = 0 ] || [ "${line#*, }" != '0 failed' ] || line="${line%%,*}, 1 failed"
  passed=$((passed + ${line%% *}))
  line=${line#*, }
  failed=$((failed + ${line%% *}))
}

# publish FOLDER OPTION...: publishes the consumer there.
publish() {
  local folder=$1
  shift
  if dotnet publish "$consumer" -c Release -nologo -o "$folder" "$@"; then
    echo '1 passed, 0 failed'
  else
    echo '0 passed, 1 failed'
  fi
}

rm -f "$feed"/Cache.*pkg
if ! dotnet pack .ci/programs.slnf -c Release --no-restore -nologo; then
  echo '0 passed, 1 failed'
  exit 1
fi
count /usr/bin/python3 .ci/packages.py "$feed"

# What was restored before under the same version is not what was packed now.
cache=$(dotnet nuget locals global-packages --list | sed 's/^global-packages: //')
for package in "$feed"/Cache.*.nupkg; do
  name=$(basename "$package" | sed -E 's/\.[0-9].*//' | tr '[:upper:]' '[:lower:]')
  rm -rf "${cache:?}/$name"
done
rm -rf tests/packages/bin tests/packages/obj

echo '-- the command'
# tool: installs it from the feed, and converts and checks a file of Redis.
tool() {
  local redis=tests/Cache.Durability.Tests/Rdb/Recorded/strings.rdb
  if dotnet tool install Cache.Tool --tool-path "$out/tool" --source "$feed" --version '*' \
    && "$out/tool/cache" convert "$redis" "$out/store" && "$out/tool/cache" verify "$out/store"; then
    echo '1 passed, 0 failed'
  else
    echo '0 passed, 1 failed'
  fi
}
count tool

# live: its verbs, against the server that it is.
live() {
  local port config="$out/cache.conf" cache="$out/tool/cache" code=0
  port=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  printf 'port %s\nmaxmemory 64mb\nrequirepass hidden\n' "$port" >"$config"
  export REDISCLI_AUTH=hidden
  "$cache" config check "$config" || code=1
  "$cache" server "$config" >"$out/server.log" 2>&1 &
  local server=$!
  for _ in $(seq 150); do
    "$cache" doctor -p "$port" >/dev/null 2>&1 && break
    sleep 0.2
  done
  "$cache" doctor -p "$port" || code=1
  "$cache" bench -p "$port" --seconds 1 --clients 2 || code=1
  "$cache" keys -p "$port" --match 'bench:*' --count 3 | grep -q '"bench:' || code=1
  "$cache" top -p "$port" || code=1
  "$cache" package "$out/package.zip" -p "$port" && "$cache" analyze "$out/package.zip" || code=1
  kill "$server"
  wait "$server" || code=1
  [ "$code" = 0 ] || cat "$out/server.log"
  [ "$code" = 0 ] && echo '1 passed, 0 failed' || echo '0 passed, 1 failed'
}
count live

echo '-- as it is'
count publish "$out/portable"
count dotnet "$out/portable/Consumer.dll"

runtime=$(dotnet --info | sed -n 's/^ *RID: *//p')
echo "-- trimmed, for $runtime"
# Without native code, which takes its compiler long: the server below is compiled beforehand too.
count publish "$out/trimmed" -r "$runtime" -p:PublishReadyToRun=false
count "$out/trimmed/Consumer"
echo "size: $(stat -c %s "$out/trimmed/Consumer") bytes in one file"

# server PROFILE: publishes it in that way, waits for its first reply, and sees a script run and pages come.
server() {
  local port http start program="$out/$1/StandaloneServer" code=0
  dotnet publish samples/StandaloneServer -c Release -nologo -r "$runtime" -p:PublishProfile="$1" -o "$out/$1" \
    || { echo '0 passed, 1 failed'; return; }
  port=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  start=$(date +%s%N)
  "$program" --port "$port" --maxmemory 64mb </dev/null >"$out/server.log" 2>&1 &
  for _ in $(seq 3000); do
    [ "$(redis-cli -e -p "$port" ping 2>/dev/null)" = PONG ] && break
    sleep 0.01
  done
  echo "first reply after $((($(date +%s%N) - start) / 1000000)) ms, $(du -sm "$out/$1" | cut -f 1) MB"
  [ "$(redis-cli -e -p "$port" ping)" = PONG ] || code=1
  [ "$(redis-cli -e -p "$port" eval 'return redis.call("incr", KEYS[1])' 1 n)" = 1 ] || code=1
  kill $!
  wait $! || code=1

  # By another start, so that the first one's time is that of the server alone.
  http=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$program" --port "$port" --http-port "$http" --maxmemory 64mb </dev/null >>"$out/server.log" 2>&1 &
  for _ in $(seq 3000); do
    page "$http" health 2>/dev/null && break
    sleep 0.01
  done
  for path in health metrics cache/ cache/api/server cache/api/configuration cache/api/doctor; do
    page "$http" "$path" || code=1
  done
  kill $!
  wait $! || code=1
  [ "$code" = 0 ] && echo '1 passed, 0 failed' || { cat "$out/server.log"; echo '0 passed, 1 failed'; }
}

# page PORT PATH: whether it comes.
page() {
  /usr/bin/python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "http://127.0.0.1:$1/$2"
}

echo "-- the server, compiled beforehand, for $runtime"
count server SelfContained

# A package source may lack the native compiler's runtime; that is no fault of ours.
echo "-- native, for $runtime"
if dotnet restore "$consumer" -r "$runtime" -p:PublishAot=true >"$out/log" 2>&1; then
  count publish "$out/native" -r "$runtime" -p:PublishAot=true
  count "$out/native/Consumer"
  count server Native
else
  grep -m 1 -o 'Unable to find package [^ ]*' "$out/log" || cat "$out/log"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

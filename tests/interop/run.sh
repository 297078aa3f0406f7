#!/usr/bin/env bash
# Runs other languages' clients, and Redis itself, against our stand-alone server.
#
# usage: run.sh [RUNNER...]        all runners, or redis-cli redis-cli-tls redis-benchmark ioredis ioredis-tls
#                                  node-redis bullmq bull limiters locks redis-py stackexchange stackexchange-resp3
#                                  sidekiq laravel formats dashboard near shards migration conformance generated
#                                  conversations dumps near-client
#
# INTEROP_PORT=6379 INTEROP_TLS_PORT=6380 INTEROP_CA=cert.pem run.sh ...     against a server that runs already, instead of one that is built and started here
# INTEROP_INSTALL=0 run.sh ...     without installing anything
# INTEROP_INSTALL=alone run.sh     installs what the runners need, and runs nothing
# INTEROP_SEED=1 run.sh ...        with other random requests than those of every run
#
# Needs root, a Debian with the .NET SDK, and Node; installs the rest. Each runner ends with "N passed, N failed".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
root=$(cd ../.. && pwd)
work=$(mktemp -d)
started=()

# The longest that one runner may take: a reply that never comes is a failure, not a wait.
readonly runner_seconds=300
# For the sequences, of which as many run as fit, below the seconds of a runner. On two processors all of them fit.
readonly generated_seconds=240

# The same random requests in each run: what another seed finds is a find, and no failure of whoever changes something else.
readonly random_seed=${INTEROP_SEED:-20261124}

stop_servers() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap stop_servers EXIT

free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

install() {
  if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null \
    || ! command -v redis-benchmark >/dev/null || ! command -v openssl >/dev/null || ! command -v lz4 >/dev/null \
    || ! /usr/bin/python3 -c 'import redis' 2>/dev/null; then
    # Debian starts a Redis on 6379 when it is installed; all ports here are others, and it is not touched.
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      openssl lz4 redis-server redis-tools python3-redis </dev/null || return 1
  fi
  # The packages that carry scripts: Sidekiq's, and those of Laravel's queue, cache and limits with both clients of PHP.
  if ! ruby -e 'require "sidekiq"' 2>/dev/null || ! php -r 'exit(extension_loaded("redis") ? 0 : 1);' \
    || ! php -r 'require "Illuminate/Queue/autoload.php"; require "Illuminate/Cache/autoload.php";
      require "Illuminate/Redis/autoload.php"; require "Predis/autoload.php";' >/dev/null 2>&1; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      ruby-sidekiq php-cli php-redis php-predis php-illuminate-redis php-illuminate-queue php-illuminate-cache \
      </dev/null || return 1
  fi
  if ! command -v npm >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm </dev/null || return 1
  fi
  if ! command -v chromium >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      chromium fonts-liberation </dev/null || return 1
  fi
  (cd node && npm ci --silent --no-progress </dev/null) && (cd dashboard && npm ci --silent --no-progress </dev/null)
}

# wait_for PORT PID: until the server answers, or has died, or a minute has passed.
wait_for() {
  for _ in $(seq 600); do
    [ "$(redis-cli -p "$1" ping 2>/dev/null)" = PONG ] && return 0
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

build() {
  dotnet build "$1" -c Release -nologo </dev/null >"$work/build.log" 2>&1 || { cat "$work/build.log"; return 1; }
}

start_ours() {
  build "$root/samples/StandaloneServer" || return 1
  ours=$(free_port)
  ours_tls=$(free_port)
  ca="$work/cert.pem"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout "$work/key.pem" -out "$ca" -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>"$work/openssl.log" || { cat "$work/openssl.log"; return 1; }
  dotnet "$root/samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll" \
    --port "$ours" --bind 127.0.0.1 --maxmemory 1gb --tls-port "$ours_tls" --tls-cert-file "$ca" \
    --tls-key-file "$work/key.pem" --tls-auth-clients no </dev/null >"$work/ours.log" 2>&1 &
  started+=($!)
  wait_for "$ours" $! && return 0
  cat "$work/ours.log"
  return 1
}

start_redis() {
  redis=$(free_port)
  redis-server --port "$redis" --bind 127.0.0.1 --save "" --appendonly no --dir "$work" \
    </dev/null >"$work/redis.log" 2>&1 &
  started+=($!)
  wait_for "$redis" $! && return 0
  cat "$work/redis.log"
  return 1
}

limited() { timeout --kill-after=5 "$runner_seconds" "$@" </dev/null; }

run_redis_cli() { limited bash redis-cli/redis-cli.sh "$ours"; }

run_redis_cli_tls() { limited bash redis-cli/redis-cli.sh "$ours_tls" --tls --cacert "$ca"; }

run_ioredis_tls() { limited node node/ioredis.mjs "$ours_tls" "$ca"; }

run_redis_benchmark() { limited bash redis-cli/redis-benchmark.sh "$ours"; }

run_ioredis() { limited node node/ioredis.mjs "$ours"; }

run_node_redis() { limited node node/node-redis.mjs "$ours"; }

run_bullmq() { limited node node/bullmq.mjs "$ours"; }

run_limiters() { limited node node/limiters.mjs "$ours"; }

run_locks() { limited node node/locks.mjs "$ours"; }

run_bull() { limited node node/bull.mjs "$ours"; }

run_sidekiq() { limited ruby sidekiq/sidekiq.rb "$ours"; }

run_laravel() { limited php laravel/laravel.php "$ours"; }

run_redis_py() { limited /usr/bin/python3 redis-py/redis_py.py "$ours"; }

run_stackexchange() {
  build stack-exchange || return 1
  limited dotnet stack-exchange/bin/Release/net10.0/StackExchange.dll "$ours" "${1:-2}"
}

run_stackexchange_resp3() { run_stackexchange 3; }

run_generated() {
  [ -n "${redis:-}" ] || start_redis || return 1
  limited /usr/bin/python3 conformance/generated.py --redis "$redis" --ours "$ours" --count 10000 \
    --seed "$random_seed" --seconds "$generated_seconds" lists sort hyperloglogs sets sorted_sets geo hashes streams long_names
}

run_conformance() {
  [ -n "${redis:-}" ] || start_redis || return 1
  limited /usr/bin/python3 conformance/differ.py --redis "$redis" --ours "$ours" conformance/sessions/*.txt
}

run_conversations() {
  [ -n "${redis:-}" ] || start_redis || return 1
  limited /usr/bin/python3 conformance/conversations.py --redis "$redis" --ours "$ours" --count 20 --seed "$random_seed"
}

run_dumps() {
  [ -n "${redis:-}" ] || start_redis || return 1
  limited /usr/bin/python3 conformance/dumps.py --redis "$redis" --ours "$ours" --count 400 --seed "$random_seed" \
    --seconds "$generated_seconds"
}

run_formats() {
  build formats || return 1
  build "$root/src/Cache.Tool" || return 1
  mkdir "$work/formats"
  limited bash formats/formats.sh formats/bin/Release/net10.0/Formats.dll \
    "$root/src/Cache.Tool/bin/Release/net10.0/Cache.Tool.dll" "$work/formats" "$(free_port)"
}

# It starts a server of its own, which is stopped in between.
run_dashboard() {
  build "$root/samples/StandaloneServer" || return 1
  limited node dashboard/dashboard.mjs "$root/samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll" \
    "$(free_port)" "$(free_port)"
}

# Near caches before redis-server, single, as a cluster, with sentinels, under faults.
run_near() {
  build near || return 1
  limited dotnet near/bin/Release/net10.0/NearRig.dll single cluster sentinel hybrid
}

# Their client, and hybrid caches, beside ours.
run_near_client() {
  build near || return 1
  limited dotnet near/bin/Release/net10.0/NearRig.dll client "$ours"
}

# Three servers of one map, and clients that find their way between them.
run_shards() {
  build "$root/samples/StandaloneServer" && build stack-exchange || return 1
  limited /usr/bin/python3 shards/shards.py "$root/samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll" \
    stack-exchange/bin/Release/net10.0/StackExchange.dll
}

# A copy of redis-server's data and changes by the command cache. It starts servers of its own.
run_migration() {
  build "$root/samples/StandaloneServer" && build "$root/src/Cache.Tool" || return 1
  limited /usr/bin/python3 migration/migration.py "$root/src/Cache.Tool/bin/Release/net10.0/Cache.Tool.dll" \
    "$root/samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll"
}

# run RUNNER: its output, and its counts; a runner that ends without them has failed.
run() {
  local log="$work/$1.log" start=$SECONDS
  printf '== %s\n' "$1"
  "run_${1//-/_}" >"$log" 2>&1
  echo "took $((SECONDS - start)) s"
  cat "$log"
  add "$log" "$1"
}

# add LOG NAME: the counts that it ends with.
add() {
  local line
  line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
  [ -n "$line" ] || { line='0 passed, 1 failed'; echo "$2 ended without its counts: $line"; }
  passed=$((passed + ${line%% *}))
  line=${line#*, }
  failed=$((failed + ${line%% *}))
}

# group NAME RUNNER...: to be run beside others; ends with the counts of all of them.
group() {
  passed=0
  failed=0
  for runner in "${@:2}"; do run "$runner"; done
  printf '== %s\n%s passed, %s failed\n' "$1" "$passed" "$failed"
}

# compare: all that is compared with Redis.
compare() {
  renice -n 10 $BASHPID >/dev/null
  group comparisons conformance generated conversations dumps
}

[ "${INTEROP_INSTALL:-1}" = 0 ] || install || { echo 'installing the clients failed'; exit 1; }
[ "${INTEROP_INSTALL:-1}" != alone ] || exit 0
ours=${INTEROP_PORT:-}
ours_tls=${INTEROP_TLS_PORT:-}
ca=${INTEROP_CA:-}
[ -n "$ours" ] || start_ours || { echo 'our server did not start'; exit 1; }
passed=0
failed=0
if [ $# -gt 0 ]; then
  for runner in "$@"; do run "$runner"; done
else
  for runner in redis-cli redis-cli-tls redis-benchmark ioredis ioredis-tls node-redis bullmq bull limiters locks \
    redis-py stackexchange stackexchange-resp3
  do run "$runner"; done
  # Both wait for most of their time, in databases of their own.
  group beside laravel >"$work/beside.log" 2>&1 &
  waiting=$!
  run sidekiq
  wait "$waiting"
  cat "$work/beside.log"
  add "$work/beside.log" laravel
  # What is compared with Redis uses the processors; the page and the near caches have servers of their own, and wait
  # for most of their time: beside each other, and the comparisons give way.
  start_redis || { echo 'redis-server did not start'; exit 1; }
  compare >"$work/compared.log" 2>&1 &
  comparing=$!
  for runner in formats dashboard near shards migration; do run "$runner"; done
  wait "$comparing"
  cat "$work/compared.log"
  add "$work/compared.log" comparisons
  run near-client # Its wrong password would delay those of the comparisons.
fi
printf '== interop\n%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

#!/usr/bin/env bash
# Loads this project's server, its peers and null servers side by side, interleaved, and prints one table of medians.
#
# Installs what it needs: Debian's redis-server and redis-tools, Valkey where Debian offers it, and the garnet-server
# tool. Everything else lies in a temporary folder, and everything that was started is stopped, however the script ends.
#
# The environment shortens or widens it:
#   PEERS             the servers, in order; null-c and null-ours answer nothing but a fixed value: the floor
#   LOADS             p1 p10 p30 get30 keys10m
#   TLS               1: by TLS with a certificate made here; by default ours and redis-server alone, as others may be built
#                     without it
#   ROUNDS            every load against every server, so many times (3)
#   SECONDS_PER_LOAD  how long one load takes (5), after WARMUP seconds that do not count (1)
#   KEYS VALUE        preloaded keys (1000000), and the bytes of every value (256)
#   PIN               1: servers on the first CPU alone, the client on the second. By default neither is pinned: the
#                     client and the server under load share all CPUs, the other servers idle
#   PORT_BASE         the first of the ports that the servers listen on (17870)
#   OURS_OPTIONS      more options of our server
#   RESULTS           a file that keeps every run as a line of JSON; `Cache.Bench compare FILE` prints it again
set -euo pipefail
cd "$(dirname "$0")/.."

TLS=${TLS:-0}
if [[ $TLS == 1 ]]; then all_peers='ours redis-server'; else
    all_peers='ours redis-server valkey-server garnet-server null-ours null-c'; fi
PEERS=${PEERS:-$all_peers}
LOADS=${LOADS:-p1 p10 p30 get30 keys10m}
ROUNDS=${ROUNDS:-3}
SECONDS_PER_LOAD=${SECONDS_PER_LOAD:-5}
WARMUP=${WARMUP:-1}
KEYS=${KEYS:-1000000}
VALUE=${VALUE:-256}
PIN=${PIN:-0}
PORT_BASE=${PORT_BASE:-17870}
OURS_OPTIONS=${OURS_OPTIONS:---maxmemory 8gb}
GARNET_VERSION=2.2.5

work=$(mktemp -d)
results=${RESULTS:-$work/results.jsonl}
declare -A pid_of port_of version_of
order=() server_tls=() client_tls=() cli_tls=()

finish() {
    for server in "${order[@]}"; do
        kill "${pid_of[$server]}" 2>/dev/null || true
    done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '%s\n' "$*" >&2; }
die() { say "compare.sh: $*"; exit 1; }
wants() { [[ " $PEERS " == *" $1 "* ]]; }
as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }
offered() { [[ -n $(apt-cache search --names-only "^$1\$") ]]; }

# A service that comes with a package would take the measured machine's time: it is stopped.
apt_install() {
    say "installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$work/apt.log" 2>&1 \
        || { tail -5 "$work/apt.log" >&2; die "could not install $*"; }
    local package
    for package in "$@"; do
        if [[ $package == *-server ]]; then as_root service "$package" stop >/dev/null 2>&1 || true; fi
    done
}

install_peers() {
    local missing=()
    command -v redis-cli >/dev/null || missing+=(redis-tools)
    if wants redis-server && ! command -v redis-server >/dev/null; then missing+=(redis-server); fi
    if ((${#missing[@]})) || { wants valkey-server && ! command -v valkey-server >/dev/null; }; then
        as_root apt-get update -qq >/dev/null || say "apt-get update failed; the lists at hand are used"
    fi
    if ((${#missing[@]})); then apt_install "${missing[@]}"; fi
    if wants valkey-server && ! command -v valkey-server >/dev/null; then
        if offered valkey-server; then
            apt_install valkey-server
        else
            say "this Debian offers no valkey-server: left out"
            PEERS=${PEERS//valkey-server/}
        fi
    fi
    if wants garnet-server; then
        dotnet tool install garnet-server --version "$GARNET_VERSION" --tool-path "$work/tools" >"$work/tool.log" 2>&1 \
            || { cat "$work/tool.log" >&2; die "could not install garnet-server $GARNET_VERSION"; }
    fi
}

build() {
    local projects=(bench/Cache.Bench) project
    if wants ours; then projects+=(samples/StandaloneServer); fi
    for project in "${projects[@]}"; do
        dotnet build -c Release -nologo -clp:ErrorsOnly "$project" >"$work/build.log" 2>&1 \
            || { cat "$work/build.log" >&2; die "$project does not build"; }
    done
    bench=bench/Cache.Bench/bin/Release/net10.0/Cache.Bench
    if wants null-c; then
        local compiler
        if compiler=$(command -v "${CC:-cc}" || command -v gcc || command -v clang); then
            "$compiler" -O2 -o "$work/null-server" bench/null-server/null-server.c
        else
            say "there is no C compiler: null-c left out"
            PEERS=${PEERS//null-c/}
        fi
    fi
}

# The one certificate of all servers, which vouches for itself.
make_certificate() {
    command -v openssl >/dev/null || die "TLS=1 needs openssl"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout "$work/key.pem" -out "$work/cert.pem" \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>"$work/openssl.log" \
        || { cat "$work/openssl.log" >&2; die "openssl made no certificate"; }
    server_tls=(--tls-cert-file "$work/cert.pem" --tls-key-file "$work/key.pem" --tls-auth-clients no)
    client_tls=(--tls --tls-ca "$work/cert.pem")
    cli_tls=(--tls --cacert "$work/cert.pem")
}

# port_options PORT: where ours, redis-server and valkey-server listen.
port_options() {
    if [[ $TLS == 1 ]]; then echo --port 0 --tls-port "$1"; else echo --port "$1"; fi
}

# start NAME VERSION COMMAND...: the port has been put into port_of by next_port.
start() {
    local server=$1 version=$2 pin=()
    shift 2
    if [[ $PIN == 1 ]]; then pin=(taskset -c 0); fi
    "${pin[@]}" "$@" >"$work/$server.log" 2>&1 &
    pid_of[$server]=$!
    version_of[$server]=$version
    order+=("$server")
    for _ in $(seq 150); do
        kill -0 "${pid_of[$server]}" 2>/dev/null || { tail -5 "$work/$server.log" >&2; die "$server ended at once"; }
        if [[ $(redis-cli -p "${port_of[$server]}" "${cli_tls[@]}" ECHO up 2>/dev/null) =~ ^(up|OK)$ ]]; then return; fi
        sleep 0.1
    done
    die "$server does not answer on port ${port_of[$server]}"
}

start_all() {
    local port=$PORT_BASE server commit
    commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
    for server in $PEERS; do
        if (: </dev/tcp/127.0.0.1/"$port") 2>/dev/null; then die "port $port is taken; set PORT_BASE"; fi
        port_of[$server]=$port
        if [[ $TLS == 1 && ! $server =~ ^(ours|redis-server|valkey-server)$ ]]; then
            die "TLS=1 is for ours, redis-server and valkey-server, not for $server"
        fi
        case $server in
            ours)
                # shellcheck disable=SC2046,SC2086 # several options
                start ours "commit $commit" samples/StandaloneServer/bin/Release/net10.0/StandaloneServer \
                    $(port_options "$port") "${server_tls[@]}" $OURS_OPTIONS ;;
            redis-server | valkey-server)
                # shellcheck disable=SC2046 # several options
                start "$server" "$("$server" --version | grep -o 'v=[^ ]*')" \
                    "$server" $(port_options "$port") "${server_tls[@]}" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" ;;
            garnet-server)
                start garnet-server "$GARNET_VERSION" "$work/tools/garnet-server" --port "$port" --bind 127.0.0.1 ;;
            null-ours)
                start null-ours "commit $commit" "$bench" null-server --port "$port" --value "$VALUE" ;;
            null-c)
                start null-c "one epoll loop" "$work/null-server" "$port" "$VALUE" ;;
            *) die "no such server: $server" ;;
        esac
        port=$((port + 1))
    done
}

# load SERVER NAME OPTIONS...
load() {
    local server=$1 name=$2 pin=() floor=()
    shift 2
    if [[ $PIN == 1 ]]; then pin=(taskset -c 1); fi
    if [[ $server == null-* ]]; then floor=(--no-verify); fi
    "${pin[@]}" "$bench" server --target "127.0.0.1:${port_of[$server]}" --pid "${pid_of[$server]}" --value "$VALUE" \
        --seconds "$SECONDS_PER_LOAD" --warmup "$WARMUP" --json --server-name "$server" --load-name "$name" \
        "${floor[@]}" "${client_tls[@]}" "$@" >>"$results" || die "$name against $server failed"
}

preload_all() {
    local server
    for server in "${order[@]}"; do
        if [[ $server == null-* ]]; then continue; fi
        say "preload: $server"
        load "$server" preload --keys "$KEYS" --preload --rounds 0
    done
}

# One round of one load against every server.
round() {
    local name=$1 server
    for server in "${order[@]}"; do
        case $name in
            p1) load "$server" p1 --keys "$KEYS" --rounds 1 --connections 50 --pipeline 1 ;;
            p10) load "$server" p10 --keys "$KEYS" --rounds 1 --connections 50 --pipeline 10 ;;
            p30) load "$server" p30 --keys "$KEYS" --rounds 1 --connections 16 --pipeline 30 ;;
            get30) load "$server" get30 --keys "$KEYS" --rounds 1 --connections 16 --pipeline 30 --ratio 1:0 ;;
            keys10m)
                # Nothing is there at first: most keys are misses, which a null server does not know.
                if [[ $server == null-* ]]; then continue; fi
                redis-cli -p "${port_of[$server]}" "${cli_tls[@]}" FLUSHALL >/dev/null
                load "$server" keys10m --keys 10000000 --rounds 1 --threads 2 --connections 32 --pipeline 30 --ratio 10:1 ;;
            *) die "no such load: $name" ;;
        esac
    done
}

describe() {
    local server
    echo "$(nproc) CPUs, $(grep -m1 '^model name' /proc/cpuinfo | cut -d: -f2- | xargs), Linux $(uname -r)," \
        "$(date -u +%Y-%m-%d), load average before $load_before"
    echo "$KEYS keys preloaded, values of $VALUE bytes, $SECONDS_PER_LOAD s a load," \
        "$([[ $PIN == 1 ]] && echo 'servers pinned to the first CPU, the client to the second' || echo 'nothing pinned')$([[ $TLS == 1 ]] && echo ', TLS')"
    for server in "${order[@]}"; do echo "$server: ${version_of[$server]}"; done
    echo
}

load_before=$(cut -d' ' -f1 /proc/loadavg)
install_peers
build
if [[ $TLS == 1 ]]; then make_certificate; fi
start_all
: >"$results"
preload_all
# The unloaded one empties the servers, so it comes after all rounds of the others.
for pass in "${LOADS//keys10m/}" "$([[ " $LOADS " == *" keys10m "* ]] && echo keys10m)"; do
    for i in $(seq "$ROUNDS"); do
        for name in $pass; do
            say "round $i of $ROUNDS: $name"
            round "$name"
        done
    done
done
describe
"$bench" compare "$results" --baseline redis-server --baseline garnet-server --baseline null-ours --baseline null-c

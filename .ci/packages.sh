#!/usr/bin/env bash
# Packs the libraries and looks at what a user of the packages gets. Ends with "N passed, N failed".
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if ! dotnet pack Cache.sln -c Release --no-restore -nologo "-p:PackageOutputPath=$out"; then
  echo '0 passed, 1 failed'
  exit 1
fi
/usr/bin/python3 .ci/packages.py "$out"

#!/bin/sh
# Compares a live server with docs/openapi.yaml by schemathesis (PyPI), which goes into a folder outside of the
# project: PUSHBOX_TOOLS, or one below /tmp. Starts pushbox on loopback before mock gateways by way of the test
# suite's own appliance, which waits while this runs.
#
#   scripts/openapi-check.sh [EXAMPLES]     examples for each operation; 50 when left out
set -eu
cd "$(dirname "$0")/.."
tools=${PUSHBOX_TOOLS:-/tmp/pushbox-tools}
examples=${1:-50}
if [ ! -x "$tools/bin/schemathesis" ]; then
  command -v python3 >/dev/null || { echo "openapi-check: python3 is missing (Debian: python3-venv)" >&2; exit 1; }
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet schemathesis openapi-spec-validator
fi
"$tools/bin/openapi-spec-validator" docs/openapi.yaml
PUSHBOX_SCHEMATHESIS="$tools/bin/schemathesis" PUSHBOX_SCHEMATHESIS_EXAMPLES="$examples" \
  exec swift test --disable-xctest --filter OpenAPITests ${PUSHBOX_SKIP_BUILD:+--skip-build}

# The steps of a CI job: nothing is ever asked, and the first failure ends it.
export CI=true
set -euo pipefail
centavo --version --json | grep -q '"version"'
centavo --json status | grep '"mode"'
centavo customers create --name Ana --email ana@example.com --dry-run -o curl | cut -c 1-14
centavo customers create --name Ana
echo 'not reached'

# exit: 2
# stdout:
#     "mode": "sandbox",
#   curl -X POST h
# stderr:
#   Nothing was sent.
#   Error: --email is missing.
#     Nothing was sent.
#     For example: centavo customers create --name "Juan Dela Cruz" --email juan@example.com

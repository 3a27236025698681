# A reporting job that must never change anything.
set -uo pipefail
centavo config set read_only true --profile sandbox --quiet
centavo customers list --json --jq '.data | length'
centavo customers create --name Eve --email eve@example.com --json
echo "exit $?"

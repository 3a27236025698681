# Deleting a deleted object is exit 3, so that a clean-up job can continue.
set -uo pipefail
customer=$(centavo customers create --name Zed --email zed@example.com --json --jq .id)
centavo customers delete "$customer" --yes --json --jq .deleted
centavo customers delete "$customer" --yes --json >/dev/null 2>&1 || [ $? = 3 ] && echo 'gone already'

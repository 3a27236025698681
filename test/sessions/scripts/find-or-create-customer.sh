# Finds or creates a customer by email address; a second run finds the same one.
set -euo pipefail
find_or_create() {
  local id
  id=$(centavo customers list --email "$1" --json --jq '.data[0].id // empty')
  [ -n "$id" ] || id=$(centavo customers create --email "$1" --name "$2" --json --jq .id)
  echo "$id"
}
first=$(find_or_create dina@example.com Dina)
second=$(find_or_create dina@example.com Dina)
[ "$first" = "$second" ] && echo same
centavo customers list --json --jq '.data | length'

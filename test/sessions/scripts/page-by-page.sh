# Reads a list by its cursor, two objects at a time.
set -euo pipefail
for name in Q R S T U; do centavo customers create --name "$name" --email "$name@example.com" --quiet >/dev/null; done
after=()
while :; do
  page=$(centavo customers list --limit 2 "${after[@]}" --json)
  echo "$page" | python3 -c 'import json,sys; print([c["name"] for c in json.load(sys.stdin)["data"]])'
  more=$(echo "$page" | python3 -c 'import json,sys; print(json.load(sys.stdin)["has_more"])')
  [ "$more" = True ] || break
  after=(--after "$(echo "$page" | python3 -c 'import json,sys; print(json.load(sys.stdin)["data"][-1]["id"])')")
done

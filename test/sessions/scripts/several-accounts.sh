# One job for two accounts: flags before the command select one, and a missing profile is an error.
set -uo pipefail
centavo -p sandbox -q customers create --name Ana --email ana@example.com > /dev/null
for account in sandbox shop; do
  centavo -p "$account" --json customers list --fields name > "$account.json" 2> error.json
  echo "$account: exit $?, $(grep -c Ana "$account.json") found"
done

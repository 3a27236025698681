# Branches on exit codes, as a supervisor does.
set -uo pipefail
try() {
  centavo "$@" --json >out.json 2>err.json
  case $? in
    0) echo "done" ;;
    2) echo "wrong usage" ;;
    3) echo "not there" ;;
    5) echo "refused by the API" ;;
    12) echo "refused here" ;;
    *) echo "something else" ;;
  esac
}
try customers list
try customers list --limit zero
try customers get cus_nobody
customer=$(centavo customers create --name Carla --email carla@example.com --json --jq .id)
statement=$(centavo billing-statements create --customer "$customer" --item 'Fee x1 @ 100' --due +3d --json --jq .id)
try billing-statements send "$statement"
try billing-statements delete "$statement"
try billing-statements delete "$statement" --yes

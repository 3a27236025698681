# After a night of jobs: which changes were made from here, and which were refused.
set -uo pipefail
ana=$(centavo customers create --name Ana --email ana@example.com --jq .id)
statement=$(centavo billing-statements create --customer "$ana" --item 'Work @ 500' --due +30d --jq .id)
centavo billing-statements void "$statement" 2> /dev/null
centavo billing-statements delete "$statement" --quiet > /dev/null
centavo history -o jsonl --fields command,result

# exit: 0
# stdout:
#   {"command":"billing-statements delete","result":"ok"}
#   {"command":"billing-statements void","result":"resource_invalid_state"}
#   {"command":"billing-statements create","result":"ok"}
#   {"command":"customers create","result":"ok"}
# stderr:

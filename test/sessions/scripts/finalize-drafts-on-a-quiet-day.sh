# The same where there is no draft: no ids is not a mistake.
set -euo pipefail
centavo billing-statements list --status draft --all --jq '.data[].id' |
  centavo billing-statements finalize - --json > finalized.json
echo "done"

# exit: 0
# stdout:
#   done
# stderr:

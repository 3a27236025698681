# Two jobs that run at the same time do not disturb each other.
set -euo pipefail
job() { for number in 1 2 3; do centavo customers create --name "$1$number" --email "$1@example.com" -q > /dev/null; done; }
job a & first=$!
job b & second=$!
wait "$first"
wait "$second"
centavo customers list --all --fields name | sort

# exit: 0
# stdout:
#   a1
#   a2
#   a3
#   b1
#   b2
#   b3
# stderr:

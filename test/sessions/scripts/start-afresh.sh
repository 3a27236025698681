# Before each test of an app: resets the sandbox without a question.
set -euo pipefail
for round in 1 2; do
  centavo sandbox reset --yes --quiet > /dev/null
  centavo customers create --name "Ana $round" --email ana@example.com --quiet > /dev/null
  centavo customers list --fields name
done

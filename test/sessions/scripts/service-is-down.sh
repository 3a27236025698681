# The API cannot be reached: exit 8 with its address, and nothing was sent.
set -uo pipefail
export CENTAVO_BASE_URL=http://127.0.0.1:9 CENTAVO_SECRET_KEY=sk_test_DownDownDownDownDown1234
centavo customers list
echo "exit $?"
centavo customers create --name X --email x@example.com --json
echo "exit $?"

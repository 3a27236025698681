# Shows the request that would be sent, for a second pair of eyes; nothing is sent and no key is shown.
set -euo pipefail
export CENTAVO_SECRET_KEY=sk_test_ReviewReviewReviewReview12
centavo customers create --name 'Oma Reyes' --email oma@example.com --metadata branch=cebu --dry-run -o curl
centavo customers create --name 'Oma Reyes' --email oma@example.com --dry-run --json --jq '.requests[] | [.method, .url] | join(" ")'

# Shows a request for review without sending it or showing a key.
set -euo pipefail
export CENTAVO_SECRET_KEY=sk_test_ReviewReviewReviewReview12
centavo customers create --name 'Oma Reyes' --email oma@example.com --metadata branch=cebu --dry-run -o curl
centavo customers create --name 'Oma Reyes' --email oma@example.com --dry-run --json --jq '.requests[] | [.method, .url] | join(" ")'

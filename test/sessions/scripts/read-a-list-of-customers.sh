# Creates a customer for each line of a file, and lists them with their metadata.
set -euo pipefail
cat > customers.txt <<'LINES'
Ana;ana@example.com;cebu
Ben;ben@example.com;davao
LINES
while IFS=';' read -r name email branch; do
  centavo customers create --name "$name" --email "$email" --metadata "branch=$branch" --quiet > /dev/null < /dev/null
done < customers.txt
centavo customers list --fields name,metadata.branch | sort
centavo customers list --email ben@example.com --jq '.data[].name'

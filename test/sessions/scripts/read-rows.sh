# Reads the rows of a list in the shell: tabs between the cells, no header.
set -euo pipefail
for name in Jo Kat Leo; do centavo customers create --name "$name" --email "${name,,}@example.com" --quiet >/dev/null; done
centavo customers list --fields name,email | sort | while IFS=$'\t' read -r name email; do echo "$name <$email>"; done

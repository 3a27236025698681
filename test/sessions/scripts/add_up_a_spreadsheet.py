# Reads the CSV as a bookkeeper's program would: centavos as integers, pesos as exact decimals.
import csv
import io
import subprocess
from decimal import Decimal


def centavo(*words):
    return subprocess.run(["centavo", *words], check=True, capture_output=True, text=True).stdout


customer = centavo("customers", "create", "--name", "=SUM(A1)", "--email", "ana@example.com", "--jq", ".id").strip()
for pesos in "1,250.50", "99.99":
    centavo("billing-statements", "create", "--customer", customer, "--item", f"Work @ {pesos}", "--due", "+30d")
rows = list(csv.DictReader(io.StringIO(centavo("billing-statements", "list", "--all", "-o", "csv"))))
print(sum(int(row["amount"]) for row in rows), sum(Decimal(row["amount_pesos"]) for row in rows))
print({row["customer"] for row in rows})

# exit: 0
# stdout:
#   135049 1350.49
#   {"'=SUM(A1)"}
# stderr:

# Bills each row of a CSV file, and records the results.
import csv, io, json, subprocess

ROWS = """email,name,what,price
hana@example.com,Hana,Internet,1499.00
ivan@example.com,Ivan,Internet,"2,100.50"
hana@example.com,Hana,Installation,500
"""
known = {}
for row in csv.DictReader(io.StringIO(ROWS)):
    if row["email"] not in known:
        made = subprocess.run(["centavo", "customers", "create", "--name", row["name"], "--email", row["email"], "--json"], capture_output=True, text=True, check=True)
        known[row["email"]] = json.loads(made.stdout)["id"]
    run = subprocess.run(["centavo", "billing-statements", "create", "--customer", known[row["email"]], "--item", f"{row['what']} x1 @ {row['price']}", "--due", "+15d", "--finalize", "--json"], capture_output=True, text=True)
    statement = json.loads(run.stdout)
    print(row["name"], statement["amount"], statement["status"], run.returncode)

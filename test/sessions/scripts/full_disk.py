# The disk is full when the answer is written: the exit code says so, and that the change was made.
import json
import subprocess

words = ["centavo", "customers", "create", "--name", "Ana", "--email", "ana@example.com", "--json"]
with open("/dev/full", "w") as full:
    done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
error = json.loads(done.stderr)["error"]
print(done.returncode, error["code"], error["applied"])
made = subprocess.run(["centavo", "customers", "list", "--jq", ".data | length"], capture_output=True, text=True)
print(made.stdout.strip())

# exit: 0
# stdout:
#   15 local_io yes
#   1
# stderr:

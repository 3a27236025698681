# Finds out by itself which commands there are, as an agent does.
import json, subprocess

listed = json.loads(subprocess.run(["centavo", "commands", "--json"], capture_output=True, text=True, check=True).stdout)
commands = listed["data"]
names = {command["id"] for command in commands}
print("billing-statements finalize" in names, "customers list" in names, "webhooks listen" in names)

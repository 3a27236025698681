# Discovers the commands, as an agent does.
import json, subprocess

listed = json.loads(subprocess.run(["centavo", "commands", "--json"], capture_output=True, text=True, check=True).stdout)
commands = {command["id"]: command for command in listed["data"]}
print(sorted(name for name, command in commands.items() if command["risk"] == "moves_money"))
print(commands["billing-statements finalize"]["risk"], 10 in commands["billing-statements finalize"]["exit_codes"])
print(commands["refunds create"]["flags"]["amount"])

"""Prints the verdicts of examples/python/verify.py on the deliveries of stdin."""

import json
import sys
from base64 import b64decode

sys.path.insert(0, sys.argv[1] + '/python')
from verify import is_genuine  # noqa: E402

print(json.dumps([is_genuine(b64decode(d['body']), d['header'], d['secret'], d['live']) for d in json.load(sys.stdin)]))

#!/usr/bin/env node
// The production entry. CommonJS starts faster than an ES module; bin/package.json says so.
'use strict';

const {existsSync} = require('node:fs');
const {join} = require('node:path');

const root = join(__dirname, '..');
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Error: centavo needs Node 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
if (!existsSync(join(root, 'bundle', 'contents.json'))) {
  const setup = join(root, 'tools', 'setup.mjs');
  const next = existsSync(setup) ? `Run: node '${setup}'` : 'Install it again, without --ignore-scripts.';
  process.stderr.write(`Error: this copy of centavo is not built. ${next}\n`);
  process.exit(1);
}
require('../bundle/entry.js').start(process.argv.slice(2), root);

// Loaded before the program: it finds no agent that runs the tests, because /proc shows no process's environment.

const fs = require('node:fs');
const {syncBuiltinESMExports} = require('node:module');

const {readFileSync} = fs;
fs.readFileSync = (path, ...options) => {
  if (!/^\/proc\/\d+\/environ$/.test(path)) return readFileSync(path, ...options);
  throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), {code: 'EACCES'});
};
syncBuiltinESMExports();

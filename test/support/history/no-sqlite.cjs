// Hides the optional SQLite package from a process.

const Module = require('node:module');

const load = Module._load;
Module._load = (request, ...rest) => {
  // The bundle loads the binding by its path.
  if (/(?:^|[\\/]@)libsql(?:[\\/]|$)/.test(request))
    throw Object.assign(new Error('Cannot find module libsql'), {code: 'MODULE_NOT_FOUND'});
  return load.call(Module, request, ...rest);
};

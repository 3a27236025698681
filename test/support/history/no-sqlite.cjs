// Takes the optional package of SQLite away from a process: a Node without a database of its own then has none.

const Module = require('node:module');

const load = Module._load;
Module._load = (request, ...rest) => {
  // The bundle loads the binding by its path.
  if (/(?:^|[\\/]@)libsql(?:[\\/]|$)/.test(request))
    throw Object.assign(new Error('Cannot find module libsql'), {code: 'MODULE_NOT_FOUND'});
  return load.call(Module, request, ...rest);
};

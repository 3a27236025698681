// Exports only the needed parts of undici: its index also loads fetch, caches and mocks, which slows the first request.

export {default as buildConnector} from 'undici/lib/core/connect.js';
export {default as Agent} from 'undici/lib/dispatcher/agent.js';
export {default as Pool} from 'undici/lib/dispatcher/pool.js';

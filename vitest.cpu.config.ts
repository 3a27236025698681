import base from './vitest.config.js';
export default {test: {...base.test, setupFiles: ['/tmp/helpers/cpu-setup.mjs']}};

import {defineConfig} from 'vitest/config';
import base from './vitest.config.js';

// A planted bug may be found by a test of either tier.
export default defineConfig({test: {...base.test, exclude: []}});

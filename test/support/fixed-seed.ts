// Runs before each test file: gives fast-check the seed.

import fc from 'fast-check';
import {SEED} from './seed.js';

fc.configureGlobal({seed: SEED});

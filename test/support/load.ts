// Loads modules of the built program, which need no transform. Some start files beside them, and cannot run from source.

import {createRequire} from 'node:module';

const nativeImport = createRequire(import.meta.url)('./native-import.cjs') as (path: string) => Promise<any>;

export const load = <T>(path: string): Promise<T> =>
  nativeImport(String(new URL(`../../dist/${path}`, import.meta.url)));

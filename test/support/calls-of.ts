// Counts the calls of a source function, as counted by the JavaScript engine.

import {Session} from 'node:inspector/promises';

/** @param name of a function or method: `#recordOf` */
export async function callsOf<T>(
  name: string,
  work: () => Promise<T>,
): Promise<{readonly calls: number; readonly result: T}> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: false});
    const result = await work();
    const {result: scripts} = await session.post('Profiler.takePreciseCoverage');
    const found = scripts.flatMap(({functions}) => functions).filter(({functionName}) => functionName === name);
    return {calls: found.reduce((sum, {ranges}) => sum + ranges[0]!.count, 0), result};
  } finally {
    session.disconnect();
  }
}

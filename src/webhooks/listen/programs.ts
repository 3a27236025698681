// Programs of the user's: the app that is developed, and what runs for each event.

import {startProgram, type Program, type ProgramEnd, type ProgramHost} from '../../programs/program.js';
import type {Delivery} from '../receive/delivery.js';

interface Surroundings {
  readonly host: ProgramHost;
  /** Whether a person sits at a terminal, which the program then shares. */
  readonly sharesTerminal: boolean;
}

/** Milliseconds that a program for an event has to end when it is asked to. */
const GRACE = 500;

/** Starts the app, which prints where centavo does. @param quiet keeps its output off stdout, which is somebody else's */
export const startApp = (words: readonly string[], {quiet, ...options}: Surroundings & {quiet: boolean}): Program =>
  startProgram(words, {...options, stdio: ['inherit', quiet ? 2 : 'inherit', 'inherit']});

/**
 * Runs a program for an event, which it gets on stdin and, in parts, in its environment.
 * @param signal ends it
 */
export async function runForEvent(
  words: readonly string[],
  {id: deliveryId, event: {id, type, objectId}, body}: Delivery,
  {host, sharesTerminal, signal}: Surroundings & {signal: AbortSignal},
): Promise<ProgramEnd> {
  const env = {
    ...host.env,
    CENTAVO_DELIVERY_ID: deliveryId,
    CENTAVO_EVENT_ID: id,
    CENTAVO_EVENT_TYPE: type,
    CENTAVO_OBJECT_ID: objectId,
  };
  const program = startProgram(words, {
    host: {...host, env},
    sharesTerminal,
    leavesRest: true,
    stdio: ['pipe', 2, 2],
    grace: GRACE,
  });
  program.stdin?.end(body);
  const abort = (): void => void program.end();
  signal.addEventListener('abort', abort, {once: true});
  const end = await program.ended;
  signal.removeEventListener('abort', abort);
  return end;
}

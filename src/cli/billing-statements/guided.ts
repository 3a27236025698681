// Asks for a billing statement step by step: who pays, what for, until when, and a review before anything is sent.

import type {Context} from '../../context.js';
import {CentavoError} from '../../errors.js';
import {leftError, openSession, wantedOf, type GuideStart} from './guided/opening.js';
import type {WantedStatement} from './compose/run.js';

/**
 * Asks for a statement; with a start, from its review on. Nothing is kept or sent.
 * @throws CentavoError kind `refused` when it is called off, `interrupted` when it is stopped
 */
export async function guideStatement(context: Context, start?: GuideStart): Promise<WantedStatement> {
  const session = await openSession(context, {start});
  try {
    for (;;) {
      const decision = await session.decide();
      if (decision.what === 'left') throw leftError(context, session);
      if (decision.what === 'quit') throw new CentavoError('refused', 'canceled.', {applied: 'no'});
      if (decision.what === 'goal') return wantedOf(session.state, decision.goal, start);
    }
  } finally {
    session.close();
  }
}

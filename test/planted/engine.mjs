// Bugs planted in the billing engine: one for each of its rules. What they are planted beside, and by what, stands in planted.mjs.

const DECIDE = 'src/billing/engine/decide.ts';
const FACTS = 'src/billing/engine/facts.ts';
const RUN = 'src/billing/engine/run.ts';
const JOURNAL = 'src/billing/engine/journal.ts';

const TABLE = ['test/billing/engine/decide.test.ts'];
const SCHEDULES = ['test/billing/engine/schedules.test.ts'];
const DISK = ['test/billing/engine/journal.test.ts'];

/** @type {readonly import('./planted.mjs').Planted[]} */
export const ENGINE = [
  // What may still land, and what a read may not show yet.
  {
    suffers:
      'A draft that lands just before the settle time is over is not in the list that is read then: there are two.',
    file: DECIDE,
    find: 'doubt.endedAt + timing.settle + timing.lag + (',
    replace: 'doubt.endedAt + timing.settle + (',
    tests: SCHEDULES,
  },
  {
    suffers: 'A draft that lands late is looked for too early: there are two.',
    file: DECIDE,
    find: 'doubt.endedAt + timing.settle + timing.lag + (',
    replace: 'doubt.endedAt + timing.lag + (',
    tests: TABLE,
  },
  {
    suffers: 'An item that lands late, and is shown late, is billed twice.',
    file: DECIDE,
    find: 'asOf: number, {settle, lag}: Timing, now: number): Act | undefined {',
    replace:
      'shown: number, {settle}: Timing, now: number): Act | undefined {\n  const [lag, asOf] = [0, shown + 15_000];',
    tests: SCHEDULES,
  },
  {
    suffers: 'An item in doubt is added again at once.',
    file: DECIDE,
    find: "if (open) return settled(open, asOf, timing, now) ?? {act: 'learn', fact: {what: 'absent', n: open.n}};",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'The wait for a call in doubt is counted from its beginning: what it adds is added twice.',
    file: FACTS,
    find: 'endedAt: fact.at, earlier',
    replace: 'endedAt: pending!.at, earlier',
    tests: TABLE,
  },
  {
    suffers: 'An item that was in doubt is not known for one’s own: when it is one too many, it is not removed.',
    file: DECIDE,
    find: "if (item) return {act: 'learn', fact: {what: 'found', n: doubt.n, at: now, id: item.id, item: contentOf(item)}};",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'An item that a person had added before is taken for one in doubt, and removed when it is too many.',
    file: DECIDE,
    find: '!known.before?.includes(id) &&',
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'The answer to one item ends the doubt about another that reads the same: it is billed once too often.',
    file: FACTS,
    find: 'each.id !== about || isCreation(call),',
    replace: 'each.id !== about,',
    tests: TABLE,
  },
  {
    suffers: 'A draft that was made a second ago is called missing.',
    file: DECIDE,
    find: 'missing.began - timing.lag >= known.shownAt ? stop',
    replace: 'missing.began >= 0 ? stop',
    tests: TABLE,
  },
  {
    suffers: 'An item that was just added is called gone, since an old read does not show it.',
    file: DECIDE,
    find: 'if (view.began - timing.lag < known.shownAt) return lookLater(known.shownAt, timing, now);',
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'A read from before the last change is believed.',
    file: FACTS,
    find: 'const now = {...known, doubts, shownAt: at};',
    replace: 'const now = {...known, doubts};',
    tests: TABLE,
  },
  {
    suffers: 'Whatever an earlier process of the run did is insisted on, though a person has taken it back.',
    file: FACTS,
    find: '{...known, items: new Map(), due: undefined}',
    replace: '{...known, due: undefined}',
    tests: TABLE,
  },
  {
    suffers: 'A draft whose keys somebody took away keeps the program busy without end.',
    file: DECIDE,
    find: 'const byOthers = isLeft && ',
    replace: 'const byOthers = ',
    tests: TABLE,
  },
  {
    suffers: 'A due time that an earlier process asked for replaces the one that was confirmed.',
    file: DECIDE,
    find: 'if (wait) return wait;',
    replace: '',
    tests: SCHEDULES,
  },

  // Whose a draft is.
  {
    suffers: 'A draft of another computer is changed while that one finalizes it: it is opened half changed.',
    file: DECIDE,
    find: "if (now < until) return {act: 'wait', until, why: 'takeover'};\n    if (view.began < until) return {act: 'look'};",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'After the wait for another computer, what was seen before it is relied on.',
    file: DECIDE,
    find: "    if (view.began < until) return {act: 'look'};\n",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'The run whose draft was taken over changes it again, while the new owner finalizes it.',
    file: DECIDE,
    find: "if (former.includes(self.run) && owner !== self.run) return stop('taken');",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'Of three computers the first does not learn that its draft was taken over.',
    file: DECIDE,
    find: 'owner === undefined ? former : [...former, owner]',
    replace: 'owner === undefined ? former : [owner]',
    tests: TABLE,
  },
  {
    suffers:
      'A draft that is taken over loses the key by which its maker finds it: that makes another, and both can be paid.',
    file: RUN,
    find: '{[PLAN_KEY]: journal.key, ...(isHash(metadata) && metadata), ...keys}',
    replace: '{...(isHash(metadata) && metadata), [PLAN_KEY]: journal.key, ...keys}',
    tests: SCHEDULES,
  },
  {
    suffers: 'What a merchant noted in the metadata of a draft is lost when it is taken over.',
    file: RUN,
    find: '...(isHash(metadata) && metadata), ...keys}',
    replace: '...keys}',
    tests: SCHEDULES,
  },
  {
    suffers: 'Who is told that a draft was taken over, and to take it back, is told so again and again.',
    file: RUN,
    find: "if (act.stop.why === 'taken') journal.disown();",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'An item that a person added is removed.',
    file: DECIDE,
    find: "if (others.length > 0) return {act: 'stop', stop: {why: 'foreign', items: others}};",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'Of two items that read the same, that of the person is called too many.',
    file: DECIDE,
    find: 'new Set(items.filter((item) => !isOwn(item)).map(({id}) => id)),',
    replace: 'new Set(),',
    tests: TABLE,
  },
  {
    suffers: 'An edit overwrites what somebody else changed since it was confirmed.',
    file: DECIDE,
    find: "if (plan.edits && !isAsBefore(statement, plan.edits)) return stop('changed');",
    replace: '',
    tests: TABLE,
  },

  // What is opened.
  {
    suffers: 'A statement without the due date that was asked for is opened.',
    file: DECIDE,
    find: "if (!isDue(plan, known, statement)) return {act: 'call', call: 'due'};",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'A statement is finalized as it was an hour ago.',
    file: DECIDE,
    find: 'now - view.began > timing.age || ',
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'A laptop that slept before it finalizes opens what a person has changed meanwhile.',
    file: RUN,
    find: "if (view && call === 'finalize' && !this.#plan.named && now() - view.began > timing().age)",
    replace: 'if (false as boolean)',
    tests: SCHEDULES,
  },
  {
    suffers: 'A statement is finalized that the service has not shown since it was changed.',
    file: DECIDE,
    find: "view.kind === 'assembled' || isOld",
    replace: 'isOld',
    tests: TABLE,
  },
  {
    suffers: 'After a finalize without an answer, what was seen before it decides.',
    file: DECIDE,
    find: ' || (doubted !== undefined && view.began < doubted.endedAt)',
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'A draft that was asked for is finalized.',
    file: DECIDE,
    find: "return plan.finalize ? {act: 'call', call: 'finalize'} : {act: 'done'};",
    replace: "return {act: 'call', call: 'finalize'};",
    tests: TABLE,
  },
  {
    suffers: 'A service that rounds the due time is asked to change it for ever.',
    file: DECIDE,
    find: 'due === asked || due === answered',
    replace: 'due === asked',
    tests: TABLE,
  },

  // What is sent.
  {
    suffers:
      'A statement with another total than was confirmed is sent, since a person changed it while it was being opened.',
    file: DECIDE,
    find: "if (plan.items.length > 0 && !isWanted(plan, known, view.statement)) return stop('mismatch');",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'A statement with another total than its items is sent.',
    file: DECIDE,
    find: '(amount === undefined || amount === null || BigInt(amount) === amountOf(wanted)) &&',
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'An old read of an open statement decides that it is sent: it showed 6,000 of 12,000.',
    file: DECIDE,
    find: 'const until = known.openedAt + timing.lag;',
    replace: 'const until = known.openedAt;',
    tests: TABLE,
  },
  {
    suffers: 'A statement that a colleague opened, and may have sent, is sent.',
    file: DECIDE,
    find: '!(isOurs && known.finalize !== undefined)',
    replace: '!isOurs',
    tests: SCHEDULES,
  },
  {
    suffers: 'A send without an answer is repeated by the next process: the customer gets the bill twice.',
    file: FACTS,
    find: "...(fact.call === 'send' && {send: 'intended'})",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'After a send that was refused, the statement is never sent.',
    file: FACTS,
    find: ", ...(pending?.call === 'send' && {send: undefined})",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'What another command has sent a moment ago is sent again.',
    file: RUN,
    find: "this.#sentBefore = send === 'sent';",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'What another command may have sent a moment ago is sent again.',
    file: RUN,
    find: "if (send === 'in_doubt') throw new CentavoError('outcome_unknown', '', {applied: 'no', code: 'send_in_doubt'});",
    replace: '',
    tests: SCHEDULES,
  },
  {
    suffers: 'A void statement is called done.',
    file: DECIDE,
    find: "if (statement.status !== 'open' && statement.status !== 'paid') return stop('ended');",
    replace: '',
    tests: TABLE,
  },
  {
    suffers: 'A statement that has another amount by now than was shown is sent.',
    file: DECIDE,
    find: 'return view && view.statement.amount !== named!.shown?.amount ?',
    replace: 'return view && view.statement.amount === null ?',
    tests: TABLE,
  },

  // What is recorded, and taken up.
  {
    suffers: 'What an earlier process was about to do when it was killed is forgotten: its item stops the run.',
    file: RUN,
    find: '    if (pending) {\n',
    replace: '    if (pending && pending.n < 0) {\n',
    tests: SCHEDULES,
  },
  {
    suffers: 'An answer that did not come is taken for a refusal: an item is billed twice.',
    file: RUN,
    find: "this.#learn({what: 'doubt', at: now()});\n        const isOver",
    replace: "this.#learn({what: 'refused', at: now()});\n        const isOver",
    tests: SCHEDULES,
  },
  {
    suffers: 'A change that was never answered is asked for without end.',
    file: RUN,
    find: '++this.#doubts > MOST_DOUBTS',
    replace: '++this.#doubts > 1000',
    tests: SCHEDULES,
  },
  {
    suffers: 'A customer of somebody else with the same address gets the bill, after an answer was lost.',
    file: RUN,
    find: 'if (isHash(each.metadata) && each.metadata[PLAN_KEY] === journal.key) ({id} = each);',
    replace: '({id} = each);',
    tests: SCHEDULES,
  },
  {
    suffers: 'What the last release finalized, and did not get to send, is never sent.',
    file: RUN,
    find: 'if (this.#known.finalize === undefined && finalizedAt !== undefined && madeAt !== undefined) {',
    replace: 'if (false as boolean) {',
    tests: SCHEDULES,
  },
  {
    suffers:
      'A change that the last release made a second before it was killed lands after the statement was confirmed.',
    file: RUN,
    find: 'if (unsettled && journal.facts.length === 0) {',
    replace: 'if (false as boolean) {',
    tests: SCHEDULES,
  },
  {
    suffers: 'A process that is killed leaves no word of the call that it was making: it is made again.',
    file: JOURNAL,
    find: "if (fact.what !== 'intend') return;",
    replace: "if (fact.what !== 'doubt') return;",
    tests: DISK,
  },
  {
    suffers: 'A call that the full disk could not record, and that was not made, is in doubt for ever.',
    file: JOURNAL,
    find: 'later.pop();',
    replace: '',
    tests: DISK,
  },
  {
    suffers: 'Two processes complete the same statement at the same time: its items are there twice.',
    file: JOURNAL,
    find: 'found.pid !== owner.pid && isAlive(found.pid, found.started_at)',
    replace: 'found.pid === owner.pid && isAlive(found.pid, found.started_at)',
    tests: DISK,
  },
  {
    suffers: 'A statement whose process was killed cannot be completed any more.',
    file: JOURNAL,
    find: 'found.pid !== owner.pid && isAlive(found.pid, found.started_at)',
    replace: 'found.pid !== owner.pid',
    tests: DISK,
  },
  {
    suffers: 'A run that goes on does not lock itself again: a third process joins it.',
    file: JOURNAL,
    find: 'DO UPDATE SET pid = excluded.pid, started_at = excluded.started_at, at = excluded.at',
    replace: 'DO UPDATE SET at = excluded.at',
    tests: DISK,
  },
  {
    suffers: 'A run is not found by its statement: that is taken over from oneself, with a minute of waiting.',
    file: JOURNAL,
    find: "if (statement !== undefined)\n        database.prepare('UPDATE run SET statement = ? WHERE run = ? AND statement IS NULL').run(statement, run);",
    replace: '',
    tests: DISK,
  },
  {
    suffers: 'What runs billed is kept on this computer for ever.',
    file: JOURNAL,
    find: "database.prepare('DELETE FROM run WHERE at < ?').run(now() - KEPT * DAY);",
    replace: '',
    tests: DISK,
  },
];

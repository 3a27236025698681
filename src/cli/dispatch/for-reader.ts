// Prepares an error for its reader: a person at a terminal, who may lift a guard, or a program, which may not.

import {CentavoError, EXIT_CODES, nextCommand, type FileFault, type NextCommand} from '../../common/errors.js';
import {commandText, nextText} from '../../common/next-text.js';
import type {Context} from '../../context/context.js';
import {agentText} from '../operations/hand-over-record.js';
import type {CommandIndex} from '../catalog/command-index.js';
import {longId} from '../catalog/short-names.js';
import {wantsJson, wordsBeforeDashes} from '../command-line.js';
import {accountArgs} from '../next-steps.js';
import {isOverride} from '../overrides.js';
import {findCommand} from './argv.js';

const MACHINE_FLAG = /^(?:--jq(?:=.*)?|--output=csv|-[A-Za-z]*o=?(?:csv|jsonl?))$/s;

/** True if a program reads the output, as JSON or csv: it gets errors as JSON too. */
const isForMachine = (argv: readonly string[]): boolean =>
  wantsJson(argv) ||
  wordsBeforeDashes(argv).some(
    (word, index, words) =>
      MACHINE_FLAG.test(word) ||
      (/^(?:csv|jsonl?)$/.test(word) && /^(?:-[A-Za-z]*o|--output)$/.test(words[index - 1] ?? '')),
  );

/** Returns an interruption by SIGTERM as kind `terminated`, and other errors unchanged. */
export function withSignalKind(thrown: unknown, status: number | undefined): unknown {
  const terminated =
    status === EXIT_CODES.terminated.exit && thrown instanceof CentavoError && thrown.kind === 'interrupted';
  return terminated ? new CentavoError('terminated', thrown.message, thrown.details) : thrown;
}

/** Names objects for people, and leaves programs only the commands that need no person. `json` is true for JSON. */
export async function forReader(
  thrown: unknown,
  context: Context,
  argv: readonly string[],
  commands: CommandIndex['commands'],
): Promise<{error: unknown; json: boolean}> {
  const json = isForMachine(argv);
  if (!(thrown instanceof CentavoError)) return {error: thrown, json};
  const {names, io} = context;
  const canAsk = !json && io.canConfirm;
  const concernsProject = context.flags.project !== undefined || (thrown.kind === 'not_found' && context.usesSandbox());
  const found = concernsProject
    ? await (await import('./error-in-project.js')).errorInProject(thrown, context, argv)
    : thrown.code === 'unreadable_file'
      ? (await import('./missing-file.js')).suggestFile(thrown)
      : thrown;
  // After a secret on the command line, the user must know that it was not sent.
  const isSecret = found.code === 'secret_in_argument';
  const unsaid = found.kind === 'usage' && !isSecret && sendsNothing(argv, commands);
  const failure = unsaid ? found.with({changed: found.details.changed ?? ''}) : found;
  // Reading a live account lifts no guard. Over MCP, the configuration of the client chooses the key.
  const readsLive = failure.code === 'no_key' && failure.details.override === '--live' && isRead(argv, commands);
  if (readsLive && !canAsk && !context.agent()?.isAlwaysAsked) {
    const read = wordsBeforeDashes(argv);
    const next = [nextCommand('To read with the live key', [...read, '--live', ...argv.slice(read.length)])];
    return {error: failure.with({override: undefined, hint: undefined, needsPerson: false, next}), json};
  }
  const error = canAsk ? failure : withAgent(await forPrograms(failure, context, commands), context);
  if (names.size === 0 || json) return {error: worded(error, canAsk), json};
  const {rememberNames, replaceIdsByNames} = await import('./ids-to-names.js');
  await rememberNames(context);
  return {error: worded(replaceIdsByNames(error, names), canAsk), json};
}

/** Codes of errors in place of a question, besides refusals that a flag lifts. */
const UNASKED =
  /^(?:cannot_(?:ask|confirm)|(?:customer|item|statement)_ambiguous|missing_\w+|no_ids|nothing_to_change|several_jobs)$/;

/** Adds the agent where a person decides. The text names it if the agent alone forbids a question. */
function withAgent(error: CentavoError, {io, agent}: Context): CentavoError {
  const seen = agent();
  const {override, needsPerson: isDecision, why = ''} = error.details;
  if (!seen) return error;
  const asks = (override !== undefined && error.kind === 'refused') || UNASKED.test(error.code);
  const {variable, pid} = seen;
  const names = asks && (io.isAttended || error.code === 'cannot_confirm') && !why.includes(agentText(seen));
  const words = names ? [`${agentText(seen)}, so nothing can be asked.`, why] : [why];
  return error.with({
    agent: isDecision ? {variable, pid} : undefined,
    why: words.filter(Boolean).join(' ') || undefined,
  });
}

const PERSON_DECIDES = 'A person decides this, at a terminal.';

/** Writes the next step as the hint. A flag that lifts the refusal is named only to a person who may decide it. */
function worded(error: CentavoError, canAsk: boolean): CentavoError {
  const {override, faults, folded} = error.details;
  const lifted = (flag: string | undefined): string | undefined =>
    flag === undefined ? undefined : canAsk ? `To do it anyway, add ${flag}.` : PERSON_DECIDES;
  const ofFault = ({override: flag, next, fix, ...fault}: FileFault): FileFault => ({
    ...fault,
    fix: [fix, canAsk && lifted(flag), next && commandText(next)].filter(Boolean).join(' '),
  });
  // A fault of a file can be corrected there, without a decision.
  const steps = [canAsk || !faults ? lifted(override) : undefined, nextText(error.details)].filter(
    (step) => step !== undefined,
  );
  // Only a command has to be at the end. The safe way comes first.
  if (canAsk && steps.at(-1)?.endsWith('.')) steps.reverse();
  return error.with({
    hint: steps.join(' ') || undefined,
    faults: faults?.map(ofFault),
    folded: folded?.map(ofFault),
  });
}

/** Completes an error for programs, and leaves in `next` only the commands that they may run. */
async function forPrograms(error: CentavoError, context: Context, commands: CommandIndex['commands']) {
  const known = error.with({ids: idsOf(error), needsPerson: needsPerson(error)});
  return known.details.next?.length ? withSafeNext(known, context, commands) : known;
}

/**
 * Removes the flags that lift a guard. In live mode a change is a person's, so only reads remain. A read keeps --live if
 * the key is a profile's: without it the read would use the test key, and find nothing. A live key of the environment
 * needs no flag. A command that asks questions stays in the hint alone.
 */
async function withSafeNext(error: CentavoError, context: Context, commands: CommandIndex['commands']) {
  const {next = [], ids: [id] = [], hint} = error.details;
  const {isLive, needsFlag} = await modeOf(context);
  const isAllowed = (arg: string): boolean => !isOverride(arg) || (arg === '--live' && isLive && needsFlag);
  const safe = next
    .filter(({args}) => !isLive || isRead(args, commands))
    .map(({words, args}): NextCommand => ({words, args: args.filter(isAllowed)}));
  const runnable = safe.filter(({args}) => !asksQuestions(args));
  if (runnable.length > 0) return error.with({next: runnable, hint: hint ?? nextText({next: safe})});
  const see = id === undefined ? [] : [nextCommand('See it', 'get', id, accountArgs(context))];
  const step = nextText({hint, next: [...safe, ...see]}) ?? PERSON_DECIDES;
  return error.with({next: see, needsPerson: true, hint: step});
}

/** Commands that ask for what is missing, with the flags that say it. */
const ASKED: Readonly<Record<string, RegExp>> = {
  'billing-statements:create': /^--(?:item|items|continue)$/,
  'billing-statements:edit': /^--(?:item|due)$/,
  'billing-statements:settle': /^--paid-outside$/,
  // The error proposes a name or an address; the command asks for the other.
  'customers:create': /^--data$/,
  'refunds:create': /^--amount(?:-centavos)?$/,
};

function asksQuestions(args: readonly string[]): boolean {
  const command = longId(args.slice(0, 2).join(':')) in ASKED ? args.slice(0, 2).join(':') : longId(args[0] ?? '');
  const needed = args.includes('--help') ? undefined : ASKED[command];
  return args.includes('--edit') || (needed !== undefined && !args.some((arg) => needed.test(arg)));
}

async function modeOf(context: Context): Promise<{isLive: boolean; needsFlag: boolean}> {
  try {
    const {mode, key} = await context.connection();
    return {isLive: mode === 'live', needsFlag: key?.stored !== undefined};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    // The account is not known, so --live decides.
    return {isLive: context.flags.live === true, needsFlag: true};
  }
}

function isRead(args: readonly string[], commands: CommandIndex['commands']): boolean {
  if (args[0] === 'api') return args[1] === 'GET';
  const {typed} = findCommand(args, commands);
  return typed === undefined || commands[longId(typed)]?.risk === 'reads' || args.includes('--help');
}

/** True if the command never changes anything, so that its errors do not say so. */
const sendsNothing = (argv: readonly string[], commands: CommandIndex['commands']): boolean =>
  wordsBeforeDashes(argv).includes('--dry-run') ||
  (findCommand(argv, commands).typed !== undefined && isRead(argv, commands));

/** Codes of refusals that a person decides, besides those that a flag lifts: keys, limits, questions, and choices. */
const DECISIONS = new Set(
  `cannot_ask cannot_confirm changed_meanwhile contradiction customer_ambiguous exposed incomplete_draft
  billed_twice item_ambiguous key_changed key_gone mode_mismatch no_profile not_confirmed
  other_account other_origin over_max_amount read_only send_in_doubt several_jobs statement_ambiguous
  statement_differs too_many_statements unexpected_items unknown_amount unknown_profile unsafe_tls`.split(/\s+/),
);

const needsPerson = ({code, kind, details}: CentavoError): boolean =>
  details.needsPerson ??
  (details.override !== undefined ||
    DECISIONS.has(code) ||
    kind === 'auth' ||
    kind === 'keychain' ||
    (kind === 'outcome_unknown' && !details.next?.length) ||
    (details.faults ?? []).some(({override}) => override !== undefined));

/** An id in a path: `/billing_statements/bstm_7Hq2/send`. */
const ID_IN_PATH = /(?<=\/)[a-z_]+_(?=[^/]*[A-Z0-9])[A-Za-z0-9]+/g;

/** Returns the objects that the error names, else those of its results, the earlier change or the request. */
function idsOf({details: {ids, results, before, request}}: CentavoError): readonly string[] {
  if (ids) return ids;
  const found = results?.map(({id}) => id) ?? before?.ids ?? request?.path.match(ID_IN_PATH) ?? [];
  return [...new Set(found)];
}

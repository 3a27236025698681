// What an agent is told: its page of help, and who forbids a question.

import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import type {CommandIndex} from '../../../src/cli/catalog/command-index.js';
import {longId} from '../../../src/cli/catalog/short-names.js';
import {EXIT_MEANINGS} from '../../../src/commands/help.js';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {loaded, terminal} from '../../support/terminal.js';

const {commands} = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../../bundle/commands.json', import.meta.url)), 'utf8'),
) as CommandIndex;
const run = commandsIn(temporaryDirectory(afterAll));
const AGENT = {CLAUDECODE: '1'};
const NAMED = /CLAUDECODE in process \d+ shows an agent, so nothing can be asked\./;

const idOf = (name: string): string => longId(name.trim().replaceAll(' ', ':'));

/** The commands of a list of the page. */
function listed(page: string, title: string): string[] {
  const [, list = ''] = new RegExp(`^## ${title}.*\n\n- (.*)$`, 'm').exec(page) ?? [];
  return list.split(',').map(idOf).sort();
}

describe('help agents', () => {
  test('has each command in the list of what an agent may do, and names no other', async () => {
    const {stdout: page} = await run(['help', 'agents', '--markdown']);
    const ids = Object.keys(commands).filter((id) => commands[id]!.risk !== 'reads' && !id.startsWith('sandbox:'));
    const others = listed(page, 'Commands that a person runs');
    expect(others).toEqual(ids.filter((id) => (commands[id]!.agents ?? 'never') === 'never').sort());
    expect(page).toContain('\n- All other changes of the account hand over.\n');
    expect(page).toContain('\n- The API has no disputes, and lists no webhook deliveries: ');
    // It sends an event to a program of this machine.
    const rest = ids.filter((id) => !others.includes(id) && id !== 'webhooks:trigger');
    for (const id of rest) expect(commands[id]!.agents, id).toBe('hands_over');
    const named = [...page.matchAll(/`centavo ([a-z -]+?)(?: --[^`]*)?`/g)].map(([, words]) => idOf(words!));
    expect(named.length).toBeGreaterThan(15);
    for (const id of named) expect(Object.keys(commands)).toContain(id);
    expect(page).toContain(`\n- 10: ${EXIT_MEANINGS.outcome_unknown}\n`);
    expect(page).toContain('\n- `needs_person`: ');
  });

  test('has the same words in each form, at most 80 columns wide, and a name as a skill', async () => {
    const [text, markdown, skill, json] = await Promise.all(
      [[], ['--markdown'], ['--skill'], ['--json']].map((flags) => run(['help', 'agents', ...flags])),
    );
    const words = (page: string): string[] => page.split(/\s+/);
    expect(words(text!.stdout)).toEqual(words(markdown!.stdout));
    for (const line of text!.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(skill!.stdout).toMatch(/^---\nname: centavo\ndescription: [^:\n]+\n---\n\n# centavo/);
    expect(skill!.stdout.endsWith(markdown!.stdout)).toBe(true);
    expect(json!.json()).toEqual({markdown: markdown!.stdout});
  });
});

test('status and doctor say which agent was seen', async () => {
  const as = (env: Record<string, string>) => cli(temporaryDirectory(), {env});
  const [seen, unseen, doctor] = await Promise.all([
    as(AGENT)(['status', '--json']),
    as({})(['status', '--json']),
    as(AGENT)(['doctor']),
  ]);
  expect(seen!.json()).toMatchObject({agents: 'ask', agent: {variable: 'CLAUDECODE', pid: expect.any(Number)}});
  expect(unseen!.json()).toMatchObject({agents: 'ask', agent: null});
  expect(doctor!.stdout).toMatch(/^machine\tagent\tok\tCLAUDECODE in process \d+: nothing can be asked\t/m);
});

test('a loosened limit is refused with the agent, in words and in JSON', async () => {
  const as = cli(temporaryDirectory(), {env: AGENT});
  const words = ['config', 'set', 'agents', 'allow'];
  const [text, json] = await Promise.all([as(words), as([...words, '--json'])]);
  expect(text).toMatchObject({status: 12, stderr: expect.stringMatching(NAMED)});
  expect(JSON.parse(json.stderr).error).toMatchObject({
    code: 'cannot_confirm',
    needs_person: true,
    agent: {variable: 'CLAUDECODE', pid: expect.any(Number)},
    message: expect.stringMatching(NAMED),
  });
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test.for([['customers', 'create'], ['bill'], ['config', 'set', 'agents', 'allow']])(
    '%j names the agent, which alone forbids the question',
    async (words) => {
      const shown = terminal(temporaryDirectory(), words, {columns: 400, env: AGENT});
      expect(await shown.ended).not.toBe(0);
      expect(shown.text()).toMatch(NAMED);
      expect(shown.text()).not.toMatch(/no terminal/i);
    },
  );

  test('a wrong value does not name it', async () => {
    const shown = terminal(temporaryDirectory(), ['customers', 'get', 'nobody@example.com'], {
      columns: 400,
      env: AGENT,
    });
    expect(await shown.ended).toBe(3);
    expect(shown.text()).not.toContain('CLAUDECODE');
  });
});

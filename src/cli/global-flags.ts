// The flags of every command.

import {Flags, type Interfaces} from './oclif.js';

const helpGroup = 'GLOBAL';

export const globalFlags = {
  json: Flags.boolean({
    summary: 'Print JSON as returned by the API. Same as -o json.',
    helpGroup,
    exclusive: ['output'],
  }),
  output: Flags.string({
    char: 'o',
    summary: 'Output format: table, json, jsonl or csv.',
    helpValue: '<format>',
    options: ['table', 'json', 'jsonl', 'csv', 'curl'],
    helpGroup,
  }),
  fields: Flags.string({summary: 'Print only these fields.', helpValue: '<a,b>', helpGroup}),
  jq: Flags.string({summary: 'Filter JSON output with a jq expression.', helpValue: '<program>', helpGroup}),
  profile: Flags.string({
    char: 'p',
    summary: 'Profile to use, or sandbox.',
    helpValue: '<name>',
    helpGroup,
  }),
  project: Flags.string({
    summary: 'Project of the sandbox: each has its own data and keys.',
    helpValue: '<name>',
    helpGroup,
  }),
  live: Flags.boolean({summary: 'Use the live key, and allow changes in live mode.', helpGroup}),
  yes: Flags.boolean({char: 'y', summary: 'Skip confirmation prompts.', helpGroup}),
  'no-input': Flags.boolean({summary: 'Never prompt. A missing value is an error.', helpGroup}),
  'dry-run': Flags.boolean({
    summary: 'Show what would happen, without making changes. With -v or -o curl, or in a pipe, show the requests.',
    helpGroup,
  }),
  quiet: Flags.boolean({char: 'q', summary: 'Do not print notes on stderr.', helpGroup, exclusive: ['verbose']}),
  verbose: Flags.boolean({
    char: 'v',
    summary: 'Print each request and response on stderr, without secrets.',
    helpGroup,
  }),
  reveal: Flags.boolean({summary: 'Show client secrets and webhook secrets on stdout.', helpGroup}),
  timeout: Flags.string({summary: 'Time limit for each API call: 30s, 2m.', helpValue: '<time>', helpGroup}),
  'no-color': Flags.boolean({summary: 'Disable color output.', helpGroup}),
  schema: Flags.boolean({
    summary: 'Print the JSON Schema of the --json output and exit. For errors: --schema=error.',
    helpGroup,
  }),
};

export type GlobalFlags = Readonly<Partial<Interfaces.InferredFlags<typeof globalFlags>>>;

// The flags that every command has, declared once.

import {Flags} from '@oclif/core';

const helpGroup = 'GLOBAL';

export const globalFlags = {
  json: Flags.boolean({summary: 'Print JSON as the API gives it (-o json).', helpGroup, exclusive: ['output']}),
  output: Flags.string({
    char: 'o',
    summary: 'How to print: table, json, jsonl or csv.',
    helpValue: '<format>',
    options: ['table', 'json', 'jsonl', 'csv', 'curl'],
    helpGroup,
  }),
  fields: Flags.string({summary: 'Only these fields.', helpValue: '<a,b>', helpGroup}),
  jq: Flags.string({summary: 'Run a jq program over the JSON.', helpValue: '<program>', helpGroup}),
  profile: Flags.string({
    char: 'p',
    summary: 'Which account: a profile, or sandbox.',
    helpValue: '<name>',
    helpGroup,
  }),
  live: Flags.boolean({summary: 'Use the live key, and allow this command to change something with it.', helpGroup}),
  yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation.', helpGroup}),
  'no-input': Flags.boolean({summary: 'Ask for nothing: a missing value is an error.', helpGroup}),
  'dry-run': Flags.boolean({
    summary: 'Change nothing: show the request (-o curl: as a curl line), or say what would be done.',
    helpGroup,
  }),
  quiet: Flags.boolean({char: 'q', summary: 'Print no notes on stderr.', helpGroup, exclusive: ['verbose']}),
  verbose: Flags.boolean({char: 'v', summary: 'Print each attempt of each request on stderr.', helpGroup}),
  reveal: Flags.boolean({summary: 'Show client secrets and webhook secrets on stdout.', helpGroup}),
  timeout: Flags.string({summary: 'How long a call may take: 30s, 2m.', helpValue: '<time>', helpGroup}),
  'no-color': Flags.boolean({summary: 'Print without colour.', helpGroup}),
};

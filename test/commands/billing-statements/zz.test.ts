import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../helpers/cli.js';
import {commandsIn} from '../support/commands.js';
import {importFile, importService, type ImportFaults} from '../support/import-service.js';

async function stage(count = 3, faults: ImportFaults = {}) {
  const service = await importService(faults);
  onTestFinished(() => service.close());
  const directory = temporaryDirectory();
  const file = join(directory, 'june.csv');
  const {text, amounts} = importFile(count);
  writeFileSync(file, text);
  const run = commandsIn(directory, {pace: 0.001, env: service.env});
  return {service, directory, file, text, amounts, run};
}
const jobs = (d: string) => readdirSync(join(d, 'jobs')).filter((n) => n.endsWith('.db')).map((n) => n.slice(0, -3));
const show = (what: string, r: any) => console.log(`=== ${what}: exit ${r.status}\n${r.stdout}${r.stderr}`);

test('cut', async () => {
  const {service, file, run, directory} = await stage(6);
  service.faults = {onChange: (n) => { if (n === 14) service.cut = true; }};
  show('cut', await run(['billing-statements','import',file,'--send','--yes']));
  service.cut = false; service.faults={};
  show('cut json', await run(['jobs','get',jobs(directory)[0]!]));
  service.faults = {onChange: (n) => { if (n === 32) service.cut = true; }};
  show('cut2', await run(['jobs','resume',jobs(directory)[0]!,'--yes','--json']));
}, 60000);
test('429 for ever', async () => {
  const {service, file, run, directory} = await stage(3);
  service.faults = {onChange: (n) => { if (n === 6) service.faults = {perSecond: 0}; }};
  show('429', await run(['billing-statements','import',file,'--send','--yes', '--timeout', '0.2']));
}, 60000);
test('finalize with +30d, send the next day', async () => {
  const {service, file, text, run} = await stage(2);
  writeFileSync(file, text.replaceAll('2031-12-15', '+30d'));
  show('finalize', await run(['billing-statements','import',file,'--finalize','--yes']));
  const now = Date.now; Date.now = () => now() + 86_400_000 * 2;
  try { show('send', await run(['billing-statements','import',file,'--send','--yes'])); } finally { Date.now = now; }
});
test('abandon then resume; sandbox reset', async () => {
  const {service, file, text, run, directory} = await stage(2);
  service.faults = {onChange: (n) => { if (n === 4) service.cut = true; }};
  show('cut', await run(['billing-statements','import',file,'--send','--yes']));
  service.cut=false; service.faults={};
  const [job] = jobs(directory);
  show('abandon', await run(['jobs','abandon',job!]));
  show('import', await run(['billing-statements','import',file,'--send','--yes']));
  show('resume abandoned', await run(['jobs','resume',job!, '--yes']));
}, 60000);
test('sandbox reset', async () => {
  const directory = temporaryDirectory(); const run = commandsIn(directory, {pace: 0.001});
  const file = join(directory,'june.csv'); writeFileSync(file, importFile(2).text);
  show('import', await run(['billing-statements','import',file,'--send','--yes']));
  show('reset', await run(['sandbox','reset','--yes']));
  show('resume', await run(['jobs','resume',jobs(directory)[0]!, '--yes']));
});

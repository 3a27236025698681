// A process that delivers the events of a sandbox file, `once` or until stopped. Prints a line per attempt.

import {openSandbox} from '../../../dist/sandbox/sandbox.js';

const [path, mode] = process.argv.slice(2);
const sandbox = openSandbox({path});
const onAttempt = (attempt) => process.stdout.write(`${JSON.stringify(attempt)}\n`);

if (mode === 'once') {
  await sandbox.deliverDue({onAttempt});
  sandbox.close();
} else {
  const delivery = sandbox.startDelivery({onAttempt});
  const idle = setInterval(() => {}, 60_000);
  process.on('SIGTERM', async () => {
    await delivery.stop();
    sandbox.close();
    clearInterval(idle);
  });
}

// A process of its own that delivers what is in the sandbox's file: `once`, or until it is ended. Each attempt is a line on stdout.

import {createSandbox} from '../../../dist/sandbox/sandbox.js';

const [path, mode] = process.argv.slice(2);
const sandbox = createSandbox({path});
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

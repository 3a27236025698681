// The client suite over HTTP with bodies in JSON, as the specification says.

import {onTestFinished} from 'vitest';
import {createClient} from '../../src/client/client.js';
import {clientSuite} from './suite.js';

clientSuite('over HTTP in JSON', async (sandbox) => {
  const server = await sandbox.serve({port: 0});
  onTestFinished(server.close);
  return (given) => createClient({...given, baseUrl: server.url, encoding: 'json'});
});

// The client suite without a network: the sandbox's handle is the client's transport.

import {createClient} from '../../src/client/client.js';
import {clientSuite} from './suite.js';

clientSuite('in process', async (sandbox) => (given) => createClient({...given, transport: sandbox.handle}));

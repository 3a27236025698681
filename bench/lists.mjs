// A server on this machine that answers each program's request for a list, until its parent ends.

import {createServer} from 'node:http';
import {CENTAVO, PEERS} from './programs.mjs';

const answers = new Map([CENTAVO, ...PEERS].map(({list}) => [list.path, list.answer]));
const server = createServer(({url}, response) => {
  const body = answers.get(new URL(url, 'http://localhost').pathname);
  response.writeHead(body ? 200 : 404, {'content-type': 'application/json'}).end(body ?? '{}');
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());

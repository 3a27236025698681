// Prints the verdicts of examples/node/verify.js on the deliveries of stdin.

import {buffer} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';

const {isGenuine} = await import(pathToFileURL(`${process.argv[2]}/node/verify.js`).href);
const deliveries = JSON.parse(await buffer(process.stdin));
const verdicts = deliveries.map(({body, header, secret, live}) =>
  isGenuine(Buffer.from(body, 'base64'), header, secret, live),
);
console.log(JSON.stringify(verdicts));

// How many events the example has acted on, for `centavo webhooks test --state-command`: node examples/express/count.js [folder]

import {Orders} from './orders.js';

console.log(new Orders(process.argv[2] ?? 'orders').count());

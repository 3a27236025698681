// Another process on the same database: adds to a counter, reads, holds a transaction, or dies in one. It starts when stdin ends.

import {readSync} from 'node:fs';
import {openDatabase} from '../../../dist/storage/sqlite.js';

const [path, task, times] = process.argv.slice(2);
const database = openDatabase(path);

/** Reports ready, then waits and keeps its locks. */
function waitForGo() {
  process.stdout.write('ready\n');
  readSync(0, Buffer.alloc(1));
}

if (task === 'count') {
  waitForGo();
  for (let count = 0; count < Number(times); count++) {
    database.transaction(() => {
      const {text} = database.get('SELECT text FROM notes');
      database.run('UPDATE notes SET text = ?', text + 1);
    });
  }
} else if (task === 'read') {
  waitForGo();
  const rows = database.transaction(() => database.all('SELECT text FROM notes'));
  process.stdout.write(JSON.stringify(rows.map(({text}) => text)));
} else {
  database.transaction(() => {
    database.run("INSERT INTO notes (text) VALUES ('held')");
    waitForGo();
    if (task === 'die') process.kill(process.pid, 'SIGKILL');
  });
}
database.close();

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
      const {text} = database.prepare('SELECT text FROM notes').get();
      database.prepare('UPDATE notes SET text = ?').run(text + 1);
    });
  }
} else if (task === 'read') {
  waitForGo();
  const rows = database.transaction(() => database.prepare('SELECT text FROM notes').all());
  process.stdout.write(JSON.stringify(rows.map(({text}) => text)));
} else {
  database.transaction(() => {
    database.prepare("INSERT INTO notes (text) VALUES ('held')").run();
    waitForGo();
    if (task === 'die') process.kill(process.pid, 'SIGKILL');
  });
}
database.close();

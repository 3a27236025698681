// Loaded before the program, in each of its processes and threads: writes to the file in CONNECTIONS where it connects and listens, which
// names it looks up, and which programs it starts but Node.

const {ChildProcess} = require('node:child_process');
const {Socket: UdpSocket} = require('node:dgram');
const dns = require('node:dns');
const {appendFileSync} = require('node:fs');
const {syncBuiltinESMExports} = require('node:module');
const {isIP, Server, Socket} = require('node:net');

/** Has a method say what it was called for, and do it. */
function watch(holder, name, words) {
  const method = holder[name];
  holder[name] = function (...given) {
    for (const word of words(...given)) appendFileSync(process.env.CONNECTIONS, `${word}\n`);
    return method.apply(this, given);
  };
}

/** Of `connect` and `listen`: options, a port and a host, or what `net.connect` has made of them. */
function address(verb, given) {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const {path, host, port} = typeof first === 'object' ? first : {host: second, port: first};
  return [path ? `${verb} ${path}` : `${verb} ${host}:${port}`];
}

watch(Socket.prototype, 'connect', (...given) => address('connect', given));
watch(Server.prototype, 'listen', (...given) => address('listen', given));
for (const method of ['send', 'connect']) watch(UdpSocket.prototype, method, () => ['udp']);
for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(holder)))
    if (/^(?:lookup|resolve|reverse)/.test(name))
      watch(holder, name, (asked) => (isIP(asked) ? [] : [`look up ${asked}`]));
watch(ChildProcess.prototype, 'spawn', ({file}) => (file === process.execPath ? [] : [`start ${file}`]));
syncBuiltinESMExports();

// What `--tunnel` and its companions may say, how a command is split, and what of other programs' words is shown.

import {expect, test} from 'vitest';
import {quoteLine, tellingLine} from '../../../src/webhooks/tunnels/program-tunnel.js';
import {readSshAddress, sshArguments} from '../../../src/webhooks/tunnels/ssh.js';
import {readTunnel, type TunnelOptions} from '../../../src/webhooks/tunnels/providers.js';
import type {ProgramHost} from '../../../src/programs/program.js';
import {valid} from '../../../src/input/fault.js';
import {splitWords} from '../../../src/input/shell-words.js';

const host: ProgramHost = {env: {}, kill: () => {}};
const parse = (text: string, options: Omit<TunnelOptions, 'host'> = {}) => valid(readTunnel(text, {host, ...options}));

test('every form is known by its name', () => {
  const pattern = {urlPattern: 'https://.*'};
  expect(parse('none').name).toBe('none');
  expect(parse('cloudflared').name).toBe('cloudflared');
  expect(parse('ngrok').name).toBe('ngrok');
  expect(parse('ssh:me@example.com').name).toBe('ssh');
  expect(parse('ssh:me@example.com', pattern).name).toBe('ssh');
  expect(parse('command:x', pattern).name).toBe('command');
});

test.each<[string, Omit<TunnelOptions, 'host'>]>([
  ['', {}],
  ['frp', {}],
  ['ssh', {}],
  ['ssh:', {}],
  ['command', {}],
  ['cloudflared:x', {}],
  ['command:', {urlPattern: 'x'}],
  ['command:x', {}],
  ['command:x', {urlPattern: '('}],
  ['command:"x', {urlPattern: 'x'}],
  ['cloudflared', {urlPattern: 'x'}],
  ['cloudflared', {publicUrl: 'https://a.example'}],
  ['none', {publicUrl: 'a.example'}],
  ['none', {publicUrl: 'ftp://a.example'}],
  ['none', {publicUrl: 'https://user:secret@a.example'}],
  ['none', {publicUrl: 'https://a.example/?x=1'}],
  ['ssh:-oProxyCommand=x', {}],
  ['ssh:me@-oProxyCommand=x', {}],
  ['ssh:-x@example.com', {}],
  ['ssh:me@example.com:0', {}],
  ['ssh:me@example.com:70000', {}],
  ['ssh:me@example.com?remote-port=x', {}],
  ['ssh:me@example.com?proxy=x', {}],
  ['ssh:me@example.com?session=maybe', {}],
  ['ssh:me@example.com?bind=a%20b', {}],
  ['ssh:me@example.com?identity=%', {}],
])('%s %o is refused as a usage error', (text, options) => {
  expect(() => parse(text, options)).toThrow(expect.objectContaining({kind: 'usage'}));
});

test('no tunnel is the receiver itself, or the address that leads to it', async () => {
  const controller = new AbortController();
  const open = (publicUrl?: string) => parse('none', {publicUrl}).open({localPort: 4000, signal: controller.signal});
  const [bare, led] = await Promise.all([open(), open('https://hooks.example.com/')]);
  expect([bare.url, led.url]).toEqual(['http://127.0.0.1:4000', 'https://hooks.example.com']);
  await bare.close();
  expect(await bare.closed).toBe('it was closed');
  controller.abort();
  expect(await led.closed).toBe('it was closed');
  expect(await (await open()).closed).toBe('it was closed');
});

test('an ssh address has a server and how to go there', () => {
  const unset = {bind: undefined, config: undefined, identity: undefined, knownHosts: undefined};
  expect(valid(readSshAddress('example'))).toEqual({...unset, host: 'example', remotePort: 0, session: false});
  expect(valid(readSshAddress('me@example.com:2222?remote-port=8080&bind=0.0.0.0&identity=~/a%20b'))).toEqual({
    ...unset,
    user: 'me',
    host: 'example.com',
    port: 2222,
    remotePort: 8080,
    bind: '0.0.0.0',
    session: false,
    identity: '~/a b',
  });
  expect(valid(readSshAddress('[::1]:22'))).toMatchObject({host: '::1', port: 22});
  expect(valid(readSshAddress('nokey@localhost.run'))).toMatchObject({remotePort: 80, session: true});
  expect(valid(readSshAddress('k:token+free@a.pinggy.io:443?remote-port=0'))).toMatchObject({
    user: 'k:token+free',
    remotePort: 0,
    session: true,
  });
  expect(valid(readSshAddress('notlocalhost.run'))).toMatchObject({session: false});
});

test('ssh asks nothing, fails when the port is not forwarded, and notices a silent server', () => {
  const words = sshArguments(valid(readSshAddress('me@example.com:2222?remote-port=8080&bind=::')), 4000);
  expect(words.slice(0, 5)).toEqual(['-v', '-T', '-N', '-a', '-x']);
  for (const option of ['BatchMode=yes', 'ExitOnForwardFailure=yes', 'ServerAliveInterval=15', 'ControlPath=none'])
    expect(words[words.indexOf(option) - 1]).toBe('-o');
  expect(words.slice(-8)).toEqual(['-R', '[::]:8080:127.0.0.1:4000', '-p', '2222', '-l', 'me', '--', 'example.com']);
  expect(sshArguments(valid(readSshAddress('serveo.net')), 4000)).not.toContain('-N');
});

test.each<[string, string[]]>([
  ['', []],
  ['  a  b ', ['a', 'b']],
  [`a"b c"'d e'f`, ['ab cd ef']],
  [`"" ''`, ['', '']],
  [String.raw`"a\"b\\c\d" 'a\b' a\ b`, [String.raw`a"b\c\d`, String.raw`a\b`, 'a b']],
  ['a|b && $(c) `d` > *', ['a|b', '&&', '$(c)', '`d`', '>', '*']],
])('%s is split into words', (text, words) => {
  expect(valid(splitWords(text))).toEqual(words);
});

test('words that do not end are refused', () => {
  for (const text of [`'a`, `"a`, 'a\\', `"a\\"`])
    expect(() => valid(splitWords(text))).toThrow(expect.objectContaining({kind: 'usage'}));
});

test.each([
  ['connect to https://me:hunter2@example.com/x failed', 'connect to https://…@example.com/x failed'],
  ['Authorization: Bearer abc.def', 'Authorization: … …'],
  ['got bearer abc.def', 'got bearer …'],
  ['{"authtoken": "short","x":1}', '{"authtoken": "…","x":1}'],
  ['--api-key=k3y --verbose', '--api-key=… --verbose'],
  ['id 8f2b4c6d8f2b4c6d8f2b4c6d', 'id 8f2b…'],
  ['no-digits-in-this-rather-long-name', 'no-digits-in-this-rather-long-name'],
])('%s is shown without its secret', (line, shown) => {
  expect(quoteLine(line)).toBe(shown);
});

test('a long line is cut', () => {
  expect(quoteLine('x '.repeat(200))).toBe(`${'x '.repeat(100)}…`);
});

test('the line that names the failure is shown, not the last one', () => {
  expect(tellingLine(['a', 'ERR no', 'bye'])).toBe('ERR no');
  expect(tellingLine(['a', 'bye'])).toBe('bye');
  expect(tellingLine([])).toBeUndefined();
});

// Loaded before the program for pictures: fixes its clock at STANDING_AT, in unix seconds, and its randomness by STANDING_SEED.
// Nothing takes any time, by the clock or by another measure.

const crypto = require('node:crypto');
const {syncBuiltinESMExports} = require('node:module');
const os = require('node:os');

const now = Number(process.env.STANDING_AT) * 1000;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...words) {
    if (words.length === 0) super(now);
    else super(...words);
  }

  static now() {
    return now;
  }
};

performance.now = () => 0;
// At zero, each delivery would seem to be leased.
os.uptime = () => 1_000_000;

let asked = 0;
/** Bytes that differ at each call. */
const bytes = (size) =>
  crypto.createHash('shake256', {outputLength: size}).update(`${process.env.STANDING_SEED} ${asked++}`).digest();
crypto.randomBytes = bytes;
crypto.randomUUID = () =>
  bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
syncBuiltinESMExports();

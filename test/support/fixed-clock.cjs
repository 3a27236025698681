// Loaded before the program: its clock starts at FIXED_NOW, in unix seconds, and goes on from there.

const start = Number(process.env.FIXED_NOW) * 1000;
const RealDate = Date;
const offset = start - RealDate.now();

globalThis.Date = class extends RealDate {
  constructor(...words) {
    if (words.length === 0) super(RealDate.now() + offset);
    else super(...words);
  }

  static now() {
    return RealDate.now() + offset;
  }
};

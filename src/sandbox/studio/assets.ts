// The stylesheet and the script of the studio's pages.

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fafaf8; --card: #fff; --ink: #1b1f1e; --soft: #5b625f; --line: #e4e4df; --edge: #868d89; --here: #eeeeec;
  --accent: #0b6b5d; --on-accent: #fff;
  --good: #1a6b3a; --good-tint: #e8f4ec; --bad: #a3231a; --bad-tint: #fcedeb;
  --warn: #7a4a00; --warn-tint: #fdf3dc; --info: #28569a; --info-tint: #eaf1fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121514; --card: #1a1e1c; --ink: #e9ecea; --soft: #a0a8a4; --line: #2a2f2d; --edge: #737c78; --here: #232826;
    --accent: #72d0be; --on-accent: #06211c;
    --good: #7fd39b; --good-tint: #16291d; --bad: #ffa198; --bad-tint: #361d1a;
    --warn: #eec06a; --warn-tint: #30260f; --info: #9cc1f5; --info-tint: #18263b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); font: 14px/20px Inter, "Segoe UI", system-ui, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2, p, ul, ol, dl, dd, pre, table { margin: 0; padding: 0; font-size: inherit; }
ul, ol { list-style: none; }
a { color: inherit; text-decoration-color: var(--edge); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus, .message:focus { outline: none; }
small, .soft, h2 a { color: var(--soft); font-size: 13px; font-weight: 400; }
small.warn, .again { color: var(--warn); } small.bad, b.bad { color: var(--bad); }
time, .whole { white-space: nowrap; } .menu, .narrow { display: none; }
code, pre { font: 13px/18px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px 12px; z-index: 2; }
header {
  display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 8px 24px; min-height: 48px;
  background: var(--card); border-bottom: 1px solid var(--line);
}
.brand { text-decoration: none; padding: 6px 0; } .brand span { color: var(--soft); }
header form { flex: 1 1 240px; max-width: 416px; }
.clock { margin-left: auto; white-space: nowrap; } .clock a { text-decoration: none; display: inline-block; padding: 6px 0; }
.pulse { color: var(--soft); font-size: 13px; }
.pulse::before { content: ""; display: inline-block; width: 7px; height: 7px; border-radius: 50%; background: var(--good); margin-right: 8px; }
.pulse.off::before { background: var(--warn); }
input, select {
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px;
  height: 32px; padding: 0 8px; min-width: 0; max-width: 100%;
}
header input { width: 100%; }
input::placeholder { color: var(--soft); opacity: 1; }
button {
  font: inherit; font-size: 13px; font-weight: 600; color: inherit; background: var(--card); border: 1px solid var(--edge);
  border-radius: 6px; height: 32px; padding: 0 12px; cursor: pointer; white-space: nowrap;
}
:is(input:not([type=hidden]), select):has(+ :is(select, button)) { border-top-right-radius: 0; border-bottom-right-radius: 0; }
:is(input:not([type=hidden]), select) + :is(select, button) { border-left: 0; border-top-left-radius: 0; border-bottom-left-radius: 0; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); } button:hover { border-color: var(--ink); }
a.button { font-size: 13px; font-weight: 600; border: 1px solid var(--edge); border-radius: 6px; padding: 5px 12px; text-decoration: none; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-left: auto; max-width: 100%; } .actions.left { margin: 12px 0 24px; }
.actions form { display: flex; max-width: 100%; }
.frame { display: grid; grid-template-columns: 196px minmax(0, 1fr); max-width: 1600px; }
nav { padding: 16px 12px; } nav h2 { font-size: 12px; font-weight: 500; color: var(--soft); padding: 20px 12px 0; }
nav a { display: flex; justify-content: space-between; gap: 8px; padding: 5px 12px; border-radius: 6px; text-decoration: none; }
nav a span { color: var(--soft); } nav b { font-size: 13px; } nav a:hover, nav [aria-current] { background: var(--here); }
nav [aria-current] { font-weight: 500; }
main { padding: 24px 24px 48px 16px; min-width: 0; }
h1, .letter h2 { font-size: 20px; line-height: 28px; font-weight: 600; } h1 code { font-size: 16px; line-height: inherit; }
h1 .kind { color: var(--soft); font-weight: 500; }
.title { margin-bottom: 16px; } div.title { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; }
.amount { font-size: 24px; line-height: 32px; font-weight: 600; }
h2 { font-weight: 600; margin-bottom: 8px; } h2 a { float: right; }
section { margin-bottom: 32px; }
.split { display: grid; grid-template-columns: minmax(0, 1fr) 320px; gap: 32px 40px; }
.message { background: var(--good-tint); color: var(--good); border-radius: 6px; padding: 8px 12px; margin-bottom: 16px; }
.message.failed { background: var(--bad-tint); color: var(--bad); }
.badge {
  display: inline-block; font-size: 12px; font-weight: 600; line-height: 20px; height: 20px; padding: 0 7px; border-radius: 5px;
  background: var(--here); color: var(--soft); white-space: nowrap;
}
.badge.good { background: var(--good-tint); color: var(--good); } .badge.bad { background: var(--bad-tint); color: var(--bad); }
.badge.warn { background: var(--warn-tint); color: var(--warn); } .badge.info { background: var(--info-tint); color: var(--info); }
.sums { display: grid; grid-template-columns: repeat(3, 1fr); background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 32px; }
.sums div { padding: 16px 20px; } .sums div + div { border-left: 1px solid var(--line); }
.sums dt, .sums small { color: var(--soft); font-size: 13px; display: block; }
.sums dd { font-size: 20px; line-height: 28px; font-weight: 600; } .sums small { font-weight: 400; line-height: 20px; }
.line li { display: grid; grid-template-columns: 60px 16px minmax(0, 1fr) auto; gap: 0 8px; padding: 4px 0; position: relative; }
.line li::before { content: ""; position: absolute; left: 75px; top: 0; bottom: 0; border-left: 1px solid var(--line); }
.line .cause { margin-top: 16px; } .line li.cause:first-child { margin-top: 0; }
.line .at { color: var(--soft); text-align: right; height: 20px; }
.line .dot { width: 11px; height: 11px; border-radius: 50%; background: var(--edge); margin: 5px 2px; position: relative; }
.line .plan .dot, .line .event .dot, .line .hook .dot { width: 7px; height: 7px; margin: 7px 4px; background: var(--page); border: 2px solid var(--edge); }
.line .plan .dot { width: 11px; height: 11px; margin: 5px 2px; } .line .plan + li { margin-top: 24px; }
.line .hook.good .dot { background: var(--good); border-color: var(--good); } .line .hook.warn .dot { border-color: var(--warn); }
.line .bad .dot { background: var(--bad); border-color: var(--bad); } .line .cause.warn .dot { background: var(--warn); }
.line .event .what { padding-left: 20px; } .line .hook .what { padding-left: 40px; font-size: 13px; color: var(--soft); }
.line .what small { display: block; } .line a { text-decoration: none; } .line a:hover { text-decoration: underline; }
.line .then { text-align: right; color: var(--soft); font-size: 13px; }
table { width: 100%; border-collapse: collapse; }
th { font-weight: 400; color: var(--soft); text-align: left; font-size: 13px; }
th, td { padding: 9px 16px 9px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
.number.number { text-align: right; white-space: nowrap; }
td a { display: inline-block; } td small:not(.narrow), dd small { display: block; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 16px; border-bottom: 1px solid var(--line); margin-bottom: 8px; }
.tabs a { padding: 6px 0; text-decoration: none; color: var(--soft); margin-bottom: -1px; border-bottom: 2px solid transparent; }
.tabs [aria-current] { color: var(--ink); border-color: var(--accent); }
.more { display: inline-block; padding: 12px 0; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; font-size: 13px; margin-bottom: 16px; }
.facts dt { color: var(--soft); } .split .facts dd:has(> code) { grid-column: 1 / -1; }
.list li { border-bottom: 1px solid var(--line); padding: 8px 0; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 8px; align-items: baseline; }
.list small { grid-column: 1 / -1; }
.tree li { padding: 3px 0 3px 12px; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 8px; }
.tree li:not(.in-0) { border-left: 1px solid var(--line); }
.tree .in-1 { margin-left: 6px; } .tree .in-2 { margin-left: 24px; } .tree .in-3 { margin-left: 42px; } .tree .in-4 { margin-left: 60px; }
summary { cursor: pointer; padding: 4px 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; white-space: pre-wrap; max-height: 640px; overflow: auto; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px 24px; margin-top: 16px; } .pair > * { min-width: 0; }
.letter { max-width: 576px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 32px; margin-bottom: 12px; }
.letter > * + * { margin-top: 16px; }
.pay { display: inline-block; background: var(--accent); color: var(--on-accent); border-radius: 6px; padding: 10px 20px; text-decoration: none; font-weight: 500; }
.empty { color: var(--soft); } table + .empty { padding-top: 8px; }
@media (max-width: 1000px) { .split { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 760px) {
  header { padding: 8px 16px; gap: 4px 12px; } header form { order: 3; flex-basis: 100%; max-width: none; }
  input, select, button { height: 40px; font-size: 16px; }
  button { font-size: 14px; }
  .frame { display: block; }
  .menu { display: block; padding: 0 16px; border-bottom: 1px solid var(--line); background: var(--card); }
  .menu summary { padding: 10px 0; } .menu:not([open]) + nav { display: none; }
  nav { padding: 8px 4px; border-bottom: 1px solid var(--line); background: var(--card); }
  nav ul { display: grid; grid-template-columns: 1fr 1fr; } nav a { padding: 9px 12px; }
  main { padding: 16px 16px 40px; }
  .actions { margin-left: 0; }
  .sums { grid-template-columns: 1fr; }
  .sums div { display: grid; grid-template-columns: 1fr auto; padding: 10px 16px; align-items: center; }
  .sums div + div { border-left: 0; border-top: 1px solid var(--line); }
  .line li { grid-template-columns: 48px 16px minmax(0, 1fr); gap: 0 6px; } .line li::before { left: 61px; }
  .line .event .what { padding-left: 8px; } .line .hook .what { padding-left: 16px; } .line .then { grid-column: 3; text-align: left; }
  .line .event .then { padding-left: 8px; } .line .hook .then { padding-left: 16px; } .line li > .then:empty { display: none; }
  .wide { display: none; }
  td .narrow { display: block; } .narrow:empty { display: none; } .narrow small { display: inline; } .narrow small + small::before { content: ' · '; }
  td .badge { white-space: normal; overflow-wrap: normal; height: auto; }
  td { position: relative; } td > a::after { content: ''; position: absolute; inset: 0; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  .pair .answer { order: -1; }
  .letter { padding: 20px; }
  .brand, .clock a { padding: 10px 0; }
  .list a, .line a, .facts a, .sums a, .tree a, h2 a, .more { display: inline-block; padding: 10px 0; margin: -10px 0; }
  .line li, .tree li { padding-top: 8px; padding-bottom: 8px; } .facts { row-gap: 12px; } .tabs a { padding: 10px 0; } summary { padding: 10px 0; }
  a.button { padding: 9px 12px; font-size: 14px; }
}
`;

/** Checks every second whether the data changed, and then updates the page. */
export const SCRIPT = `
let {pulse, seen} = document.currentScript.dataset;
const sign = document.querySelector('.pulse');
const main = document.querySelector('main');
const all = (selector, root = main) => [...root.querySelectorAll(selector)];
const get = async (address) => {
  const limit = new AbortController();
  setTimeout(() => limit.abort(), 5000);
  const answer = await fetch(address, {signal: limit.signal});
  // A deleted object has a page with status 404.
  if (!answer.ok && answer.status !== 404) throw answer;
  return answer.text();
};

// Finds a link again by its address, counted from the last one, because new rows come first.
const twins = (address) => all('a, button, summary').filter((each) => (each.getAttribute('href') ?? each.textContent) === address);
const placeOf = (control) => {
  const address = control.getAttribute('href') ?? control.textContent;
  const same = twins(address);
  return () => twins(address).at(same.indexOf(control) - same.length);
};

const KEPT = 'details, select, input:not([type=hidden])';
const isReading = () => !getSelection().isCollapsed || document.activeElement.matches('input, select');
const draw = (text) => {
  const fresh = all('[data-live]', new DOMParser().parseFromString(text, 'text/html'));
  // Another kind of page, such as the error page of a stopped server.
  if (fresh.length === 0) return location.reload();
  const inView = scrollY > 0 && all('a').find((each) => each.getBoundingClientRect().top > 0);
  const top = inView && inView.getBoundingClientRect().top;
  const [focused, seenLink] = [document.activeElement, inView].map((each) => each && main.contains(each) && each !== main && placeOf(each));
  all('[data-live]', document).forEach((old, index) => {
    if (!fresh[index] || old.innerHTML === fresh[index].innerHTML) return;
    const kept = all(KEPT, old);
    old.innerHTML = fresh[index].innerHTML;
    all(KEPT, old).forEach((each, place) => {
      if (kept[place]) Object.assign(each, each.matches('details') ? {open: kept[place].open} : {value: kept[place].value});
    });
  });
  if (focused) focused()?.focus({preventScroll: true});
  const now = seenLink && seenLink();
  if (now) scrollBy(0, now.getBoundingClientRect().top - top);
};

const setStatus = (text) => {
  sign.classList.toggle('off', text !== 'Up to date');
  if (sign.textContent !== text) sign.textContent = text;
};
const poll = async () => {
  try {
    if (!document.hidden) {
      const now = await get(pulse);
      const text = now !== seen && !isReading() && (await get(location.href));
      if (text && !isReading()) {
        draw(text);
        seen = now;
      }
      setStatus(now === seen ? 'Up to date' : 'Paused');
    }
  } catch (error) {
    setStatus(error instanceof Response ? 'Failing' : 'Not connected');
  }
  setTimeout(poll, 1000);
};
sign.hidden = false;
poll();
`;

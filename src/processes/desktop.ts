// Copies text to the clipboard and opens addresses in the browser, with programs of the desktop.

import type {Environment} from '../common/environment.js';
import {describeExit, locateProgram, startProgram, resolvesWithin, type ProcessHost} from './child-program.js';

interface Desktop extends ProcessHost {
  readonly platform: NodeJS.Platform;
}

/** Programs that copy stdin to the clipboard. `needs`: an environment variable that must be set. */
const CLIPBOARDS: readonly {readonly words: readonly string[]; readonly needs?: string}[] = [
  {words: ['pbcopy']},
  {words: ['wl-copy'], needs: 'WAYLAND_DISPLAY'},
  {words: ['xclip', '-selection', 'clipboard'], needs: 'DISPLAY'},
  {words: ['xsel', '--clipboard', '--input'], needs: 'DISPLAY'},
  {words: ['clip.exe']},
];
/** Milliseconds until a clipboard program must have ended, and after which a browser counts as opened. */
const CLIPBOARD_TIMEOUT = 5000;
const BROWSER_TIMEOUT = 2000;

export interface DesktopResult {
  readonly by?: string;
  readonly failed?: string;
}

/** Uses the first program that works. Never rejects. */
export async function copyText(text: string, {env, kill, atExit}: Desktop): Promise<DesktopResult> {
  let failed: string | undefined;
  for (const {words, needs} of CLIPBOARDS) {
    const [program = ''] = words;
    if ((needs !== undefined && !env[needs]) || !(await locateProgram(program, env))) continue;
    // Some programs stay in the background to serve the text.
    const running = startProgram(words, {
      host: {env, kill, atExit},
      stdio: ['pipe', 'ignore', 'ignore'],
      leavesDescendants: true,
    });
    running.stdin?.end(text);
    const end = await resolvesWithin(running.ended, CLIPBOARD_TIMEOUT);
    if (end?.status === 0) return {by: program};
    if (end === undefined) await running.end();
    failed = end === undefined ? `${program} did not end` : `${program} ${describeExit(end)}`;
  }
  return {failed};
}

/** Never rejects. Returns undefined if the browser opened, and otherwise why not: `No browser found.` */
export async function openAddress(address: string, {env, kill, platform}: Desktop): Promise<string | undefined> {
  const words = await browserOf(env, platform);
  if (words === undefined) return 'No browser found.';
  const running = startProgram([...words, address], {host: {env, kill}, leavesDescendants: true});
  const end = await resolvesWithin(running.ended, BROWSER_TIMEOUT);
  running.release();
  // A browser that was not running before stays in the foreground.
  if (end === undefined || end.status === 0) return undefined;
  const fault = end.notStarted === undefined ? describeExit(end) : 'could not be started';
  return `Cannot open the browser: ${words[0]} ${fault}.`;
}

async function browserOf(env: Environment, platform: NodeJS.Platform): Promise<readonly string[] | undefined> {
  const [chosen] = (env.BROWSER ?? '').split(':');
  // Editors over SSH set BROWSER to a program that opens the address on the user's machine.
  if (chosen && (await locateProgram(chosen, env))) return [chosen];
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (await locateProgram('wslview', env)) return ['wslview'];
  const hasScreen = env.DISPLAY || env.WAYLAND_DISPLAY;
  return hasScreen && (await locateProgram('xdg-open', env)) ? ['xdg-open'] : undefined;
}

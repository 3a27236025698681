// The programs of a desktop: the clipboard and the browser.

import type {Environment} from '../environment.js';
import {locateProgram} from './locate.js';
import {endWords, startProgram, type ProgramHost} from './program.js';

interface Desktop extends ProgramHost {
  readonly platform: NodeJS.Platform;
}

/** Programs that put their stdin on the clipboard, and the variable without which they cannot. */
const CLIPBOARDS: readonly {readonly words: readonly string[]; readonly needs?: string}[] = [
  {words: ['pbcopy']},
  {words: ['wl-copy'], needs: 'WAYLAND_DISPLAY'},
  {words: ['xclip', '-selection', 'clipboard'], needs: 'DISPLAY'},
  {words: ['xsel', '--clipboard', '--input'], needs: 'DISPLAY'},
  {words: ['clip.exe']},
];
/** Milliseconds that a clipboard may take, and in which a browser that cannot be opened says so. */
const CLIPBOARD_LIMIT = 5000;
const BROWSER_LIMIT = 2000;

export interface DesktopResult {
  /** The program that did it. */
  readonly by?: string;
  /** Why the last one that was tried did not: `xclip ended with status 1`. */
  readonly failed?: string;
}

/** Puts a text on the clipboard, with the first program that can. Never rejects. */
export async function copyText(text: string, {env, kill, atExit}: Desktop): Promise<DesktopResult> {
  let failed: string | undefined;
  for (const {words, needs} of CLIPBOARDS) {
    const [program = ''] = words;
    if ((needs !== undefined && !env[needs]) || !(await locateProgram(program, env))) continue;
    // It may go on in the background, to give the text to whoever pastes it.
    const running = startProgram(words, {
      host: {env, kill, atExit},
      stdio: ['pipe', 'ignore', 'ignore'],
      leavesRest: true,
    });
    running.stdin?.end(text);
    const end = await within(running.ended, CLIPBOARD_LIMIT);
    if (end?.status === 0) return {by: program};
    if (end === undefined) await running.end();
    failed = end === undefined ? `${program} did not end` : `${program} ${endWords(end)}`;
  }
  return {failed};
}

/** Opens an address in the browser. Never rejects; `by` is missing when there is no browser here, or it could not be opened. */
export async function openAddress(address: string, {env, kill, platform}: Desktop): Promise<DesktopResult> {
  const words = await browserOf(env, platform);
  if (words === undefined) return {};
  const running = startProgram([...words, address], {host: {env, kill}, leavesRest: true});
  const end = await within(running.ended, BROWSER_LIMIT);
  running.release();
  // A browser that was not running yet stays in the foreground.
  if (end === undefined || end.status === 0) return {by: words[0]};
  return {failed: end.notStarted === undefined ? `${words[0]} ${endWords(end)}` : `${words[0]} could not be started`};
}

async function browserOf(env: Environment, platform: NodeJS.Platform): Promise<readonly string[] | undefined> {
  const [chosen] = (env.BROWSER ?? '').split(':');
  // Editors that work over SSH set it to a program that opens the address on the other side.
  if (chosen && (await locateProgram(chosen, env))) return [chosen];
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (await locateProgram('wslview', env)) return ['wslview'];
  const hasScreen = env.DISPLAY || env.WAYLAND_DISPLAY;
  return hasScreen && (await locateProgram('xdg-open', env)) ? ['xdg-open'] : undefined;
}

/** The value, or undefined when it takes longer than this. @param limit milliseconds */
async function within<T>(value: Promise<T>, limit: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, limit, undefined)));
  const first = await Promise.race([value, late]);
  clearTimeout(timer);
  return first;
}

// The interactive list of events without its terminal: state, keys and lines.

import {oneLineText} from '../../../output/format.js';
import type {Style} from '../../../output/streams.js';
import {textMeasureFor} from '../../../output/text-width.js';

export interface EventItem {
  readonly id: string;
  /** One line, clean. */
  readonly line: string;
  readonly style?: Style;
  /** Text that the filter searches. */
  readonly words: string;
}

export interface ViewState {
  readonly items: readonly EventItem[];
  /** Index into the shown items; -1 when there are none. */
  readonly selected: number;
  readonly mode: 'details' | 'filter' | 'list';
  readonly filter: string;
  readonly details: readonly string[];
  /** How many lines of the details are above the screen. */
  readonly scroll: number;
  /** The item whose details are shown. */
  readonly openId?: string;
  /** The last thing that happened, at the bottom of the screen. */
  readonly notice: string;
  /** True while the newest item stays selected, until the user moves up. */
  readonly following: boolean;
}

export const EMPTY_VIEW: ViewState = {
  items: [],
  selected: -1,
  mode: 'list',
  filter: '',
  details: [],
  scroll: 0,
  notice: '',
  following: true,
};

/** What a key asks for, other than a change of the view. */
export type KeyRequest =
  {readonly kind: 'details' | 'replay'; readonly id: string} | {readonly kind: 'interrupt' | 'quit'} | undefined;

/** How many items the list keeps. The store keeps all of them. */
export const MOST_ITEMS = 2000;

export const shownItems = ({items, filter}: ViewState): readonly EventItem[] => {
  const wanted = filter.toLowerCase().trim();
  return wanted ? items.filter(({words}) => words.toLowerCase().includes(wanted)) : items;
};

export function addItem(state: ViewState, item: EventItem): ViewState {
  const known = state.items.findIndex(({id}) => id === item.id);
  const items = known < 0 ? [...state.items, item].slice(-MOST_ITEMS) : state.items.with(known, item);
  const next = {...state, items};
  const shown = shownItems(next);
  if (state.following && state.mode !== 'details') return {...next, selected: shown.length - 1};
  const chosen = shownItems(state)[state.selected]?.id;
  const at = shown.findIndex(({id}) => id === chosen);
  return {...next, selected: at < 0 ? Math.min(state.selected, shown.length - 1) : at};
}

/** @param key its name, or the character */
export function pressKey(state: ViewState, key: string, height: number): {state: ViewState; wish?: KeyRequest} {
  if (key === 'ctrl-c') return {state, wish: {kind: 'interrupt'}};
  if (state.mode === 'filter') return {state: editFilter(state, key)};
  return state.mode === 'details' ? inDetails(state, key, height) : inList(state, key, height);
}

/** Where a key moves to, from 0 to the last; undefined for a key that does not move. */
function moved(key: string, from: number, height: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -height,
    pagedown: height,
    home: -Infinity,
    g: -Infinity,
    end: Infinity,
    G: Infinity,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(last, from + step));
}

function inList(state: ViewState, key: string, height: number): {state: ViewState; wish?: KeyRequest} {
  const shown = shownItems(state);
  const last = shown.length - 1;
  const selected = moved(key, state.selected, height, last);
  if (selected !== undefined && shown.length > 0)
    return {state: {...state, selected, following: selected === last, notice: ''}};
  if (key === '/') return {state: {...state, mode: 'filter', notice: ''}};
  if (key === 'escape') return {state: refilter(state, '')};
  if (key === 'q') return {state, wish: {kind: 'quit'}};
  const id = shown[state.selected]?.id;
  if (id === undefined) return {state};
  if (key === 'r') return {state, wish: {kind: 'replay', id}};
  if (key === 'enter' || key === 'd')
    return {state: {...state, mode: 'details', scroll: 0, details: [], openId: id}, wish: {kind: 'details', id}};
  return {state};
}

function editFilter(state: ViewState, key: string): ViewState {
  if (key === 'enter') return {...state, mode: 'list'};
  if (key === 'escape') return {...refilter(state, ''), mode: 'list'};
  if (key === 'backspace') return refilter(state, [...state.filter].slice(0, -1).join(''));
  return [...key].length === 1 ? refilter(state, state.filter + key) : state;
}

function refilter(state: ViewState, filter: string): ViewState {
  const next = {...state, filter, following: true};
  return {...next, selected: shownItems(next).length - 1};
}

function inDetails(state: ViewState, key: string, height: number): {state: ViewState; wish?: KeyRequest} {
  const scroll = moved(key, state.scroll, height, Math.max(0, state.details.length - height));
  if (scroll !== undefined) return {state: {...state, scroll}};
  const {openId, ...rest} = state;
  if (key === 'r' && openId !== undefined) return {state, wish: {kind: 'replay', id: openId}};
  const leaves = ['escape', 'enter', 'd', 'q'].includes(key);
  return {state: leaves ? {...rest, mode: 'list', details: [], scroll: 0} : state};
}

export interface LinePainter {
  readonly paint: (style: Style, text: string) => string;
  /** A line that fits, without secrets or parts of them. Only whole characters are cut off. */
  readonly cut: (line: string, width: number) => string;
  /** The same over several lines, of which the last one is cut. */
  readonly wrap: (line: string, width: number, most: number) => string[];
  readonly widthOf: (text: string) => number;
}

/** @param redact removes secrets from a line */
export async function loadLinePainter(
  paint: LinePainter['paint'],
  redact: (line: string) => string,
): Promise<LinePainter> {
  const ruler = await textMeasureFor();
  const cut = (line: string, width: number): string => ruler.cut(redact(line), width);
  return {
    paint,
    cut,
    widthOf: ruler.widthOf,
    wrap: (whole, width, most) => {
      const lines = ruler.wrap(redact(whole), width);
      if (lines.length <= most) return lines;
      return [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(' '), width)];
    },
  };
}

const KEYS = {
  list: '↑↓ select  enter details  r replay  / filter  q quit',
  details: '↑↓ scroll  r replay  esc back',
  filter: 'type to filter  enter keep  esc clear',
};

const MOST_NOTICE_LINES = 3;

/** As many lines as the screen is high. */
export function renderView(
  state: ViewState,
  title: readonly string[],
  width: number,
  height: number,
  pen: LinePainter,
): string[] {
  const filtering = state.mode === 'filter' || state.filter !== '';
  const most = Math.max(1, Math.min(MOST_NOTICE_LINES, height - title.length - 2));
  const status = filtering
    ? [pen.cut(oneLineText(`/${state.filter}${state.mode === 'filter' ? '▏' : ''}`), width)]
    : pen.wrap(oneLineText(state.notice), width, most);
  const body = Math.max(1, height - title.length - 1 - status.length);
  const content =
    state.mode === 'details'
      ? state.details.slice(state.scroll, state.scroll + body).map((line) => pen.cut(line, width))
      : listLines(state, width, body, pen);
  const padding = Array.from({length: Math.max(0, body - content.length)}, () => '');
  return [
    ...title.map((line) => pen.cut(line, width)),
    ...content,
    ...padding,
    ...status.map((line) => pen.paint('yellow', line)),
    pen.paint('dim', pen.cut(KEYS[state.mode], width)),
  ];
}

function listLines(state: ViewState, width: number, height: number, {paint, cut}: LinePainter): string[] {
  const shown = shownItems(state);
  if (shown.length === 0) return [paint('dim', cut(state.filter ? 'No events match.' : 'Waiting for events…', width))];
  const first = Math.max(0, Math.min(state.selected - Math.floor(height / 2), shown.length - height));
  return shown.slice(first, first + height).map((item, index) => {
    const chosen = first + index === state.selected;
    const line = cut(`${chosen ? '❯' : ' '} ${item.line}`, width);
    if (chosen) return paint('bold', line);
    return item.style ? paint(item.style, line) : line;
  });
}

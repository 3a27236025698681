// State, keys and rendered lines of the interactive event list. Does not touch the terminal.

import {oneLineText} from '../../../output/format.js';
import type {Style} from '../../../output/streams.js';
import {textMeasureFor} from '../../../output/text-width.js';

export interface EventItem {
  readonly id: string;
  /** One line without control characters. */
  readonly line: string;
  readonly style?: Style;
  readonly searchText: string;
}

export interface ViewState {
  readonly items: readonly EventItem[];
  /** Index into the shown items; -1 if no item is shown. */
  readonly selected: number;
  readonly mode: 'details' | 'filter' | 'list';
  readonly filter: string;
  readonly details: readonly string[];
  /** Number of detail lines above the screen. */
  readonly scroll: number;
  /** Id of the item whose details are shown. */
  readonly openId?: string;
  /** The last notice, shown at the bottom of the screen. */
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

export type KeyRequest =
  {readonly kind: 'details' | 'replay'; readonly id: string} | {readonly kind: 'interrupt' | 'quit'} | undefined;

/** Older events leave the list, but stay in the store. */
export const MAX_LISTED_EVENTS = 2000;

export const shownItems = ({items, filter}: ViewState): readonly EventItem[] => {
  const query = filter.toLowerCase().trim();
  return query ? items.filter(({searchText}) => searchText.toLowerCase().includes(query)) : items;
};

export function addItem(state: ViewState, item: EventItem): ViewState {
  const known = state.items.findIndex(({id}) => id === item.id);
  const items = known < 0 ? [...state.items, item].slice(-MAX_LISTED_EVENTS) : state.items.with(known, item);
  const next = {...state, items};
  const shown = shownItems(next);
  if (state.following && state.mode !== 'details') return {...next, selected: shown.length - 1};
  const chosen = shownItems(state)[state.selected]?.id;
  const at = shown.findIndex(({id}) => id === chosen);
  return {...next, selected: at < 0 ? Math.min(state.selected, shown.length - 1) : at};
}

/** Returns the state after a key press, and a request if any. @param key name of the key, or its character */
export function pressKey(state: ViewState, key: string, height: number): {state: ViewState; request?: KeyRequest} {
  if (key === 'ctrl-c') return {state, request: {kind: 'interrupt'}};
  if (state.mode === 'filter') return {state: editFilter(state, key)};
  return state.mode === 'details' ? handleDetailsKey(state, key, height) : handleListKey(state, key, height);
}

/** Returns the index after a key, from 0 to `last`; undefined if the key does not move. */
function movedIndex(key: string, from: number, height: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ...{up: -1, k: -1, down: 1, j: 1, pageup: -height, pagedown: height},
    ...{home: -Infinity, g: -Infinity, end: Infinity, G: Infinity},
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(last, from + step));
}

function handleListKey(state: ViewState, key: string, height: number): {state: ViewState; request?: KeyRequest} {
  const shown = shownItems(state);
  const last = shown.length - 1;
  const selected = movedIndex(key, state.selected, height, last);
  if (selected !== undefined && shown.length > 0)
    return {state: {...state, selected, following: selected === last, notice: ''}};
  if (key === '/') return {state: {...state, mode: 'filter', notice: ''}};
  if (key === 'escape') return {state: setFilter(state, '')};
  if (key === 'q') return {state, request: {kind: 'quit'}};
  const id = shown[state.selected]?.id;
  if (id === undefined) return {state};
  if (key === 'r') return {state, request: {kind: 'replay', id}};
  if (key === 'enter' || key === 'd')
    return {state: {...state, mode: 'details', scroll: 0, details: [], openId: id}, request: {kind: 'details', id}};
  return {state};
}

function editFilter(state: ViewState, key: string): ViewState {
  if (key === 'enter') return {...state, mode: 'list'};
  if (key === 'escape') return {...setFilter(state, ''), mode: 'list'};
  if (key === 'backspace') return setFilter(state, [...state.filter].slice(0, -1).join(''));
  return [...key].length === 1 ? setFilter(state, state.filter + key) : state;
}

function setFilter(state: ViewState, filter: string): ViewState {
  const next = {...state, filter, following: true};
  return {...next, selected: shownItems(next).length - 1};
}

function handleDetailsKey(state: ViewState, key: string, height: number): {state: ViewState; request?: KeyRequest} {
  const scroll = movedIndex(key, state.scroll, height, Math.max(0, state.details.length - height));
  if (scroll !== undefined) return {state: {...state, scroll}};
  const {openId, ...rest} = state;
  if (key === 'r' && openId !== undefined) return {state, request: {kind: 'replay', id: openId}};
  const closes = ['escape', 'enter', 'd', 'q'].includes(key);
  return {state: closes ? {...rest, mode: 'list', details: [], scroll: 0} : state};
}

export interface LinePainter {
  readonly paint: (style: Style, text: string) => string;
  /** Redacts a line and cuts it to the width, at whole characters. */
  readonly cut: (line: string, width: number) => string;
  /** Redacts and wraps a line. The last line is cut to the width. */
  readonly wrap: (line: string, width: number, maxLines: number) => string[];
}

/** @param redact removes secrets from a line */
export async function loadLinePainter(
  paint: LinePainter['paint'],
  redact: (line: string) => string,
): Promise<LinePainter> {
  const measure = await textMeasureFor();
  const cut = (line: string, width: number): string => measure.cut(redact(line), width);
  return {
    paint,
    cut,
    wrap: (whole, width, maxLines) => {
      const lines = measure.wrap(redact(whole), width);
      if (lines.length <= maxLines) return lines;
      return [...lines.slice(0, maxLines - 1), cut(lines.slice(maxLines - 1).join(' '), width)];
    },
  };
}

const KEYS = {
  list: '↑↓ select  enter details  r replay  / filter  q quit',
  details: '↑↓ scroll  r replay  esc back',
  filter: 'type to filter  enter keep  esc clear',
};

const MAX_NOTICE_LINES = 3;

/** Returns one line for each row of the screen. */
export function renderView(
  state: ViewState,
  title: readonly string[],
  width: number,
  height: number,
  painter: LinePainter,
): string[] {
  const filtering = state.mode === 'filter' || state.filter !== '';
  const maxLines = Math.max(1, Math.min(MAX_NOTICE_LINES, height - title.length - 2));
  const status = filtering
    ? [painter.cut(oneLineText(`/${state.filter}${state.mode === 'filter' ? '▏' : ''}`), width)]
    : painter.wrap(oneLineText(state.notice), width, maxLines);
  const body = Math.max(1, height - title.length - 1 - status.length);
  const content =
    state.mode === 'details'
      ? state.details.slice(state.scroll, state.scroll + body).map((line) => painter.cut(line, width))
      : listLines(state, width, body, painter);
  const padding = Array.from({length: Math.max(0, body - content.length)}, () => '');
  return [
    ...title.map((line) => painter.cut(line, width)),
    ...content,
    ...padding,
    ...status.map((line) => painter.paint('yellow', line)),
    painter.paint('dim', painter.cut(KEYS[state.mode], width)),
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

// The report of a conformance run, also as JUnit XML for CI systems.

import {escapeMarkup} from '../../common/escape-markup.js';
import type {WebhookMode} from '../signature/signature.js';
import type {SampleType} from './cases.js';

export interface CaseReport {
  readonly case: string;
  readonly result: 'failed' | 'not_checked' | 'passed';
  /** What the result is based on: status; and x-acted or state command if effects were counted. */
  readonly looked_at: string;
  readonly sent: string;
  readonly expected: string;
  readonly came: string;
  /** The first one names the cause. Empty unless the case failed. */
  readonly faults: readonly string[];
  /** How to fix the handler. */
  readonly cure: string | null;
  /** Why the case was not checked. */
  readonly reason: string | null;
  /** Number of effects; null if not counted. */
  readonly effects: number | null;
  readonly duration_ms: number;
}

export interface ConformanceReport {
  readonly url: string;
  readonly mode: WebhookMode;
  /** The secret’s name. */
  readonly signed_with: string;
  readonly event: SampleType;
  readonly passed: number;
  readonly failed: number;
  readonly not_checked: number;
  readonly duration_ms: number;
  readonly cases: readonly CaseReport[];
}

const SUITE = 'centavo webhooks test';

/** Characters that XML 1.0 forbids even when escaped: most control characters, and lone surrogates. */
const IMPOSSIBLE =
  // oxlint-disable-next-line eslint/no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Escapes attributes and text, with line breaks and tabs, so that an attribute keeps them. */
export const escapeXml = (text: string): string =>
  escapeMarkup(text.replace(IMPOSSIBLE, '\uFFFD'), '&apos;').replace(
    /[\t\n\r]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

export function junitReport({url, cases, failed, not_checked, duration_ms}: ConformanceReport, at: number): string {
  const counts = `tests="${cases.length}" failures="${failed}" errors="0" time="${seconds(duration_ms)}"`;
  const timestamp = new Date(at * 1000).toISOString().slice(0, 19);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${SUITE}" ${counts}>`,
    `  <testsuite name="${escapeXml(url)}" ${counts} skipped="${not_checked}" timestamp="${timestamp}">`,
    ...cases.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(each: CaseReport): string {
  const head = `    <testcase classname="${SUITE}" name="${escapeXml(each.case)}" time="${seconds(each.duration_ms)}"`;
  if (each.result === 'passed') return `${head}/>`;
  if (each.result === 'not_checked')
    return [`${head}>`, `      <skipped message="${escapeXml(each.reason!)}"/>`, '    </testcase>'].join('\n');
  const cure = each.cure === null ? [] : [each.cure];
  const details = [
    `sent: ${each.sent}`,
    `expected: ${each.expected}`,
    `came: ${each.came}`,
    ...each.faults,
    ...cure,
  ].join('\n');
  return [
    `${head}>`,
    `      <failure type="${escapeXml(each.case)}" message="${escapeXml(each.faults.join('; '))}">${escapeXml(details).replaceAll('&#10;', '\n')}</failure>`,
    '    </testcase>',
  ].join('\n');
}

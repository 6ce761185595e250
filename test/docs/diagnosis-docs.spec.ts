import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_ERROR_CODES } from '../../src/network/attempt-error.js';
import { failureOf } from '../../src/network/attempt-failure.js';
import { DIAGNOSES, diagnosisOf } from '../../src/trigger/attempt/diagnosis/diagnoses.js';
import type { DiagnosedCode, FailedAttempt } from '../../src/trigger/attempt/diagnosis/diagnosis.js';
import { STATUSES } from '../../src/trigger/attempt/diagnosis/of-status.js';
import { TLS_REASONS } from '../../src/trigger/attempt/diagnosis/of-tls.js';

const certificate = {
  validFrom: '2027-01-01T00:00:00.000Z',
  validTo: '2026-11-20T23:59:59.000Z',
  names: ['example.com', 'www.example.com'],
  issuer: 'Example CA',
};

type Case = [code: DiagnosedCode, more: Partial<FailedAttempt>];

const of = ([code, more]: Case): FailedAttempt => ({
  code,
  message: code === 'erased' || code === 'superseded' ? '' : failureOf(code).message,
  status: null,
  location: null,
  retryAfter: null,
  phases: {},
  ...more,
  detail: { host: 'crm.example.com', ...more.detail },
});

const plain = Object.keys(DIAGNOSES).filter((code) => !['http_status', 'tls', 'timeout'].includes(code));
const CASES: Case[] = [
  ...plain.flatMap((code): Case[] => {
    if (code === 'dns')
      return [
        ['dns', { detail: { reason: 'ENOTFOUND' } }],
        ['dns', {}],
      ];
    if (code === 'redirect')
      return [
        ['redirect', { status: 308, location: 'https://new.example.com/hooks' }],
        ['redirect', { status: 302, location: '/login' }],
      ];
    return [[code as DiagnosedCode, {}]];
  }),
  ...(['dns', 'connect', 'tls', 'answer'] as const).map((phase): Case => ['timeout', { detail: { phase } }]),
  ...Object.keys(TLS_REASONS).map((reason): Case => ['tls', { detail: { reason, certificate } }]),
  ['tls', {}],
  ...Object.keys(STATUSES).map((status): Case => ['http_status', { status: Number(status) }]),
  ['http_status', { status: 418 }],
  ['http_status', { status: 599 }],
];

function table(): string {
  const rows = CASES.map((one) => {
    const { summary, advice } = diagnosisOf(of(one));
    return `| \`${one[0]}\` | ${summary} | ${advice} |`;
  });
  return ['| code | `summary` | `advice` |', '|---|---|---|', ...new Set(rows)].join('\n');
}

describe('the diagnosis of failures', () => {
  it('has an entry for every code', () => {
    expect(Object.keys(DIAGNOSES).sort()).toEqual([...ATTEMPT_ERROR_CODES, 'erased', 'superseded'].sort());
    expect(new Set(CASES.map(([code]) => code))).toEqual(new Set(Object.keys(DIAGNOSES)));
  });

  it('is documented as it is', () => {
    const docs = readFileSync(new URL('../../docs/diagnosis.md', import.meta.url), 'utf8');
    expect(docs.slice(docs.indexOf('| code |')).trim()).toBe(table());
  });

  it('is short, plain and complete', () => {
    for (const one of CASES) {
      const { summary, advice } = diagnosisOf(of(one));
      for (const text of [summary, advice]) {
        expect(text).toMatch(/^[A-Z0-9c].{10,400}\.( \([A-Z_]+\))?$/s);
        expect(text).not.toMatch(/undefined|null|NaN|\$\{/);
      }
    }
  });

  it('is made of whatever is stored', () => {
    const text = fc.string({ maxLength: 50 });
    const maybe = fc.option(text, { nil: undefined });
    const failed = fc.record({
      code: fc.oneof(fc.constantFrom(...Object.keys(DIAGNOSES)), text),
      message: text,
      status: fc.option(fc.integer({ min: 100, max: 999 })),
      location: fc.option(fc.oneof(text, fc.webUrl({ withQueryParameters: true }))),
      retryAfter: fc.option(text),
      phases: fc.record({ connect: fc.nat() }, { requiredKeys: [] }),
      detail: fc.record({ phase: maybe, reason: maybe, host: maybe }),
    });
    fc.assert(
      fc.property(failed, (one) => {
        const { summary, advice } = diagnosisOf(one as FailedAttempt);
        expect([typeof summary, typeof advice]).toEqual(['string', 'string']);
      }),
    );
  });

  it('shows no credentials of a URL that a redirect points to', () => {
    const location = 'https://me:pw@new.example.com/hooks?token=s3cret#part';
    const { summary, advice } = diagnosisOf(of(['redirect', { status: 301, location }]));
    expect(`${summary} ${advice}`).not.toMatch(/me:pw|s3cret|part/);
    const script = diagnosisOf(of(['redirect', { status: 301, location: 'javascript:alert(1)' }]));
    expect(script.advice).not.toContain('javascript');
  });
});

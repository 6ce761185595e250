import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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

const VARIED = ['timeout', 'http_status', 'redirect'];
const CASES: Case[] = [
  ...Object.keys(DIAGNOSES)
    .filter((code) => !VARIED.includes(code))
    .map((code): Case => [code as DiagnosedCode, {}]),
  ['dns', { detail: { reason: 'ENOTFOUND' } }],
  ['redirect', { status: 308, location: 'https://new.example.com/hooks' }],
  ['redirect', { status: 302, location: '/login' }],
  ...(['dns', 'connect', 'tls', 'answer'] as const).map((phase): Case => ['timeout', { detail: { phase } }]),
  ...Object.keys(TLS_REASONS).map((reason): Case => ['tls', { detail: { reason, certificate } }]),
  ...[...Object.keys(STATUSES), 418, 599].map((status): Case => ['http_status', { status: Number(status) }]),
];
const TEXTS = CASES.map((one) => ({ code: one[0], ...diagnosisOf(of(one)) }));

describe('the diagnosis of failures', () => {
  it('is documented as it is', () => {
    const docs = readFileSync(new URL('../../docs/diagnosis.md', import.meta.url), 'utf8');
    const documented = docs.slice(docs.indexOf('|---|---|---|')).trim().split('\n').slice(1);
    const rows = TEXTS.map(({ code, summary, advice }) => `| \`${code}\` | ${summary} | ${advice} |`);
    expect(documented.sort()).toEqual([...new Set(rows)].sort());
  });

  it('is short, plain and complete', () => {
    for (const text of TEXTS.flatMap(({ summary, advice }) => [summary, advice])) {
      expect(text).toMatch(/^[A-Z0-9c].{10,400}\.( \([A-Z_]+\))?$/s);
      expect(text).not.toMatch(/undefined|null|NaN|\$\{/);
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
      detail: fc.record({ phase: maybe, reason: maybe, host: maybe, from: maybe }),
    });
    fc.assert(
      fc.property(failed, (one) => {
        const { summary, advice } = diagnosisOf(one as FailedAttempt);
        expect([typeof summary, typeof advice]).toEqual(['string', 'string']);
      }),
    );
  });

  it.each([
    ['timeout', { phase: 'connect' }],
    ['timeout', {}],
    ['connection_refused', {}],
    ['connection_reset', {}],
  ] as const)('names the addresses that were dialled, of %s', (code, detail) => {
    const { summary } = diagnosisOf(
      of([code, { detail: { ...detail, addresses: '192.0.2.1, 2001:db8::1' } }]),
    );
    expect(summary).toMatch(/crm\.example\.com.*\. Tried were 192\.0\.2\.1, 2001:db8::1\.$/);
  });

  it('shows no credentials of a URL that a redirect points to', () => {
    const location = 'https://me:pw@new.example.com/hooks?token=s3cret#part';
    const { summary, advice } = diagnosisOf(of(['redirect', { status: 301, location }]));
    expect(`${summary} ${advice}`).not.toMatch(/me:pw|s3cret|part/);
    const script = diagnosisOf(of(['redirect', { status: 301, location: 'javascript:alert(1)' }]));
    expect(script.advice).not.toContain('javascript');
  });
});

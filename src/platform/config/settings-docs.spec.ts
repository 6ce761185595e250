import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { VARIABLES } from './environment.js';
import { boundsOf, GROUPS, SCHEMAS, type SettingKey } from './environment-variable.js';
import { loadConfig } from './load-config.js';
import { MAX_PAUSE_MS, MAX_PAUSES, settings } from './settings.js';

const NAMES = Object.keys(VARIABLES);
const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

const isNumber = (key: string) => {
  const schema = SCHEMAS.get(key);
  return schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodNumber;
};

/** Bounds as documents state them, `1 to 10`. */
const range = (min: number, max: number) => new RegExp(`\\b${min} to ${max}\\b`);
function rangeOf(key: SettingKey, unit = 1): RegExp {
  const { min, max } = boundsOf(key);
  return range(min / unit, max / unit);
}

const UNITS: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 };
/** Milliseconds of the durations in a text such as `5 s, 5 min and 2 h`. */
const durations = (text: string) =>
  [...text.matchAll(/(\d+) (s|min|h)\b/g)].map(([, count, unit = '']) => Number(count) * (UNITS[unit] ?? 0));

describe('the environment variables', () => {
  it('set every setting exactly once, except delivery.gentle, which only a host needs', () => {
    const keys = Object.values(VARIABLES).map(({ key }) => key);
    expect([...keys, 'delivery.gentle'].sort()).toEqual([...SCHEMAS.keys()].sort());
  });

  it('are all passed on by compose.yml, except those that the image sets', () => {
    const [, environment = ''] =
      /^x-service:.*?^ {2}environment:\n(.*?)^\S/ms.exec(read('compose.yml')) ?? [];
    const passed = [...environment.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => name as string);
    expect([...passed, 'NODE_ENV', 'ROLE', 'HOST', 'PORT'].sort()).toEqual([...NAMES].sort());
  });
});

describe('.env.example', () => {
  const text = read('.env.example');
  const entries = [...text.matchAll(/((?:^#.*\n)*)^# ([A-Z_]+)=(.*)$/gm)].map(
    ([, comment = '', name = '', value = '']) => ({ comment, name, value }),
  );
  const values = Object.fromEntries(entries.map(({ name, value }) => [name, value]));

  it('sets nothing and lists exactly the variables that are read', () => {
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    expect(entries.map(({ name }) => name)).toEqual(NAMES);
  });

  it('shows the defaults', () => {
    expect(loadConfig(values)).toEqual(loadConfig({}));
    expect(NAMES.filter((name) => values[name] === '')).toEqual([
      'TRUSTED_PROXIES',
      'BOOTSTRAP_API_KEY',
      'ENCRYPTION_KEYS',
      'ALLOWED_NETWORKS',
      'EGRESS_PROXY',
      'INSTANCE_NAME',
      'INTAKE_URL',
      'INTAKE_REFUSED_QUEUE',
      'INTAKE_USER_ID',
    ]);
  });

  it.each(entries)('states the bounds or choices of $name', ({ name, comment }) => {
    const { key, must } = VARIABLES[name] ?? { key: 'port' };
    if (isNumber(key)) expect(comment).toMatch(rangeOf(key, name.endsWith('_SECONDS') ? 1000 : 1));
    if (key === 'delivery.retryScheduleMs') {
      expect(comment).toMatch(range(1, MAX_PAUSES));
      expect(comment).toMatch(range(0, MAX_PAUSE_MS / 1000));
    }
    const [, choices] = /^must be one of (.*);/.exec(must ?? '') ?? [];
    for (const choice of choices?.split(', ') ?? []) expect(comment).toMatch(new RegExp(`\\b${choice}\\b`));
  });
});

describe('the options in docs/embedding.md', () => {
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(read('docs/embedding.md')) ?? [];
  const [, table = ''] = section.split('| option | default | |\n').slice(1);
  const rows = [...table.matchAll(/^\| `([\w.]+)` \| (.*?) \| (.*) \|$/gm)].map(
    ([, key = '', fallback = '', meaning = '']) => ({ key, fallback, meaning }),
  );
  const keys = [
    ...Object.keys(settings.shape).filter((key) => !GROUPS.some((group) => group === key)),
    ...GROUPS.flatMap((group) =>
      Object.keys(settings.shape[group].unwrap().shape).map((key) => `${group}.${key}`),
    ),
  ];
  const defaultOf = (key: string): unknown =>
    key.split('.').reduce<unknown>((value, name) => (value as never)[name], settings.parse({}));

  it('are exactly those that the module takes', () => {
    const NOT_SETTINGS = ['encryptionKeys', 'eventKinds', 'clock'];
    expect(rows.map(({ key }) => key).sort()).toEqual([...keys, ...NOT_SETTINGS].sort());
  });

  it.each(rows.filter(({ key }) => keys.includes(key)))(
    'have the default and bounds of $key',
    ({ key, fallback, meaning }) => {
      if (key === 'delivery.retryScheduleMs') {
        expect(durations(fallback)).toEqual(defaultOf(key));
        expect(meaning).toMatch(range(1, MAX_PAUSES));
        expect(meaning).toMatch(range(0, MAX_PAUSE_MS));
        return;
      }
      const [, literal = ''] = /^`(.*?)`/.exec(fallback) ?? [];
      expect(JSON.parse(literal.replaceAll("'", '"'))).toEqual(defaultOf(key));
      if (isNumber(key)) expect(fallback).toMatch(rangeOf(key as SettingKey));
    },
  );
});

describe('what is documented for users', () => {
  it('states the default of every limit', () => {
    const text = read('docs/limits.md');
    const stated = [...text.matchAll(/(\d+|unlimited)[^|(]*(?:\([^)`]*\)[^|(]*)?\(`([A-Z_]+)`\)/g)];
    const limits = NAMES.filter((name) => isNumber(VARIABLES[name]?.key ?? ''));
    const NOT_LIMITS = [
      'PORT',
      'DELIVERY_TIMEOUT_MS',
      'FAILING_DISABLE_HOURS',
      'INSTANCE_TIMEOUT_SECONDS',
      'INTAKE_PREFETCH',
    ];
    expect([...stated.map(([, , name]) => name), ...NOT_LIMITS].sort()).toEqual([...limits].sort());
    for (const [, shown, name = ''] of stated) {
      const { key = 'port' } = VARIABLES[name] ?? {};
      expect([name, shown === 'unlimited' ? 0 : Number(shown)]).toEqual([name, boundsOf(key).fallback]);
    }
  });

  it.each(['README.md', 'docs/receiving.md'])('states the retry schedule: %s', (document) => {
    const [schedule = ''] = /(\d+ (s|min|h)(, |\s+and )){3,}\d+ h/.exec(read(document)) ?? [];
    expect(durations(schedule)).toEqual(settings.parse({}).delivery.retryScheduleMs);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { userId } from '../rest/fields.js';
import { notificationEnvelope } from './dto/notification.dto.js';
import { isPlainUserId, plainEnvelope } from './plain-notification.js';

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'acme',
    ' acme',
    'acme ',
    'a b',
    'a\u0000b',
    'a\n',
    'zoë',
    '\ud800',
    'x'.repeat(129),
  ),
  fc.string({ unit: 'binary', maxLength: 130 }),
);
const value = fc.oneof(text, fc.constantFrom(null, undefined, 7, true, [], {}, { id: 'rec_1' }, ['a']));
const mostly = <T>(usual: T, others: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
const bodies = fc.oneof(
  { weight: 1, arbitrary: value },
  {
    weight: 8,
    arbitrary: fc.record(
      {
        event_kind: mostly('RECORD_FINISHED', value),
        user_id: mostly('acme', value),
        record: mostly({ id: 'rec_1' }, value),
        analysis_id: mostly('ana_1', value),
        other: value,
      },
      { requiredKeys: ['event_kind', 'user_id', 'record'] },
    ),
  },
  // JSON.parse makes own properties of these names.
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('__proto__', 'constructor', 'toString')
      .map((name) => JSON.parse(`{"event_kind":"A","user_id":"u","record":{},"${name}":1}`)),
  },
);

describe('a plain notification', () => {
  it('is only a body that the schema takes unchanged', () => {
    let plain = 0;
    fc.assert(
      fc.property(bodies, (body) => {
        const envelope = plainEnvelope(body);
        if (envelope === null) return;
        plain++;
        expect(notificationEnvelope.parse(body)).toEqual(envelope);
      }),
      { numRuns: 5000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it('has a user id that the schema takes', () => {
    fc.assert(
      fc.property(fc.oneof(value, fc.string({ maxLength: 130 })), (id) => {
        if (isPlainUserId(id)) expect(userId.parse(id)).toBe(id);
      }),
      { numRuns: 5000 },
    );
  });

  it.each(['acme', 'a', 'a b', '7', 'user@example.com', 'x'.repeat(128)])(
    'has a user id such as %s',
    (id) => {
      expect(isPlainUserId(id)).toBe(true);
    },
  );
});

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { members } from '../platform/json/json-text.js';
import { payloadOf } from './payload.js';

const AT = '2026-11-21T10:15:30.123Z';
const kindOf = (analysis: unknown) => (analysis ? 'ANALYSIS_FINISHED' : 'RECORD_FINISHED');

/** @param analysisId the analysis that finished; null if the record has. */
function bodyOf(recordText: string, analysisId: string | null): string {
  const eventKind = kindOf(analysisId);
  const input = { eventKind, userId: 'u', recordText, analysisId, traceparent: null, hops: 0 };
  return payloadOf(input, false, AT).body.toString();
}

describe('payloadOf', () => {
  const text =
    '{ "2":1.0,"id":"r" ,"analyses" : [ {"id":"a","n":1e999} , {"id":"b"},{"id":"a"}],"1":"\\u00e9"}';

  it('renames analyses in place and touches nothing else', () => {
    expect(bodyOf(text, null)).toBe(
      '{"data":{ "2":1.0,"id":"r" ,"analysis" : [ {"id":"a","n":1e999} , {"id":"b"},{"id":"a"}],"1":"\\u00e9"},' +
        `"triggered_at":"${AT}","event_kind":"RECORD_FINISHED"}`,
    );
  });

  it('keeps only the analysis that is named, the first one if several share its id', () => {
    expect(bodyOf(text, 'a')).toBe(
      '{"data":{ "2":1.0,"id":"r" ,"analysis" : [{"id":"a","n":1e999}],"1":"\\u00e9"},' +
        `"triggered_at":"${AT}","event_kind":"ANALYSIS_FINISHED"}`,
    );
  });

  it('refuses an analysis that the record does not have', () => {
    expect(() => bodyOf(text, 'c')).toThrow(expect.objectContaining({ code: 'analysis_not_in_record' }));
  });

  it('keeps any record whole: fields, their order, and the source of each value', () => {
    fc.assert(
      fc.property(recordParts(), fc.boolean(), ({ before, after, analyses, plural }, single) => {
        const key = plural ? 'analyses' : 'analysis';
        const list = `[${analyses.map(({ source }) => source).join(' ,')}]`;
        const source = `{${[...before, '"id":"r"', `"${key}": ${list}`, ...after].join(', ')}}`;
        const first = single ? analyses[0] : undefined;

        const payload = bodyOf(source, first?.id ?? null);

        const kept = first === undefined ? list : `[${first.source}]`;
        const data = `{${[...before, '"id":"r"', `"analysis": ${kept}`, ...after].join(', ')}}`;
        expect(payload).toBe(`{"data":${data},"triggered_at":"${AT}","event_kind":"${kindOf(first)}"}`);

        const { [key]: _, ...rest } = JSON.parse(source);
        const expected = {
          data: { ...rest, analysis: JSON.parse(kept) },
          triggered_at: AT,
          event_kind: kindOf(first),
        };
        expect(isDeepStrictEqual(JSON.parse(payload), expected)).toBe(true);

        const envelope = members(payload);
        expect(envelope.map((member) => member.key)).toEqual(['data', 'triggered_at', 'event_kind']);
        const names = members(source).map((member) => (member.key === key ? 'analysis' : member.key));
        expect(members(payload, envelope[0]?.start).map((member) => member.key)).toEqual(names);
      }),
    );
  });
});

/** No name holds a backslash: V8 13.6 can misread the names that JSON.parse meets after one that does. */
function recordParts() {
  const key = fc
    .oneof(fc.string({ unit: 'binary' }), fc.nat().map(String), fc.constantFrom('__proto__', 'data', '"}'))
    .filter((name) => !name.includes('\\') && name !== 'id' && name !== 'analysis' && name !== 'analyses')
    .map((name) => JSON.stringify(name));
  const number = fc.constantFrom('12345678901234567890', '1e999', '1.0', '-0', '0.10', '1E5');
  const value = fc.oneof(
    fc.json().filter((text) => !text.includes('\\\\')),
    number,
    number.map((source) => `[ ${source} ]`),
    fc.constant('"\\ud800\\/"'),
  );
  const member = fc.tuple(key, value).map(([name, source]) => `${name} :${source}`);
  const some = fc.array(member, { maxLength: 5 });
  const analysis = fc.record({ id: fc.string({ unit: 'binary', minLength: 1 }), fields: some });
  const analyses = fc.uniqueArray(analysis, { selector: ({ id }) => id, maxLength: 4 }).map((all) =>
    all.map(({ id, fields }) => ({
      id,
      source: `{${[...fields, `"id": ${JSON.stringify(id)}`].join(',')}}`,
    })),
  );
  return fc.record({ before: some, after: some, analyses, plural: fc.boolean() });
}

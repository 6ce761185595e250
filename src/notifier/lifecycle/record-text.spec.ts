import { describe, expect, it } from '@jest/globals';
import { parseRecord, type RecordText } from './record-text.js';

function record(text: string): RecordText {
  const parsed = parseRecord(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

function problems(text: string): string[] {
  const parsed = parseRecord(text);
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe('parseRecord', () => {
  it('reads the id and the analysis ids, and nothing else', () => {
    const { id, analysisIds } = record(
      '{"id":"r\\u0031","x":[{"id":7}],"analysis":[{"id":"a"},{"k":{},"id":"b"}]}',
    );
    expect(id).toBe('r1');
    expect(analysisIds).toEqual(['a', 'b']);
    expect(record('{"analyses":[],"id":"r"}').analysisIds).toEqual([]);
  });

  it.each(['1', 'null', '[]', '"id"', ' [{"id":"r","analysis":[]}] '])('refuses %s', (text) => {
    expect(problems(text)).toEqual([' must be an object']);
  });

  it('names every problem at once', () => {
    expect(problems('{}')).toEqual(['/id is required', '/analysis is required']);
    expect(problems('{"id":1,"analyses":[{},1,{"id":""},{"id":"a"},{"id":null}]}')).toEqual([
      '/id must be a non-empty string of at most 256 characters',
      '/analyses/0/id is required',
      '/analyses/1 must be an object',
      '/analyses/2/id must be a non-empty string',
      '/analyses/4/id must be a non-empty string',
    ]);
    expect(problems('{"analysis":{"id":"a"}}')).toEqual(['/id is required', '/analysis must be an array']);
  });

  it('refuses a repeated id or analysis, however its name is escaped', () => {
    expect(problems('{"id":"r","i\\u0064":"r","analysis":[],"analysis":[]}')).toEqual([
      '/id is given more than once',
      '/analysis is given more than once',
    ]);
    expect(problems('{"id":"r","analyses":[],"analysis":[]}')).toEqual([
      '/analyses cannot be given beside analysis',
    ]);
    expect(problems('{"id":"r","analysis":[{"id":"a","id":"b"}]}')).toEqual([
      '/analysis/0/id is given more than once',
    ]);
    expect(problems('{"id":"r","analysis":[],"x":1,"x":2}')).toEqual([]);
  });

  it('bounds the id at 256 characters', () => {
    expect(problems(`{"id":"${'x'.repeat(256)}","analysis":[]}`)).toEqual([]);
    expect(problems(`{"id":"${'x'.repeat(257)}","analysis":[]}`)).toHaveLength(1);
    expect(problems('{"id":"","analysis":[]}')).toHaveLength(1);
  });

  it('names at most 100 problems', () => {
    expect(problems(`{"id":"r","analysis":[${'1,'.repeat(999)}1]}`)).toHaveLength(100);
  });
});

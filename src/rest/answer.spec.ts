import { describe, expect, it } from '@jest/globals';
import { answerOf, Field, listOf, toAnswer, toRow } from './answer.js';

interface Part {
  isOn: boolean;
  ownNames: Record<string, string>;
}
interface View {
  userId: string;
  onePart: Part | null;
  allParts: Part[];
  note?: string;
}

class PartAnswer extends answerOf<Part>({
  is_on: { example: true },
  own_names: { type: 'object', additionalProperties: true },
}) {}
class ViewAnswer extends answerOf<View>({
  user_id: { example: 'acme' },
  one_part: { type: PartAnswer, nullable: true },
  all_parts: { type: [PartAnswer] },
  note: { required: false, example: '' },
}) {}
class MoreAnswer extends ViewAnswer {
  @Field({ example: 1 })
  added_later: number;
}

const ownNames = { a_b: 'c', constructor: 'd', ...JSON.parse('{"__proto__":"e"}') };
const part = { isOn: true, ownNames, secret: 'hidden' };
const view = { userId: 'acme', onePart: part, allParts: [part], hash: 'hidden', addedLater: 1 };
const shownPart = `{"is_on":true,"own_names":{"a_b":"c","constructor":"d","__proto__":"e"}}`;
const shown = `{"user_id":"acme","one_part":${shownPart},"all_parts":[${shownPart}]`;

describe('an answer', () => {
  it.each([
    ['by class-transformer', toAnswer],
    ['without it', toRow],
  ] as const)('has its declared fields alone, at every depth, in their order: %s', (_, write) => {
    expect(JSON.stringify(write(ViewAnswer, view))).toBe(`${shown}}`);
    expect(JSON.stringify(write(MoreAnswer, view))).toBe(`${shown},"added_later":1}`);
    const less = { userId: 'acme', onePart: null, allParts: [], note: 'n' };
    expect(JSON.stringify(write(ViewAnswer, less))).toBe(
      '{"user_id":"acme","one_part":null,"all_parts":[],"note":"n"}',
    );
  });

  it('may be a page', () => {
    class ListAnswer extends listOf(ViewAnswer) {}
    const page = toAnswer(ListAnswer, { data: [view], nextCursor: null });
    expect(JSON.stringify(page)).toBe(`{"data":[${shown}}],"next_cursor":null}`);
  });

  it('to the compiler', () => {
    // @ts-expect-error: a field of the view is missing
    answerOf<Part>({ is_on: {} });
    // @ts-expect-error: there is a field that the view has not
    answerOf<Part>({ is_on: {}, own_names: {}, secret: {} });
    // @ts-expect-error: the view lacks what the answer declares
    toRow(PartAnswer, { isOn: true });
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinOwnValues, shownRequest } from './request-head.js';

const url = 'https://crm.example.com/hooks';
const name = fc.stringMatching(/^[A-Za-z-]{1,20}$/);
const value = fc.stringMatching(/^[\x20-\x7b\x7d\x7e]{0,40}$/);

describe('A request head', () => {
  it('shows a request once its own values are filled in', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.dictionary(name, value), (common, own) => {
        const open = Object.fromEntries(Object.keys(own).map((key) => [key, null]));
        const headers = JSON.parse(JSON.stringify({ ...common, ...open }));
        const said = { ...common, ...own };
        // In the order of the head, as that is how values find their headers.
        const values = Object.keys(headers).flatMap((key) =>
          Object.hasOwn(own, key) ? [own[key] as string] : [],
        );
        expect(shownRequest({ url, headers }, joinOwnValues(values))).toEqual({ url, headers: said });
      }),
    );
  });

  it('leaves out the last headers if the request had no value for them', () => {
    const headers = { 'x-team': 'risk', 'webhook-id': null, traceparent: null };
    const shown = shownRequest({ url, headers }, joinOwnValues(['msg_1']));
    expect(shown).toEqual({ url, headers: { 'x-team': 'risk', 'webhook-id': 'msg_1' } });
  });
});

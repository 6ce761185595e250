import type { Answer, TestService } from '../support/service.js';

/** What a browser says of a page of the same origin. */
export const OWN = { 'sec-fetch-site': 'same-origin' };

export const logIn = (
  service: Pick<TestService, 'call'>,
  key: string,
  headers: Record<string, string> = OWN,
) => service.call('POST', '/v1/session', { key }, { key: null, headers });

export const setCookieOf = ({ headers }: Answer) => headers.get('set-cookie') ?? '';

/** What the browser sends back. */
export const cookieOf = (answer: Answer) => setCookieOf(answer).split(';', 1)[0] as string;

import type { Exchange, OutgoingRequest, Transport } from '../../network/transport/transport.js';

/** The body of a request, parsed. */
export interface Payload {
  data: Record<string, unknown>;
  /** RFC 3339, UTC, milliseconds. */
  triggered_at: string;
  event_kind: string;
}

/** A request that a receiver would have got. */
export interface Delivered {
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The exact bytes. */
  body: Buffer;
  /** The body, parsed. */
  payload: Payload;
  /** The notification's id, the same on every attempt. */
  webhookId: string;
  /** 1, 2, ... */
  attempt: number;
}

/** How receivers answer: a status, or no response at all. */
type Answer = number | 'timeout' | 'connection_refused';

const answerOk = () => 200;

/** The answer of every token endpoint. */
const TOKEN = JSON.stringify({ access_token: 'test-token', token_type: 'Bearer', expires_in: 3600 });

/**
 * A transport without a network: it records requests and answers them with 200, or as told by `answerWith`. A test that imports
 * `WebhookModule` has it by `mockWebhooks`.
 */
export class FakeTransport implements Transport {
  /** All requests, in the order in which they were sent. */
  readonly delivered: Delivered[] = [];
  private readonly listeners = new Set<() => void>();
  private answer: (delivered: Delivered) => Answer = answerOk;

  /**
   * Sets how receivers answer from now on.
   *
   * @param answer a status, the reason why there is none, or a function of the request that returns either.
   */
  answerWith(answer: Answer | ((delivered: Delivered) => Answer)): void {
    this.answer = typeof answer === 'function' ? answer : () => answer;
  }

  /** Forgets all deliveries, and lets receivers answer 200 again; for tests that share an application. */
  reset(): void {
    this.delivered.length = 0;
    this.answer = answerOk;
  }

  async send({ url, headers, body }: OutgoingRequest): Promise<Exchange> {
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    // The request for an access token; it goes to no receiver.
    if (lower['content-type'] === 'application/x-www-form-urlencoded') return exchangeOf(200, TOKEN);
    const delivered: Delivered = {
      url: url.href,
      headers: lower,
      body,
      payload: JSON.parse(body.toString()),
      webhookId: lower['webhook-id'] ?? '',
      attempt: Number(lower['webhook-attempt']),
    };
    const exchange = exchangeOf(this.answer(delivered));
    this.delivered.push(delivered);
    for (const listener of this.listeners) listener();
    return exchange;
  }

  async close(): Promise<void> {}

  /** Resolves with the first delivery that passes, including past ones; rejects after `withinMs` of real time. */
  async waitFor(passes: (delivered: Delivered) => boolean, withinMs: number): Promise<Delivered> {
    const find = () => this.delivered.find(passes);
    return find() ?? this.nextThat(find, withinMs);
  }

  private nextThat(find: () => Delivered | undefined, withinMs: number): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.listeners.delete(check);
      };
      const check = () => {
        const found = find();
        if (!found) return;
        end();
        resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`Not delivered within ${withinMs} ms.`));
      }, withinMs);
      this.listeners.add(check);
    });
  }
}

function exchangeOf(answer: Answer, body = ''): Exchange {
  if (typeof answer === 'number') {
    return { response: { status: answer, headers: {}, body, truncated: false }, error: null, phases: {} };
  }
  const message =
    answer === 'timeout' ? 'The receiver did not answer in time.' : 'The connection was refused.';
  return { response: null, error: { code: answer, message }, phases: {} };
}

import type { AttemptError, AttemptErrorDetail } from '../attempt-error.js';
import { detailOf, failureOf, isBrokenFraming, toAttemptError } from '../attempt-failure.js';
import type { PhaseClock } from '../phase-clock.js';
import { ResponseCollector } from './response-collector.js';
import type { Exchange } from './transport.js';

const MAX_SHOWN_ADDRESSES = 5;

export interface RecordedExchange {
  exchange: Exchange;
  /** True if the response was read to its end: the connection can carry another request. */
  complete: boolean;
}

/**
 * Turns the events of an HTTP client, in any order, into one outcome; the first event that settles it counts.
 * Once the response headers have arrived, the outcome is a response, unless its body breaks the HTTP framing.
 */
export class ExchangeRecorder {
  private resolve: (recorded: RecordedExchange) => void = () => {};
  readonly outcome = new Promise<RecordedExchange>((resolve) => {
    this.resolve = resolve;
  });
  private collector: ResponseCollector | null = null;
  private isFlooded = false;
  /** True once the outcome is settled and nothing more needs to be read. */
  isDone = false;

  constructor(private readonly clock: PhaseClock) {}

  /** Response headers have arrived. Interim responses (1xx) are ignored. */
  begin(status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status === 101) {
      // Our requests have no Upgrade header, so there is no protocol to switch to.
      this.failWith(failureOf('invalid_response', 'The receiver switched to another protocol.'));
    } else if (status < 100 || status >= 200) {
      this.beginFinal(status, headers);
    }
  }

  data(chunk: Buffer): void {
    // Chunks that are already parsed still arrive, perhaps one byte each: do no work for them.
    if (this.isDone) return;
    this.collector?.add(chunk);
    if (this.collector?.isFull) this.respond(false);
  }

  end(): void {
    this.respond(true);
  }

  fail(error: unknown): void {
    if (this.isFlooded) return;
    if (this.collector === null) this.failWith(toAttemptError(error), this.detailWith(detailOf(error)));
    else if (isBrokenFraming(error)) this.failWith(failureOf('invalid_response'));
    else this.respond(false);
  }

  /**
   * The receiver sent more than the limit, and the connection is cut. Without a final response, the attempt ends at its
   * deadline, like any other without an answer.
   */
  overflow(): void {
    this.isFlooded = true;
    if (this.collector !== null) this.respond(false);
  }

  /** The deadline has passed. */
  abort(): void {
    if (this.collector === null)
      this.failWith(failureOf('timeout'), this.detailWith({ phase: this.clock.current }));
    else this.respond(false);
  }

  private beginFinal(status: number, headers: Record<string, string | string[] | undefined>): void {
    try {
      this.collector = new ResponseCollector(status, headers);
      this.clock.mark('headers');
    } catch (error) {
      this.failWith(toAttemptError(error));
    }
  }

  /** Says which addresses were dialled if that were several, and none of them let a connection be opened. */
  private detailWith(detail: AttemptErrorDetail | undefined): AttemptErrorDetail | undefined {
    const { dialled } = this.clock;
    return dialled.length > 1
      ? { ...detail, addresses: dialled.slice(0, MAX_SHOWN_ADDRESSES).join(', ') }
      : detail;
  }

  private respond(complete: boolean): void {
    const response = this.collector?.response(complete);
    if (response === undefined) this.failWith(failureOf('internal'));
    else this.settle({ exchange: { response, error: null, phases: this.clock.phases }, complete });
  }

  private failWith(error: AttemptError, detail?: AttemptErrorDetail): void {
    this.settle({
      exchange: { response: null, error, phases: this.clock.phases, ...(detail && { detail }) },
      complete: false,
    });
  }

  private settle(recorded: RecordedExchange): void {
    this.isDone = true;
    this.resolve(recorded);
  }
}

import type { Exchange, OutgoingRequest, Transport } from './transport.js';

/**
 * When an exchange has to end. An `AbortSignal` costs more than all the rest of a deadline, and most exchanges use an open
 * connection and end in time, so there is one only once it is asked for.
 */
export class Deadline {
  /** Called when it has passed. */
  onPassed: (() => void) | null = null;
  private passed = false;
  private controller: AbortController | null = null;

  /** The same moment as that of a signal. */
  static of(signal: AbortSignal): Deadline {
    const deadline = new Deadline();
    if (signal.aborted) deadline.pass();
    else signal.addEventListener('abort', () => deadline.pass(), { once: true });
    return deadline;
  }

  get hasPassed(): boolean {
    return this.passed;
  }

  /** Aborts when it passes, after {@link onPassed} was called. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.passed) this.controller.abort();
    return this.controller.signal;
  }

  pass(): void {
    this.passed = true;
    this.onPassed?.();
    this.controller?.abort();
  }
}

/** A transport that needs a signal only to open a connection. */
export interface DeadlineTransport extends Transport {
  /** Called in place of `send`. */
  sendBy(request: OutgoingRequest, deadline: Deadline): Promise<Exchange>;
}

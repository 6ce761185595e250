/** Milliseconds from the start of the attempt to the end of each phase. Phases that were not reached are absent. */
export interface AttemptPhases {
  /** The name was resolved. */
  dns?: number;
  /** The connection was open. Absent, like `dns` and `tls`, if an open one was used again. */
  connect?: number;
  /** The TLS handshake was done. */
  tls?: number;
  /** The status and the headers had arrived. */
  headers?: number;
}

/** A phase of an attempt that may take too long. */
export type AttemptPhase = 'dns' | 'connect' | 'tls' | 'answer';

/** Records when each phase of an attempt ended, by a monotonic clock: setting the wall clock has no effect. */
export class PhaseClock {
  readonly phases: AttemptPhases = {};
  /** The phase that is under way. A connection that is used again begins by waiting for the answer. */
  current: AttemptPhase = 'answer';
  /** The addresses that are dialled, in that order, until one lets a connection be opened. */
  dialled: string[] = [];
  private readonly startedAt = performance.now();

  mark(phase: keyof AttemptPhases): void {
    this.phases[phase] = Math.round(performance.now() - this.startedAt);
  }
}

/** Milliseconds from the start of the attempt to the end of each phase. Phases that were not reached are absent. */
export interface AttemptPhases {
  dns?: number;
  connect?: number;
  tls?: number;
  headers?: number;
}

/** Records when each phase of an attempt ended, by a monotonic clock: setting the wall clock has no effect. */
export class PhaseClock {
  readonly phases: AttemptPhases = {};
  private readonly startedAt = performance.now();

  mark(phase: keyof AttemptPhases): void {
    this.phases[phase] = Math.round(performance.now() - this.startedAt);
  }
}

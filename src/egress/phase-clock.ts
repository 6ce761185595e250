/** Milliseconds from the start of the attempt to the end of each phase; a phase not reached is left out. */
export interface AttemptPhases {
  dns?: number;
  connect?: number;
  tls?: number;
  headers?: number;
}

/** Notes when each phase of an attempt ended. Monotonic, so a changed wall clock does not matter. */
export class PhaseClock {
  readonly phases: AttemptPhases = {};
  private readonly startedAt = performance.now();

  mark(phase: keyof AttemptPhases): void {
    this.phases[phase] = Math.round(performance.now() - this.startedAt);
  }
}

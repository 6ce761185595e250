import type { AttemptPhases } from './transport.js';

/** Notes when each phase of an attempt ended. Monotonic, so a changed wall clock does not matter. */
export class PhaseClock {
  readonly phases: AttemptPhases = {};
  private readonly startedAt = performance.now();

  mark(phase: keyof AttemptPhases): void {
    this.phases[phase] = Math.round(performance.now() - this.startedAt);
  }
}

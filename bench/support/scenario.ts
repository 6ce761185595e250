import type { DatabaseKind } from './database.js';
import type { Options } from './options.js';

/** Measured figures by name, such as `drain` in deliveries a second. */
export type Figures = Record<string, number>;

/** A measurement that can be repeated. */
export interface Session {
  run(): Promise<Figures>;
  end?(): Promise<void>;
}

export interface Scenario {
  name: string;
  /** Scenarios of a group take turns, so changes of the machine affect all of them. */
  group: string;
  /** False if it does not use the service's database. */
  perDatabase: boolean;
  /** Resolves with the reason if it cannot be measured here. */
  missing?(): Promise<string | null>;
  open(options: Options, kind: DatabaseKind): Promise<Session>;
}

import type { DatabaseKind } from './database.js';
import type { Options } from './options.js';

/** Measured figures by name, such as `drain` in deliveries a second. */
export type Figures = Record<string, number>;

/** A measurement that may be made again and again. */
export interface Session {
  run(): Promise<Figures>;
  end?(): Promise<void>;
}

export interface Scenario {
  name: string;
  /** Those of one group take turns, so that what changes on the machine changes for all of them. */
  group: string;
  /** False: it has nothing to do with the service's database. */
  perDatabase: boolean;
  /** Resolves with the reason where it cannot be measured here. */
  missing?(): Promise<string | null>;
  open(options: Options, kind: DatabaseKind): Promise<Session>;
}

import type { Owner } from '../platform/access/owner.js';
import type { ChangeKind } from '../store/tables/trigger/change.entity.js';
import type { EventStream } from './event-stream.js';

/** What a stream may be narrowed by. */
export interface Subject {
  userId: string;
  eventKind: string;
  webhookId?: string;
  status?: string;
}

/** A subject that has changed. */
export interface Shown {
  /** The id of the change. */
  id: number;
  subject: Subject;
  /** The JSON that an event shows. */
  data: string;
}

/** The newest change of a subject. */
export interface ChangedSubject {
  id: number;
  subjectId: string;
}

/** Reads what has changed, as it is now. */
export interface ChangeSource {
  /** Also the name of its events. */
  readonly kind: ChangeKind;
  /** In the order given, in parts of at most a few MiB; without what nobody wants, or is gone. */
  read(changed: ChangedSubject[], isWanted: (subject: Subject) => boolean): AsyncIterable<Shown[]>;
}

/** A stream that shows changes. */
export interface Follower {
  readonly stream: EventStream;
  readonly source: ChangeSource;
  readonly wants: (subject: Subject) => boolean;
}

/** A filter of the fields that are given. Of another user's, an owner sees nothing, as in lists. */
export function wantingOf(
  owner: Owner,
  fields: Partial<Record<keyof Subject, string | undefined>>,
): Follower['wants'] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined) as [
    keyof Subject,
    string,
  ][];
  return (subject) =>
    (owner === null || subject.userId === owner) && given.every(([name, value]) => subject[name] === value);
}

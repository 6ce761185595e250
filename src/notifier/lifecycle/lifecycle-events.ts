import type { HostEventKinds } from '../../event/event-kinds.js';

/** One check made of a person or company. Fields beside `id` pass through to the webhooks untouched. */
export interface Analysis {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: unknown would refuse interfaces and classes
  [field: string]: any;
}

/** A person or company under analysis. Fields beside `id` and its analyses pass through untouched. */
export interface AnalysisRecord {
  id: string;
  analysis: Analysis[];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  [field: string]: any;
}

/** Something happened to a record of this user. */
export interface RecordEvent {
  /** The user whose webhooks are notified; 1..128 characters. */
  user_id: string;
  record: AnalysisRecord;
}

/** One analysis of a record finished. */
export interface AnalysisFinished extends RecordEvent {
  /** The id of the analysis. It must be among the record's analyses. */
  analysis_id: string;
}

/** The service's built-in events. */
interface OwnLifecycleEvents {
  'analysis.finished': AnalysisFinished;
  'record.finished': RecordEvent;
  'record.status_changed': RecordEvent;
}

type HostLifecycleEvents = {
  [Kind in keyof HostEventKinds as HostEventKinds[Kind] extends { event: infer Name extends string }
    ? Name
    : never]: HostEventKinds[Kind] extends { record: infer HostRecord }
    ? Pick<RecordEvent, 'user_id'> & { record: HostRecord }
    : never;
};

/** The events that an application emits on its `EventEmitter2`: payload by event name. */
export type LifecycleEvents = OwnLifecycleEvents & HostLifecycleEvents;

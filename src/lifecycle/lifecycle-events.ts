/** One check made of a person or company. Fields beside `id` pass through to the webhooks untouched. */
export interface Analysis {
  id: string;
  [field: string]: unknown;
}

/** A person or company under analysis. Fields beside `id` and its analyses pass through untouched. */
export interface AnalysisRecord {
  id: string;
  analysis: Analysis[];
  [field: string]: unknown;
}

/** Something happened to a record of this user. */
export interface RecordEvent {
  /** Whose webhooks hear of it; 1..128 characters. */
  user_id: string;
  record: AnalysisRecord;
}

/** One analysis of a record finished. */
export interface AnalysisFinished extends RecordEvent {
  /** Which; it must be among the record's analyses. */
  analysis_id: string;
}

/** What a host application emits on its `EventEmitter2`: the names, and what goes with each. */
export interface LifecycleEvents {
  'analysis.finished': AnalysisFinished;
  'record.finished': RecordEvent;
  'record.status_changed': RecordEvent;
}

/** The kind of event that webhooks subscribe to, for each name. */
export const KIND_OF_EVENT = {
  'analysis.finished': 'ANALYSIS_FINISHED',
  'record.finished': 'RECORD_FINISHED',
  'record.status_changed': 'STATUS_CHANGED',
} as const satisfies Record<keyof LifecycleEvents, string>;

/** The answer of every deletion. */
export interface Deleted {
  /** The id of what was deleted. */
  id: string;
  deleted: true;
}

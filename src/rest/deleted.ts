/** The answer of every deletion. */
export interface Deleted {
  /** The id of what was deleted. */
  id: string;
  /** Always true: what cannot be deleted is a `Problem`. */
  deleted: true;
}

import { writeJson } from '../platform/json/write-json.js';
/** `id` and `word` are ASCII, `word` of at most 64 characters; `user` is a user's id. */
export type JsonRowType = 'id' | 'word' | 'user' | 'text' | 'integer';

/** The columns of rows that come as one parameter, in the order of the values of each row. */
export type RowColumns = Readonly<Record<string, JsonRowType>>;

/** A list for `IN` as one parameter, whatever its length. */
export interface IdList {
  sql: string;
  parameter: unknown;
}

/**
 * What is written differently for each database: pieces of statements. Whatever else a statement says is the same on all. A lock is
 * empty where one transaction runs at a time.
 */
export interface Sql {
  /** A list of ids for `IN`. */
  idList(ids: string[] | number[]): IdList;

  /**
   * A derived table whose rows come from one parameter, a JSON array of arrays: one prepared statement serves any number of
   * rows.
   *
   * @returns SQL that follows FROM or JOIN and takes an alias.
   */
  jsonRows(columns: RowColumns): string;

  /** The rows of {@link jsonRows}, for a SELECT that locks. */
  materialisedRows(columns: RowColumns): string;

  /**
   * An UPDATE of table rows `t` from the rows `j` of one JSON parameter.
   *
   * @param changes maps each column to the expression it is set to.
   * @param on the join condition between `t` and `j`; it must find `t` by its primary key.
   */
  updateFromRows(table: string, columns: RowColumns, changes: Record<string, string>, on: string): string;

  /** A DELETE of the rows whose primary keys are the rows of one JSON parameter, such as {@link keysOf}. Finds each by its key. */
  deleteRows(table: string, key: RowColumns): string;

  /** Behind a table's name: the index to use. The optimiser might otherwise choose another one, and read or lock more. */
  byIndex(index: string): string;

  /** The beginning of a DELETE of rows that a WHERE names by their primary keys; its table is `t`. */
  deleteByKey(table: string): string;

  /** A join whose left side is read first. */
  readonly thenJoin: string;
  /** The beginning of an INSERT that leaves out rows that are there already. */
  readonly insertIgnore: string;
  /** Behind the VALUES of an INSERT: what follows is set in a row that is there already. */
  readonly onDuplicate: string;
  /** Behind an INSERT: writes a row that is there already, which locks it where more than one transaction runs at a time. */
  lockDuplicate(column: string): string;
  /** Behind a SELECT: locks its rows to write them. */
  readonly forUpdate: string;
  /** Behind a SELECT: locks its rows, so that nobody writes them. */
  readonly forShare: string;
  /** Behind a SELECT: locks its rows, and leaves out those that somebody else has locked. */
  readonly forUpdateOfFree: string;
  /** How many rows the statement before has changed, if that is no SELECT. */
  readonly changedBefore: string;
  /** The larger one of its arguments: a function's name. */
  readonly greatest: string;
  /** The database's own clock in epoch milliseconds: independent of time zones, and good for any year. */
  readonly now: string;
  /** How many bytes a text takes. */
  bytesOf(column: string): string;
  /** How many bytes a value takes, if the database knows that without reading it; 0 otherwise. */
  sizeIfKnown(column: string): string;
  /** A text that a column keeps with its trailing blanks, as the parameter of a comparison. */
  exact(text: string): unknown;
  /** One text after another. */
  concat(one: string, other: string): string;
  /** The texts of a group's rows as one, in an order. The statement begins with {@link selectLongTexts}. */
  concatRows(text: string, orderBy: string): string;
  readonly selectLongTexts: string;
  /** Whether UPDATE takes FROM, and waits for no other rows than those that it changes. */
  readonly hasUpdateFrom: boolean;
  /**
   * Compares two columns, which an index begins with, with two parameters: {@link pairOf}.
   *
   * @param operator for both as one: by the second ones where the first are equal.
   */
  comparePair(columns: [string, string], operator: '<' | '>' | '<=' | '>='): string;
  /** The parameters of {@link comparePair}. */
  pairOf(first: unknown, second: unknown): unknown[];
}

/** The parameter of {@link Sql.deleteRows}, for keys of one column. */
export const keysOf = (keys: (string | number)[]) => writeJson(keys.map((key) => [key]));

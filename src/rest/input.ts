import { z } from 'zod';
import { camelKeys } from './camel.js';

const LIMIT_ERROR = { error: 'must be a whole number from 1 to 100' };

/** Which page of a list to answer. */
export interface PageQuery {
  /** Objects on a page: 1 to 100. @default 20 */
  limit?: number | undefined;
  /** `nextCursor` of the page before. @default the first page */
  cursor?: string | undefined;
}

/** What a service takes in place of this body of the REST API: the same fields and rules, under names in camelCase. */
export const inputLike = <Shape extends z.ZodRawShape>(body: z.ZodObject<Shape>) =>
  z.strictObject(camelKeys(body.shape));

/** The same for the query of a list, in which numbers are text. */
export const queryLike = <Shape extends z.ZodRawShape>(query: z.ZodObject<Shape>) =>
  inputLike(query).extend({
    limit: z.int(LIMIT_ERROR).min(1, LIMIT_ERROR).max(100, LIMIT_ERROR).default(20),
  });

/** Epoch milliseconds. @param text RFC 3339, checked. */
export const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

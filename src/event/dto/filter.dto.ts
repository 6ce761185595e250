import { z } from 'zod';
import { compileFilter } from '../../engine/filter/compile-filter.js';
import type { Filter } from '../../engine/filter/filter.js';
import { answerOf } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import type { FilterTest } from '../filter-test.js';

const MAX_PROBLEMS = 100;

function compiles(filter: unknown, context: z.RefinementCtx): void {
  const compiled = compileFilter(filter);
  if (compiled.ok) return;
  for (const { path, message } of compiled.problems.slice(0, MAX_PROBLEMS))
    context.addIssue({ code: 'custom', message, path });
}

/** An event's filter. */
export const filterField = z
  .custom<Filter | null>()
  .superRefine((filter, context) => {
    if (filter !== null) compiles(filter, context);
  })
  .meta({
    type: ['object', 'null'],
    description:
      'Conditions on the record that a notification must meet, in the manner of MongoDB; null for none',
  });

const objectField = z
  .custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  })
  .meta({ type: 'object' });

export const testFilterBody = z.strictObject({ filter: filterField, record: objectField });

@ApiSchema({ description: 'What a filter says of a record' })
export class WebhookFilterTestDto extends answerOf<FilterTest>({
  matches: { example: false },
  reason: {
    type: String,
    nullable: true,
    example: '/analysis.status does not match',
    description: 'The part of the filter that does not match; null if all do',
  },
}) {}

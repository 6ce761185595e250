import { z } from 'zod';
import { line, paragraph } from '../../rest/fields.js';

const MAX_NOTES = 20;
const noteName = line(64);
const note = paragraph(256);

/** Notes of the webhook's owner: not a zod record, which says nothing of names and loses the name `__proto__`. */
export const metadataField = z
  .custom<Record<string, string> | null>()
  .superRefine((notes, context) => {
    const add = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    if (notes === null) return;
    if (typeof notes !== 'object' || Array.isArray(notes))
      return add('must be an object of strings, or null');
    const entries = Object.entries(notes);
    if (entries.length > MAX_NOTES) return add(`must have at most ${MAX_NOTES} entries`);
    for (const [name, value] of entries) {
      const faultOfName = noteName.safeParse(name).error?.issues[0]?.message;
      if (faultOfName) add(`The name ${faultOfName}.`, [name]);
      const fault = note.safeParse(value).error?.issues[0]?.message;
      if (fault) add(fault, [name]);
    }
  })
  .meta({
    type: ['object', 'null'],
    additionalProperties: { type: 'string', maxLength: 256 },
    maxProperties: MAX_NOTES,
    description: 'Notes of your own, under names of up to 64 characters; null for none',
  });

import { describe, expect, it } from '@jest/globals';
import { assemblyMistakes } from './mistakes/assembly-mistakes.js';
import { callMistakes } from './mistakes/call-mistakes.js';
import { databaseMistakes } from './mistakes/database-mistakes.js';
import type { Mistake } from './mistakes/mistake.js';
import { optionMistakes } from './mistakes/option-mistakes.js';
import { startMistakes } from './mistakes/start-mistakes.js';

const mistakes: Mistake[] = [
  ...databaseMistakes,
  ...assemblyMistakes,
  ...optionMistakes,
  ...startMistakes,
  ...callMistakes,
];

/** The message of what the mistake throws or rejects with; null if it does neither. */
async function messageOf(make: Mistake['make']): Promise<string | null> {
  try {
    await make();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('an application that', () => {
  it.each(mistakes)('$title is told what to do', async ({ make, says }) => {
    expect(await messageOf(make)).toMatch(says);
  });
});

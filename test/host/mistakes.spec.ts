import { expect, it } from '@jest/globals';
import { callMistakes } from './mistakes/call-mistakes.js';
import { databaseMistakes } from './mistakes/database-mistakes.js';
import { optionMistakes } from './mistakes/option-mistakes.js';
import { startMistakes } from './mistakes/start-mistakes.js';

it.each([...databaseMistakes, ...optionMistakes, ...startMistakes, ...callMistakes])(
  'an application that %s is told what to do',
  async (_does, make, says) => {
    await expect((async () => make())()).rejects.toThrow(says);
  },
);

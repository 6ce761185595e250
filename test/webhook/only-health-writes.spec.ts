import { expect, it } from '@jest/globals';
import { sourceFiles, statementsOf, writes } from '../support/statements.js';

const isWrite = writes('webhook', 'WebhookEntity');

it('only one room writes the health of a webhook', () => {
  expect(sourceFiles('src').filter((file) => statementsOf(file).some(isWrite))).toEqual([
    'src/engine/health/health.repository.ts',
    'src/engine/health/recover-from.repository.ts',
    // The columns of its owner: its types refuse all others.
    'src/webhook/webhook.repository.ts',
  ]);
});

import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { WaitingTriggers } from '../dispatch/waiting-triggers.js';
import { Instance, NAMED_TIMEOUT_MS } from '../instance/instance.js';
import type { InstanceRepository } from '../instance/instance.repository.js';
import { Heartbeat } from './heartbeat.js';

const settings = { delivery: { instanceTimeoutMs: 45_000, instanceName: 'first' } } as Settings;

/** A list of instances, each with its name, as the database keeps it. */
class FakeList {
  readonly names = new Map<string, string | null>();
  readonly isAlone = false;
  /** Whether the next row is stored, but the connection is lost. */
  losesAnswer = false;

  async register({ id, name = null }: { id: string; name?: string | null }): Promise<void> {
    if (name !== null && [...this.names.values()].includes(name))
      throw Object.assign(new Error('Duplicate entry'), { errno: 1062, code: 'ER_DUP_ENTRY' });
    this.names.set(id, name);
    if (!this.losesAnswer) return;
    this.losesAnswer = false;
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  }
  replace = this.register;
  heartbeat = async (id: string) => (this.names.has(id) ? 'listed' : 'gone');
  remove = async (id: string) => void this.names.delete(id);
}

describe('Heartbeat', () => {
  it('keeps the name of an instance that comes back, also if the first answer to that is lost', async () => {
    const quiet = (['error', 'warn'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation(() => {}),
    );
    const clock = new TestClock();
    const list = new FakeList();
    const instance = new Instance(clock, settings);
    const heartbeat = new Heartbeat(
      list as unknown as InstanceRepository,
      instance,
      { resume: () => {} } as unknown as Dispatcher,
      { abandon: () => {} } as unknown as WaitingTriggers,
      clock,
      settings,
    );
    await heartbeat.start();
    list.names.clear();
    list.losesAnswer = true;
    for (let beats = 0; beats < 20; beats++) {
      clock.advance(NAMED_TIMEOUT_MS / 4);
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
    }
    expect([...list.names]).toEqual([[instance.id, 'first']]);
    expect(instance.timeoutMs).toBe(NAMED_TIMEOUT_MS);
    for (const spy of quiet) spy.mockRestore();
  });
});

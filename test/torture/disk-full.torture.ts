import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { leaveOut } from '../support/left-out.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';

const BLOCK = Buffer.alloc(4096);

const disk = mkdtempSync(join(tmpdir(), 'torture-disk-'));
const isMounted = mount();
const group = isMounted ? describe : describe.skip;
if (!isMounted) leaveOut('the full disk. No file system can be mounted here.');

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}

function mount(): boolean {
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk);
    return true;
  } catch {
    return false;
  }
}

group('SQLite on a full disk', () => {
  const filler = join(disk, 'filler');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.open({ url: `sqlite:${join(disk, 'test.sqlite')}` });
    stage.receiver.delayMs = 20;
  });
  afterEach(() => stage.close());
  afterAll(() => {
    run('umount', disk);
    rmSync(disk, { recursive: true, force: true });
  });

  /** Fills the disk to the last block. */
  function fill(): void {
    const file = openSync(filler, 'a');
    try {
      while (statfsSync(disk).bfree > 0) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  it(
    'refuses notifications it cannot store, loses none it accepted, and recovers when space is freed',
    async () => {
      const times = whole(5, 1);
      const { load, service } = stage;
      const refusals = whole(2000, 200);
      for (let round = 0; round < times; round++) {
        load.start();
        await load.acceptedMore(200);
        fill();
        load.unbounded = true;
        await load.refusedMore(refusals, 60_000);
        expect(await service.call('GET', '/health/live')).toMatchObject({ status: 200 });
        rmSync(filler);
        load.unbounded = false;
        await load.acceptedMore(200);
        await stage.settle();
      }
      report('7 disk full, SQLite', {
        times,
        ...stage.figures(),
        refused: load.refused,
        'slowest answer': seconds(load.slowestMs),
        'longest pause': seconds(stage.receiver.longestPauseMs),
      });
      expect(stage.receiver.duplicates).toBe(0);
      expect(load.slowestMs).toBeLessThan(whole(5000, 15_000));
    },
    whole(300_000, 90_000),
  );
});

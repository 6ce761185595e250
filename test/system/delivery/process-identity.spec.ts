import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { hasEnded, observe, ownIdentity } from '../../../src/engine/instance/process-identity.js';
import { until } from '../../support/until.js';

(process.platform === 'linux' ? describe : describe.skip)('on Linux', () => {
  it('a child is alive while it is stopped, and has ended once it is killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid as number;
    try {
      const self = ownIdentity();
      const first = observe(pid);
      if (self === null || first === null || first === 'gone') throw new Error('Not seen.');
      const identity = { ...self, pid, startedAt: first.startedAt };
      child.kill('SIGSTOP');
      expect(hasEnded(self, identity, observe(pid))).toBe(false);
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      // Before and after its parent has noticed.
      await until(() => hasEnded(self, identity, observe(pid)), { what: 'its end' });
      await exited;
      expect(hasEnded(self, identity, observe(pid))).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

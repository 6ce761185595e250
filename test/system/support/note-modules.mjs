// Loaded by --import into a process of the service: writes down each module that its main thread loads.
import { openSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const list = openSync(process.env.MODULE_LIST, 'a');
  registerHooks({
    load(url, context, nextLoad) {
      writeSync(list, `${url}\n`);
      return nextLoad(url, context);
    },
  });
}

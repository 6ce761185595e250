import type { DatabaseKind } from '../support/database.js';
import type { Scenario } from '../support/scenario.js';
import { rate, Scene } from '../support/scene.js';
import { API_KEY, startService } from '../support/service.js';

/** The drain of a backlog while a client follows all triggers, against one that nobody follows. */
export const watched: Scenario = {
  name: 'watched',
  group: 'watched',
  perDatabase: true,
  async open({ deliveries }, kind) {
    return {
      async run() {
        const without = await drained(kind, deliveries, false);
        return { 'watched-none': without, watched: await drained(kind, deliveries, true) };
      },
    };
  },
};

async function drained(kind: DatabaseKind, deliveries: number, isWatched: boolean): Promise<number> {
  const scene = await Scene.open(kind);
  await scene.storeBacklog(deliveries);
  await scene.receiver.call('reset', {});
  // As if somebody had watched a moment ago: changes are noted from the first one.
  if (isWatched)
    await scene.database.query(
      `INSERT INTO webhook_watch (name, epoch, since_at, expires_at, pruned_id)
       VALUES ('changes', '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42', 0, ${Date.now() + 60_000}, 0)`,
    );
  const service = await startService(scene.database.url, 'both');
  const stream = isWatched ? follow(service.origin) : null;
  const { first, last } = await scene.arrive(deliveries);
  await scene.check(deliveries);
  await stream?.all(deliveries);
  await service.stop();
  await scene.close();
  return rate(deliveries, first, last);
}

const LINE = /^data: \{"id":"([^"]+)".*"status":"SUCCEEDED"/;

/** Reads the stream of all triggers. */
function follow(origin: string) {
  const succeeded = new Set<string>();
  const read = async () => {
    const { body } = await fetch(`${origin}/v1/webhook/trigger/stream`, {
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'last-event-id': '0.019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42',
      },
    });
    let rest = '';
    for await (const part of (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
      new TextDecoderStream(),
    )) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const id = LINE.exec(line)?.[1];
        if (id) succeeded.add(id);
      }
    }
  };
  const isOver = read().catch(() => {});
  return {
    /** @throws when it has not shown all of them within half a minute. */
    async all(count: number): Promise<void> {
      for (const end = Date.now() + 30_000; succeeded.size < count; ) {
        if (Date.now() > end)
          throw new Error(`DOES NOT CHECK OUT: the stream showed ${succeeded.size}, not ${count}`);
        await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 50))]);
      }
    },
  };
}

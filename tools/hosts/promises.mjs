// What every host application is promised, whatever stands around the webhooks in it.
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';

const NAME = 'Kõik 通知 🎉';
/** JavaScript's own numbers know only its neighbours. */
const LARGE = '9007199254740993';
const TIMES = 20;
const AT_ONCE = 4;

const asked = async (app) => JSON.parse(await app.call('GET', '/orders/surroundings'));

/** That what stands around the webhooks is in force: a promise is easily kept where there is nothing. */
const IN_FORCE = {
  cache: async (app) => deepEqual(await asked(app), await asked(app)),
  prototypes: async (app) => {
    const { frozen, patched } = await asked(app);
    deepEqual({ frozen, patched }, { frozen: true, patched: true });
  },
  tracing: async (app) => {
    await asked(app);
    await app.lines(/^\[for ada\] .*\[Orders\]/, 1);
    await app.lines(/^\[for nobody\] .*\[Delivery\]/, 1);
  },
};

/** @param check runs a step and counts it; throws if the step fails. */
export async function keepsPromises({ surroundings }, app, receiver, check) {
  const body = { name: NAME, url: receiver.url, events: ['RECORD_FINISHED'] };
  const { id, secret } = await check('registers a webhook', () => app.post('/v1/webhook', body));
  await check('notifies it, verifiably', async () => {
    await app.post('/orders', { id: 'ord_1' });
    const [{ data }] = await receiver.verified(secret, 1);
    equal(data.id, 'ord_1');
  });
  await check('notifies exactly what was committed', async () => {
    const orders = Array.from({ length: TIMES }, (_, number) => ({
      id: `both_${number}`,
      fails: number % 2 === 0,
    }));
    // Some at once: a transaction that waits for what it says beside it needs a second connection.
    for (let first = 0; first < TIMES; first += AT_ONCE) {
      await Promise.all(
        orders
          .slice(first, first + AT_ONCE)
          .flatMap((order) => [
            app.post('/orders/atomically', order),
            app.post('/orders', { id: `alone_${order.id}` }),
          ]),
      );
    }
    const expected = orders.flatMap(({ id, fails }) => [
      `alone_${id}`,
      `beside_${id}`,
      ...(fails ? [] : [id]),
    ]);
    const sent = await receiver.verified(secret, 1 + expected.length);
    deepEqual(sent.map(({ data }) => data.id).sort(), ['ord_1', ...expected].sort());
  });
  await check('tells the application of each, and works for nobody then', async () => {
    const told = await app.lines(/^delivered /, 1 + TIMES * 2.5);
    deepEqual(
      told.filter((line) => !line.endsWith(' for nobody')),
      [],
    );
    const { data } = JSON.parse(await app.call('GET', '/v1/webhook/trigger/list?limit=100'));
    deepEqual(
      data.map(({ status }) => status),
      told.map(() => 'SUCCEEDED'),
    );
    // Of what the webhooks say by themselves no line is for a user.
    doesNotMatch(app.printed, /^\[for (?!nobody).*\[Delivery\]/m);
  });
  await check('shows a user nothing of another', async () => {
    for (const path of ['/v1/webhook/list', '/v1/webhook/trigger/list']) {
      match(await app.call('GET', path), new RegExp(id));
      deepEqual(JSON.parse(await app.call('GET', path, { user: 'grace' })).data, []);
    }
    const path = `/v1/webhook/secret?id=${id}`;
    equal(JSON.parse(await app.call('GET', path)).secret, secret);
    await app.call('GET', path, { user: 'grace', status: 404 });
  });
  await check('keeps names and numbers as they are', async () => {
    await app.call('POST', '/v1/webhook/event', {
      body: `{"webhook_id":"${id}","kind":"STATUS_CHANGED","filter":{"total":${LARGE}}}`,
      status: 201,
    });
    const kept = await app.call('GET', `/v1/webhook?id=${id}`);
    equal(JSON.parse(kept).name, NAME);
    match(kept, new RegExp(`"total":\\s*${LARGE}\\b`));
    for (const [total, matches] of [
      [LARGE, true],
      [LARGE.replace(/3$/, '2'), false],
    ]) {
      const tested = await app.call('POST', '/v1/webhook/event/filter/test', {
        body: `{"filter":{"total":${LARGE}},"record":{"id":"r","analysis":[],"total":${total}}}`,
      });
      equal(JSON.parse(tested).matches, matches);
    }
  });
  if (IN_FORCE[surroundings]) await check('has around it what it says', () => IN_FORCE[surroundings](app));
  await check('warns of nothing', () => doesNotMatch(app.everything, /\b(WARN|ERROR)\b/));
}

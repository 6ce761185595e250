import type { Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene, type Subscriber, USER } from '../support/scene.js';
import { startService } from '../support/service.js';

const WEBHOOKS = 100;
/** Notifications sent first, so that code is compiled and connections are open. */
const WARM_UP = 200;
/** A notification makes a hundred triggers, as many as ten of the other scenarios. */
const PER_DELIVERY = 100;

/** Twenty conditions that all hold for the record that is sent, so that each of them is looked at. */
const filterOf = (number: number) => ({
  id: { $exists: true, $startsWith: 'rec', $ne: `rec_${number}` },
  'analysis.id': { $in: ['ana_0', 'ana_1', 'ana_2'], $nin: [`ana_x${number}`], $exists: true },
  'analysis.status': { $ne: `S${number}` },
  $and: [{ id: { $gt: 'a', $lt: 's' } }, { missing: null }, { 'analysis.missing': { $exists: false } }],
  $or: [{ id: `${number}` }, { 'analysis.0.id': 'ana_1' }],
  analysis: { $elemMatch: { id: { $endsWith: '_1' } } },
  status: { $not: { $eq: number } },
  name: 'Ada Lovelace',
});

const plain: Subscriber[] = Array.from({ length: WEBHOOKS }, (_, index) => ({
  userId: USER,
  path: `/hook/${index}`,
}));
const filtered = plain.map((one, index) => ({ ...one, filter: filterOf(index) }));

/** Accepting for 100 webhooks whose events have filters, against accepting for as many without. Nothing is sent. */
export const filters: Scenario = {
  name: 'filters',
  group: 'filters',
  perDatabase: true,
  async open({ deliveries }, kind) {
    const count = Math.ceil(deliveries / PER_DELIVERY);
    const accepted = async (subscribers: Subscriber[]) => {
      const scene = await Scene.open(kind, subscribers);
      const service = await startService(scene.database.url, 'api');
      await generateLoad(service.origin, WARM_UP);
      const { first, last } = await generateLoad(service.origin, count);
      await service.stop();
      const { PENDING = 0 } = await scene.statuses();
      await scene.close();
      const expected = (WARM_UP + count) * WEBHOOKS;
      if (PENDING !== expected)
        throw new Error(`DOES NOT CHECK OUT: ${PENDING} triggers are stored, not ${expected}`);
      return rate(count, first, last);
    };
    return {
      async run() {
        const without = await accepted(plain);
        return { 'filters-accept-none': without, 'filters-accept': await accepted(filtered) };
      },
    };
  },
};

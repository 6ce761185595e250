import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { databases, SQLITE } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { reportOf, stored } from './scene.js';

const MIB = 1024 * 1024;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const good = reportOf('ada');
const nest = { pattern: 'record.finished', data: { user_id: 'ada', record } };
const text = JSON.stringify(good);

const hops = (given: unknown) => ({ messageId: randomUUID(), headers: { 'Webhook-Hops': given } });
const sizeOf = (bytes: number) => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes);
  return size;
};
/** The start of a list in a header that takes so many bytes. */
const listOf = (bytes: number) => Buffer.concat([Buffer.from('A'), sizeOf(bytes)]);

/** A body, the code of its refusal, and the pointers of the fields that are named. */
const REFUSED: [string, unknown, string, string[]][] = [
  ['no JSON', '{"event_kind":', 'malformed_json', []],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed_json', []],
  ['no object', '[]', 'validation_failed', ['']],
  ['null', 'null', 'validation_failed', ['']],
  ['nothing in it', {}, 'validation_failed', ['/event_kind', '/user_id', '/record']],
  ['a field too many', { ...good, more: 1 }, 'validation_failed', ['/more']],
  ['a kind of ours', { ...good, event_kind: 'WEBHOOK_FAILING' }, 'validation_failed', ['/event_kind']],
  [
    'an unknown analysis',
    { ...good, event_kind: 'ANALYSIS_FINISHED', analysis_id: 'x' },
    'analysis_not_in_record',
    ['/analysis_id'],
  ],
  ['a record twice', `${text.slice(0, -1)},"record":{}}`, 'validation_failed', ['/record']],
  ['too deep', `{"event_kind":${deep(70)}}`, 'json_too_deep', []],
  ['too large', `${text}${' '.repeat(MIB)}`, 'body_too_large', []],
  ['an unknown pattern', { ...nest, pattern: 'no.such' }, 'validation_failed', ['/pattern']],
  ['a pattern that is an object', { ...nest, pattern: { cmd: 'x' } }, 'validation_failed', ['/pattern']],
  ['no data', { pattern: 'record.finished' }, 'validation_failed', ['/data']],
  ['a field beside the data', { ...nest, more: 1 }, 'validation_failed', ['/more']],
  [
    'a field too many in the data',
    { ...nest, data: { ...nest.data, event_kind: 'RECORD_FINISHED' } },
    'validation_failed',
    ['/data/event_kind'],
  ],
  [
    'a record without id in the data',
    { ...nest, data: { ...nest.data, record: { analysis: [] } } },
    'validation_failed',
    ['/data/record/id'],
  ],
];

describeWithRabbitmq.each(databases)('a message that is refused, on $name', (kind) => {
  const broker = useBroker('block');
  const service = useService(kind, () => ({ ...broker.env }));

  it.each(REFUSED)('is put aside with the reason: %s', async (_, body, code, pointers) => {
    const messageId = await broker.send(body, { headers: { mine: 'kept' }, contentType: 'text/x' });
    const { content, properties } = await broker.refused();
    expect(properties).toMatchObject({ messageId, deliveryMode: 2, contentType: 'text/x' });
    expect(properties.headers).toMatchObject({
      mine: 'kept',
      'webhook-refused-code': code,
      'webhook-refused-from': broker.queue,
      'webhook-refused-detail': expect.stringMatching(/\w{3}/),
      'webhook-refused-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const errors = JSON.parse(properties.headers?.['webhook-refused-errors']);
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    expect(content).toEqual(Buffer.isBuffer(body) ? body : Buffer.from(sent));
  });

  it.each([
    ['has no id', {}, 'message_id_required'],
    ['has an id that cannot be printed', { messageId: 'a\nb' }, 'validation_failed'],
    ['has come through too many services', hops(6), 'too_many_hops'],
    ['has come through too many services, in a text', hops('6'), 'too_many_hops'],
    ['has come through more services than can be counted', hops('4294967295'), 'too_many_hops'],
  ])('%s', async (_, options, code) => {
    await broker.publish(Buffer.from(text), { persistent: true, ...options });
    expect((await broker.refused()).properties.headers).toMatchObject({ 'webhook-refused-code': code });
  });

  it('has the id of another one', async () => {
    const user_id = newUser();
    const messageId = await broker.send({ ...good, user_id });
    await broker.send({ ...good, user_id, record: { id: 'other', analysis: [] } }, { messageId });
    const { properties } = await broker.refused();
    expect(properties).toMatchObject({
      messageId,
      headers: { 'webhook-refused-code': 'idempotency_key_reused' },
    });
    expect(await stored(service, user_id)).toMatchObject([{ record_id: record.id }]);
  });

  it.each([
    ['a table that cannot be a text', { toString: 'x', valueOf: 'x' }],
    ['a list', ['6']],
    ['deep lists', Array.from({ length: 2000 }).reduce((inner) => [inner], 1)],
  ])('has hops that are %s, and is taken as from the last service', async (_, given) => {
    const user_id = newUser();
    await broker.send({ ...good, user_id }, hops(given));
    await until(async () => (await stored(service, user_id)).length === 1, { what: 'the notification' });
    expect(await broker.ready(broker.refusedQueue)).toBe(0);
  });

  it.each([
    ['a time before 1970', { timestamp: 1234567890123 }, Buffer.from('0000011f71fb04cb', 'hex')],
    ['a long text that is no UTF-8', { correlationId: 'z'.repeat(255) }, Buffer.alloc(255, 'z')],
  ])('has %s, and is put aside without it', async (_, properties, from) => {
    const messageId = randomUUID();
    const to = Buffer.alloc(from.length, 0xff);
    await broker.publishReplaced(
      Buffer.from('no JSON'),
      { ...properties, messageId, type: 'kept' },
      from,
      to,
    );
    const { properties: kept } = await broker.refused();
    expect(kept).toMatchObject({ messageId, type: 'kept' });
    expect(kept.headers).toMatchObject({ 'webhook-refused-code': 'malformed_json' });
    expect([kept.timestamp, kept.correlationId]).toEqual([undefined, undefined]);
  });

  it('has headers too deep for the stack, and is put aside without them, and those behind it are stored', async () => {
    const levels = 12_000;
    const lists = Array.from({ length: levels }, (_, n) => listOf(5 * (levels - 1 - n)));
    const text = 'z'.repeat(5 * (levels - 1));
    const options = { messageId: randomUUID(), contentType: 'text/x', headers: { deep: text } };
    await broker.publishReplaced(
      Buffer.from('no JSON'),
      options,
      Buffer.concat([Buffer.from('S'), sizeOf(text.length), Buffer.from(text)]),
      Buffer.concat(lists),
    );
    const user_id = newUser();
    await broker.send({ ...good, user_id });
    const { properties, content } = await broker.refused();
    expect(String(content)).toBe('no JSON');
    expect(properties).toMatchObject({ messageId: options.messageId, contentType: 'text/x' });
    expect(properties.headers).toMatchObject({ 'webhook-refused-code': 'malformed_json' });
    expect(properties.headers).not.toHaveProperty('deep');
    await until(async () => (await stored(service, user_id)).length === 1, { what: 'the message behind it' });
  });

  it('does not expire, and goes nowhere else', async () => {
    const other = broker.newQueue();
    await broker.declare(other);
    // The broker delivers one copy there itself, because it trusts the publisher.
    await broker.send('no JSON', { expiration: '600000', CC: [other], replyTo: 'somewhere' });
    const { properties } = await broker.refused();
    expect([properties.expiration, properties.replyTo, properties.headers?.CC]).toEqual(
      new Array(3).fill(undefined),
    );
    expect(await broker.ready(other)).toBe(1);
  });

  it('is put aside without its headers if they leave no room for the reason', async () => {
    await broker.send('no JSON', { headers: { large: 'x'.repeat(65_300) } });
    const { headers } = (await broker.refused()).properties;
    expect(headers).toMatchObject({
      'webhook-refused-code': 'malformed_json',
      'webhook-refused-headers': 'left out',
    });
    expect(headers).not.toHaveProperty('large');
  });

  it('names no more fields than fit', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${n}${'é'.repeat(200)}`, 1]));
    await broker.send({ ...good, ...fields });
    const { headers } = (await broker.refused()).properties;
    const errors: string = headers?.['webhook-refused-errors'];
    expect(JSON.parse(errors).length).toBeGreaterThan(5);
    expect(Buffer.byteLength(errors)).toBeLessThan(9000);
  });

  it('holds up no other message', async () => {
    const userId = newUser();
    const messages = Array.from({ length: 200 }, (_, n) =>
      n % 2 ? 'no JSON' : { ...good, user_id: userId },
    );
    await Promise.all(messages.map((body) => broker.send(body)));
    await broker.holds(100, broker.refusedQueue);
    const { text: metrics } = await service.call('GET', '/metrics');
    expect(metrics).toMatch(/^webhook_intake_messages_total\{outcome="refused"\} [1-9]\d\d$/m);
    await broker.ask((channel) => channel.purgeQueue(broker.refusedQueue));
    await until(async () => (await stored(service, userId, 100)).length === 100, { what: 'all others' });
  });

  it('waits if the queue for it is gone, and is put aside once that is there again', async () => {
    await broker.ask((channel) => channel.deleteQueue(broker.refusedQueue));
    await broker.send('no JSON');
    expect(String((await broker.refused()).content)).toBe('no JSON');
  });
});

describeWithRabbitmq('a queue of one user', () => {
  const broker = useBroker('block');
  const service = useService(SQLITE, () => ({ ...broker.env, INTAKE_USER_ID: 'ada' }));

  it('takes events of that user, named or not, and refuses all others', async () => {
    const { user_id: _, ...nobody } = good;
    await broker.send(good);
    await broker.send(nobody);
    await broker.send({ pattern: 'record.finished', data: { record } });
    await broker.send({ ...good, user_id: 'bob' });
    const { properties } = await broker.refused();
    expect(properties.headers).toMatchObject({ 'webhook-refused-code': 'user_not_allowed' });
    await until(async () => (await stored(service, 'ada')).length === 3);
    expect(await stored(service, 'bob')).toEqual([]);
  });
});

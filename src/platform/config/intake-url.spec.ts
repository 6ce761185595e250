import { describe, expect, it } from '@jest/globals';
import { brokersOf, readIntakeUrl, shownBroker } from './intake-url.js';

const nodes = (url: string) => brokersOf(url).map(shownBroker);

describe('the URL of a broker', () => {
  it('names the node, the login and the virtual host', () => {
    expect(brokersOf('amqp://ann:s%2Fe%3Acret@mq.internal:5673/orders%2Feu')).toEqual([
      {
        protocol: 'amqp',
        hostname: 'mq.internal',
        port: 5673,
        username: 'ann',
        password: 's/e:cret',
        vhost: 'orders/eu',
      },
    ]);
  });

  it('has the defaults of the AMQP URI specification', () => {
    expect(brokersOf('amqp://localhost')).toMatchObject([
      { port: 5672, username: 'guest', password: 'guest', vhost: '/' },
    ]);
    expect(brokersOf('AMQPS://localhost/')).toMatchObject([{ protocol: 'amqps', port: 5671, vhost: '/' }]);
    expect(brokersOf('amqp://ann@localhost/%2F')).toMatchObject([
      { username: 'ann', password: '', vhost: '/' },
    ]);
    expect(brokersOf('amqp://ann:a:b@localhost')).toMatchObject([{ username: 'ann', password: 'a:b' }]);
  });

  it('may name several nodes', () => {
    expect(nodes('amqp://u:p@one,two:5673,[::1]:5674/v')).toEqual([
      'amqp://one:5672/v',
      'amqp://two:5673/v',
      'amqp://[::1]:5674/v',
    ]);
    expect(brokersOf('amqp://u:p@one,two/v').map(({ password }) => password)).toEqual(['p', 'p']);
  });

  it.each([
    ['localhost:5672', /must look like amqp:/],
    ['http://u:hunter2@localhost', /must look like amqp:/],
    ['amqp://', /must look like/],
    ['amqp://u:hunter2@', /must look like/],
    ['amqp://u:hunter2@/v', /must look like/],
    ['amqp://u:hunt@er2@localhost', /percent-encoded/],
    ['amqp://u:hunt/er2@localhost', /percent-encoded/],
    ['amqp://u:hunter2%@localhost', /percent-encoded/],
    ['amqp://u:hunter2%ff@localhost', /percent-encoded/],
    ['amqp://u:hunter2@localhost/a/b', /percent-encoded/],
    ['amqp://u:hunter2@localhost/v?heartbeat=5', /options after \? or #/],
    ['amqp://u:hunter2@one/v,amqp://u:hunter2@two/v', /more than once/],
    ['amqp://u:hunter2@one,,two', /must name hosts/],
    ['amqp://u:hunter2@one:0', /must name hosts/],
    ['amqp://u:hunter2@one:70000', /must name hosts/],
    ['amqp://u:hunter2@one:amqp', /must name hosts/],
    ['amqp://u:hunter2@[one]', /must name hosts/],
    ['amqp://u:hunter2@o ne', /must name hosts/],
  ])('is refused without its password: %s', (url, message) => {
    expect(() => readIntakeUrl(url)).toThrow(message);
    expect(() => readIntakeUrl(url)).not.toThrow(/hunt/);
  });
});

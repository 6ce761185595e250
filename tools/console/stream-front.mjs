// In front of a service without streams: speaks the wire of GET /v1/webhook/trigger/stream (Server-Sent Events), and lists
// what it has said there. Everything else goes to the service.
import { request as forward } from 'node:http';
import { listen } from './support.mjs';

const TICK_MS = 5;
/** A delivery is over so many others later. */
const UNDER_WAY = 20;

/** @param sample a trigger as the service lists it. @returns the front, and `run(perSecond, seconds)`, which says how many it made. */
export async function streamFront(service, sample) {
  const made = [];
  const followers = new Set();
  let events = 0;
  const say = (trigger) => {
    events += 1;
    const message = `id: ${events}\nevent: trigger\ndata: ${JSON.stringify(trigger)}\n\n`;
    for (const follower of followers) follower.write(message);
  };
  const front = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url, service.url);
    if (pathname === '/v1/webhook/trigger/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(': hello\n\n');
      followers.add(response);
      response.on('close', () => followers.delete(response));
    } else if (pathname === '/v1/webhook/trigger/list') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(pageOf(made, searchParams)));
    } else {
      const { method, headers, url } = request;
      const behind = forward(service.url + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      behind.on('error', () => response.destroy());
      request.pipe(behind);
    }
  });
  const finish = (index) => {
    const trigger = made[index];
    if (trigger?.status !== 'PENDING') return;
    made[index] = { ...trigger, status: 'SUCCEEDED', attempt_count: 1 };
    say(made[index]);
  };
  const make = () => {
    made.push({ ...sample, id: newId(made.length), status: 'PENDING', attempt_count: 0 });
    say(made.at(-1));
    finish(made.length - 1 - UNDER_WAY);
  };
  const run = (perSecond, seconds) =>
    new Promise((resolve) => {
      const total = perSecond * seconds;
      const start = performance.now();
      const timer = setInterval(() => {
        const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
        while (made.length < due) make();
        if (made.length < total) return;
        clearInterval(timer);
        for (let index = total - UNDER_WAY; index < total; index += 1) finish(index);
        resolve(total);
      }, TICK_MS);
    });
  return { ...front, run, isFollowed: () => followers.size > 0 };
}

/** Of version 7 (RFC 9562): it begins with the time of its making, and sorts by it. */
function newId(number) {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

function pageOf(made, query) {
  const before = query.get('cursor') ?? '~';
  const limit = Number(query.get('limit') ?? 20);
  const below = made.filter(({ id }) => id < before).toReversed();
  const data = below.slice(0, limit);
  return { data, next_cursor: below.length > limit ? data.at(-1).id : null };
}

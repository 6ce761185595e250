import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exchange } from '../../egress/exchange.js';
import { until } from '../../support/until.js';

const TOOL = join(import.meta.dirname, '../../../tools/receiver.mjs');
/** Characters that a terminal may interpret as control codes, except line feeds. */
const STEERS = /(?![\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('the receiver tool', () => {
  let child: ChildProcess;
  let output = '';
  let url = '';

  beforeEach(async () => {
    output = '';
    child = spawn(process.execPath, [TOOL, '--port', '0', '--secret', 'whsec_AAAA']);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    url = await until(() => /http:\S+/.exec(output)?.[0], { what: 'listening' });
  });
  afterEach(() => void child.kill('SIGKILL'));

  const send = (target: string, headers: string[], body: string) => {
    const bytes = Buffer.from(body).toString('latin1');
    const head = [
      `POST ${target} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Content-Length: ${bytes.length}`,
    ];
    return exchange(url, `${[...head, ...headers].join('\r\n')}\r\n\r\n${bytes}`);
  };

  it('prints no terminal control characters, whatever it receives', async () => {
    const steering = '\u001b[2J\u009b1m\u202e\u200b\u2028\u0007\u007f\r\u{e0001}';
    await send('/x', ['webhook-id: \u009b2J', 'webhook-attempt: a\tb\u0085'], `${steering}\n{"a":1}`);
    await send('/', [], JSON.stringify({ event_kind: steering }));
    await until(() => /event_kind=(?!-)[\s\S]*\n.*\n$/.test(output), { what: 'both reports' });
    expect(STEERS.exec(output)).toBeNull();
    expect(output).toContain('\\u001b[2J\\u009b1m\\u202e\\u200b\\u2028\\u0007\\u007f\\u000d\\udb40\\udc01\n');
    expect(output).toContain('webhook-id=\\u009b2J attempt=a\\u0009b\\u0085');
  });

  it('prints no body that looks like a report', async () => {
    const report = '2026-11-21T10:15:30.123Z POST / verified webhook-id=1 attempt=1 event_kind=- -> 200';
    await send('/', [], `{}\n${report}`);
    await until(() => output.includes(report), { what: 'the body' });
    expect(output.split('\n')).not.toContain(report);
    expect(output).toContain('NOT verified');
  });
});

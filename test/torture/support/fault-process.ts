import net, { type AddressInfo, type Socket } from 'node:net';
import { fail } from './more-faults.js';

// Reads requests from raw sockets, and answers each with the fault named by its path. Runs in its own process, because
// floods would block the test's event loop, and the test could not tell the service's slowness from its own.

function accept(socket: Socket): void {
  let text = '';
  socket
    .setNoDelay()
    .setEncoding('latin1')
    .on('error', () => {})
    .on('data', (chunk) => {
      text += chunk;
      const [, path = ''] = /^POST (\S+) /.exec(text) ?? [];
      const [, length = ''] = /\r\ncontent-length: (\d+)\r\n/i.exec(text) ?? [];
      if (!length || text.length < text.indexOf('\r\n\r\n') + 4 + Number(length)) return;
      text = '';
      fail(path, socket);
    });
}

const server = net.createServer(accept).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => process.exit());

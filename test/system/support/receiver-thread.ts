import { Worker } from 'node:worker_threads';

/** The options of `https.createServer`, and `renegotiates`: a second handshake before each answer. */
export interface ThreadOptions {
  key: string;
  cert: string;
  minVersion?: string;
  maxVersion?: string;
  ciphers?: string;
  ecdhCurve?: string;
  dhparam?: string;
  renegotiates?: boolean;
}

const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:https').createServer(workerData, (request, response) => {
  const answer = () => response.end('received');
  if (workerData.renegotiates) request.socket.renegotiate({ rejectUnauthorized: false }, (error) => error || answer());
  else answer();
});
server.on('tlsClientError', () => {});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A receiver in a thread of its own: what it computes itself, to read its own certificates, is not counted as ours. */
export class ReceiverThread {
  private constructor(
    private readonly worker: Worker,
    readonly port: number,
  ) {}

  static async start(options: ThreadOptions): Promise<ReceiverThread> {
    const worker = new Worker(CODE, { eval: true, workerData: options });
    const port = await new Promise<number>((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    return new ReceiverThread(worker, port);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

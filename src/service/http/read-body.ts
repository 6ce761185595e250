import type { IncomingMessage } from 'node:http';
import { BadRequestException, PayloadTooLargeException } from '@nestjs/common';

/** Pieces that are kept as they came. One of a single byte takes some 400. */
const MAX_PIECES = 32;

/**
 * Reads a body whole. Joins small pieces while more come: kept as they came, a mebibyte that is sent byte by byte would take
 * more than 400 MiB.
 */
export function readBody(
  body: IncomingMessage,
  maxBytes: number,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const joined: Buffer[] = [];
  let pieces: Buffer[] = [];
  let length = 0;
  const finish = (error: Error | null) => {
    body.off('data', take).off('end', end).off('error', fail);
    if (error) return done(error);
    joined.push(...pieces);
    done(null, Buffer.concat(joined, length));
  };
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length > maxBytes) return finish(new PayloadTooLargeException());
    if (pieces.push(piece) < MAX_PIECES) return;
    joined.push(Buffer.concat(pieces));
    pieces = [];
  };
  const end = () => finish(null);
  const fail = () => finish(new BadRequestException());
  if (Number(body.headers['content-length']) > maxBytes) done(new PayloadTooLargeException());
  else body.on('data', take).on('end', end).on('error', fail);
}

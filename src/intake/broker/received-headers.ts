import type { ChannelModel } from 'amqplib';

/** The parts of amqplib's connection that are used here; they are not in its types. */
interface Receiving {
  /** Bytes that are received and not read. */
  rest: Buffer;
  /** Reads the next frame. Once it is whole, `rest` begins behind it, even if its content cannot be read. */
  recvFrame(): unknown;
}

const HEADER_FRAME = 2;
/** Bytes before a frame's payload: its type, channel and size. */
const FRAME_START = 7;
/** Bytes of the payload before the properties: class, weight, size of the body, and which properties there are. */
const FLAGS_AT = FRAME_START + 12;
const PROPERTIES_AT = FLAGS_AT + 2;
const CONTENT_TYPE = 0x8000;
const CONTENT_ENCODING = 0x4000;
const HEADERS = 0x2000;

/**
 * From here on, a message whose headers cannot be read arrives without them: they are nested too deeply for the stack, or have a
 * type that amqplib does not know, such as the long numbers of Python's clients. Otherwise amqplib would end the connection, and
 * again when the broker delivers the message again, and nothing behind it would ever be taken.
 */
export function surviveUnreadableHeaders({ connection }: ChannelModel): void {
  const receiving = connection as unknown as Receiving;
  const receive = receiving.recvFrame.bind(receiving);
  receiving.recvFrame = () => {
    // It calls itself after it has received more, so that the frame that fails begins here.
    const { rest } = receiving;
    try {
      return receive();
    } catch (error) {
      if (!hasHeaders(rest)) throw error;
      receiving.rest = withoutHeaders(rest);
      return receive();
    }
  };
}

/** Whether a whole frame begins here, of a message's properties with headers. */
const hasHeaders = (frames: Buffer): boolean =>
  frames[0] === HEADER_FRAME &&
  frames.length >= PROPERTIES_AT &&
  frames.length > FRAME_START + frames.readUInt32BE(3) &&
  (frames.readUInt16BE(FLAGS_AT) & HEADERS) !== 0;

/** @param frames begin with the frame of a message's properties, which has headers (AMQP 0-9-1, 4.2.6). */
function withoutHeaders(frames: Buffer): Buffer {
  const flags = frames.readUInt16BE(FLAGS_AT);
  let at = PROPERTIES_AT;
  for (const text of [CONTENT_TYPE, CONTENT_ENCODING]) if (flags & text) at += 1 + frames.readUInt8(at);
  const bytes = 4 + frames.readUInt32BE(at);
  const start = Buffer.from(frames.subarray(0, at));
  start.writeUInt32BE(frames.readUInt32BE(3) - bytes, 3);
  start.writeUInt16BE(flags & ~HEADERS, FLAGS_AT);
  return Buffer.concat([start, frames.subarray(at + bytes)]);
}

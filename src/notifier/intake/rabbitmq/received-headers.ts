import type { ChannelModel, Message } from 'amqplib';

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

/** Bytes of the frames that messages' properties came in. */
const sizes = new WeakMap<object, number>();

/** How many bytes a message's properties have, headers and all, as they were sent. */
export const sizeOfProperties = ({ properties }: Pick<Message, 'properties'>): number =>
  sizes.get(properties) ?? 0;

/**
 * From here on, the size of a message's properties is known, and one whose headers cannot be read arrives without them: they are
 * nested too deeply for the stack, or have a type that amqplib does not know, such as the long numbers of Python's clients.
 * Otherwise amqplib would end the connection, and again when the broker delivers the message again, and nothing behind it would
 * ever be taken.
 */
export function watchHeaders({ connection }: ChannelModel): void {
  const receiving = connection as unknown as Receiving;
  const receive = receiving.recvFrame.bind(receiving);
  receiving.recvFrame = () => {
    // It calls itself after it has received more, so that the frame that is read, or fails, begins here.
    const { rest } = receiving;
    const isProperties = beginWithProperties(rest);
    try {
      const frame = receive();
      if (isProperties) sizes.set((frame as { fields: object }).fields, sizeAt(rest));
      return frame;
    } catch (error) {
      if (!isProperties || !(rest.readUInt16BE(FLAGS_AT) & HEADERS)) throw error;
      receiving.rest = withoutHeaders(rest);
      return receive();
    }
  };
}

const sizeAt = (frame: Buffer): number => frame.readUInt32BE(3);

/** Whether the first frame is that of a message's properties, and whole. */
const beginWithProperties = (frames: Buffer): boolean =>
  frames[0] === HEADER_FRAME && frames.length >= FRAME_START && frames.length > FRAME_START + sizeAt(frames);

/** @param frames begin with the frame of a message's properties, which has headers (AMQP 0-9-1, 4.2.6). */
function withoutHeaders(frames: Buffer): Buffer {
  const flags = frames.readUInt16BE(FLAGS_AT);
  let at = PROPERTIES_AT;
  for (const text of [CONTENT_TYPE, CONTENT_ENCODING]) if (flags & text) at += 1 + frames.readUInt8(at);
  const bytes = 4 + frames.readUInt32BE(at);
  const start = Buffer.from(frames.subarray(0, at));
  start.writeUInt32BE(sizeAt(frames) - bytes, 3);
  start.writeUInt16BE(flags & ~HEADERS, FLAGS_AT);
  return Buffer.concat([start, frames.subarray(at + bytes)]);
}

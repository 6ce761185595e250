export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads Server-Sent Events (HTML, 9.2). Whatever arrives without being an event, such as a comment, gives null. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent | null> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventOf(block);
      if (blocks.length === 0) yield null;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): StreamEvent | null {
  let id = '';
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}

const BYTES = 1024;

/** A record of 1 KB, as an analysis platform would report it. The receiver measures latency from `sentAt`. */
export function recordOf(number: number, sentAt = 0) {
  return {
    id: `rec_${String(number).padStart(9, '0')}`,
    sent_at: sentAt.toFixed(3).padStart(17, '0'),
    name: 'Ada Lovelace',
    document: '123.456.789-09',
    status: 'VALID',
    filler: FILLER,
    analysis: [{ id: 'ana_1', status: 'VALID', score: 0.98 }],
  };
}

let FILLER = '';
FILLER = 'x'.repeat(BYTES - JSON.stringify(recordOf(0)).length);

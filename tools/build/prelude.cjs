// Runs before each program of the service.
'use strict';
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { placeOf } = require('./places.cjs');

// Kept through builds: code that did not change need not be compiled again. Where nothing can be written, or under an old
// Node, it is compiled.
enableCompileCache?.(join(__dirname, '../compiled'));

/** In one of the files beside this one. */
const PLACE = /(?:file:\/\/)?[^\s(]*[/\\]([\w.-]+\.cjs):(\d+):\d+/;

// Stacks name places in the sources.
Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');

function headOf(error) {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

function inSources(frame) {
  const [place, file, line] = PLACE.exec(frame) ?? [];
  if (!place?.includes(__dirname)) return frame;
  return frame.replace(place, placeOf(file, Number(line)) ?? place);
}

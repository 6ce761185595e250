export { plain as surroundings } from './around.js';

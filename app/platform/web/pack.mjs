// pack.mjs SOURCES BUILT PAGE: writes the page, with the script and the compiled code of the program in it.
import {readFileSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const [sources, built, page] = process.argv.slice(2);

// Bytes as text, 7 bits to a character: less than base64 has. A NUL, a carriage return and < would not be read as they
// are written, so 128 more stands for each.
function textOf(bytes) {
  const letters = Buffer.alloc(Math.ceil(bytes.length * 8 / 7));
  let held = 0;
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    held = (held << 8 | byte) & 0x7fff;
    for (bits += 8; bits >= 7; letters[count++] = held >> bits & 127) bits -= 7;
  }
  if (bits) letters[count] = held << (7 - bits) & 127;
  return letters.toString('latin1').replace(/[\0\r<]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 128));
}

const parts = {
  CODE: textOf(gzipSync(readFileSync(`${built}/attnscope.wasm`), {level: 9})),
  PROGRAM: readFileSync(`${built}/attnscope.js`, 'utf8'),
  PAGE: ['svg.js', 'mirror.js', 'page.js'].map((name) => readFileSync(`${sources}/${name}`, 'utf8')).join(''),
};
parts.SIZE = String(parts.CODE.length);
const html = readFileSync(`${sources}/page.html`, 'utf8').replace(/@([A-Z]+)@/g, (all, name) => {
  const part = parts[name];
  return part === undefined ? all : name === 'CODE' ? part : part.replaceAll('</script', '<\\/script');
});
writeFileSync(page, html);

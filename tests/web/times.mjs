// times.mjs PAGE PROGRAM DRAG_BENCH: prints how large the page is, how long it takes to start, and how long from a drag
// of a number to the picture that follows, beside the program with a window, in one run.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import {cpus, loadavg, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';
import {Browser, pause, until} from './browser.mjs';

const [page_file, program, drag_bench] = process.argv.slice(2).map((path) => resolve(path));
const address = pathToFileURL(page_file).href;
const folder = mkdtempSync(join(tmpdir(), 'attnscope-times-'));
const sizes = [6, 64, 256, 1024];
const features = 256;
const rounds = 15;
const starts = 5;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const time = (milliseconds) => milliseconds < 1000 ? `${+milliseconds.toPrecision(3)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const load_before = loadavg()[0];

function start_program() {
  const before = performance.now();
  execFileSync(program, ['screenshot', '--size', '1280x720', '-o', join(folder, 'start.png')], {stdio: 'ignore'});
  return performance.now() - before;
}

function drag_in_program() {
  const {benchmarks} = JSON.parse(execFileSync(drag_bench, ['--benchmark_filter=input_to_picture', '--benchmark_format=json'],
      {stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 24}));
  return new Map(benchmarks.map(({name, real_time}) => [+/tokens:(\d+)/.exec(name)[1], real_time]));
}

const browser = new Browser();

async function open_page() {
  const page = await browser.open(address, 1280, 720);
  await page.send('Page.addScriptToEvaluateOnNewDocument', {source: `(() => {
    const look = setInterval(() => {
      if (!document.getElementById('said')?.hidden) return;
      globalThis.firstPicture = performance.now();
      clearInterval(look);
    }, 1);
  })()`});
  return page;
}

async function start_page(page) {
  await page.reload();
  return until('the first picture', () => page.value('globalThis.firstPicture'));
}

async function drag_in_page(page, tokens) {
  let state = 1;
  const random = () => ((state = state * 48271 % 2147483647) / 2147483647 * 4 - 2).toFixed(3);
  const inputs = Array.from({length: tokens}, () => `[${Array.from({length: features}, random)}]`);
  const json = `{"inputs": [${inputs}], "d_out": ${features}, "num_heads": 4}`;
  await page.value(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(json)}], 'drag${tokens}.json'));
    dispatchEvent(new DragEvent('drop', {dataTransfer: data}));
  })()`);
  if (tokens !== sizes[0]) await page.click_on('dialog/discard');  // what was dragged before is not saved
  await until('the document is open', async () => (await page.value('document.title')).includes(`drag${tokens}`));
  await until('it is computed', () => page.value('Module._page_is_current() !== 0'), 120);
  await page.click_on('tokens');
  const {x, y} = await page.place('tokens/1/1');
  await page.mouse('mouseMoved', x, y);
  await pause(300);
  await page.press(x, y);
  await pause(300);
  const {times, handed} = await page.value(`(async () => {
    const gl = document.getElementById('canvas').getContext('webgl2');
    const pixel = new Uint8Array(4);
    const told = attnscopePage.turned;
    const times = [];
    const handed = [];  // when the last frame was computed and given to the graphics
    for (let round = 0; round < ${rounds + 3}; ++round) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
      const begin = performance.now();
      Module._page_pointer(${x} + 12 + round % 2 * 5, ${y}, false);
      await new Promise((done) => {
        attnscopePage.turned = () => {
          told();
          if (!Module._page_is_current()) return;
          handed.push(performance.now() - begin);
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);  // waits until it is drawn
          attnscopePage.turned = told;
          done();
        };
      });
      times.push(performance.now() - begin);
    }
    return {times: times.slice(3), handed: handed.slice(3)};
  })()`);
  await page.release(x, y);
  return `${time(median(times))}, drawn from ${time(median(handed))} on`;
}

try {
  const program_starts = [];
  const page_starts = [];
  const page = await open_page();
  for (let i = 0; i < starts; ++i) {
    program_starts.push(start_program());
    page_starts.push(await start_page(page));
  }
  const dragged = new Map();
  for (const tokens of sizes) dragged.set(tokens, await drag_in_page(page, tokens));
  const natively = drag_in_program();
  const size = statSync(page_file).size;
  console.log(`${cpus().length} × ${cpus()[0].model}; load ${load_before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after; both draw in software.\n`);
  console.log('| | page | program |\n| --- | --- | --- |');
  console.log(`| size | ${megabytes(size)} (gzip ${megabytes(gzipSync(readFileSync(page_file)).length)}) | ${megabytes(statSync(program).size)} without libraries |`);
  console.log(`| start to first picture | ${time(median(page_starts))} | ${time(median(program_starts))} |`);
  for (const tokens of sizes) console.log(`| drag to picture, ${tokens.toLocaleString('en')} tokens | ${dragged.get(tokens)} | ${time(natively.get(tokens))} |`);
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}

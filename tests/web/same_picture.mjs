// same_picture.mjs PAGE PROGRAM FONTS: opens documents in the page and in the program's own window, of one size and with
// the page's fonts, and compares what the two show: words, numbers and places, which may differ by one unit.
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser, pause, until} from './browser.mjs';

const [page_file, program, fonts] = process.argv.slice(2).map((path) => resolve(path));
const [width, height] = [1440, 900];
const most_apart = 1.01;  // units; places are rounded to hundredths
const folder = mkdtempSync(join(tmpdir(), 'attnscope-same-'));

// Examples, and documents by a generator whose numbers are the same in each run.
function documents() {
  const examples = readdirSync('assets/documents').sort().filter((file) => file !== 'gpt2_sized.json');
  const all = examples.map((file) => [file, readFileSync(join('assets/documents', file), 'utf8')]);
  let state = 1;
  const random = (below) => (state = state * 48271 % 2147483647) % below;
  const one_of = (...of) => of[random(of.length)];
  while (all.length < 20) {
    const heads = one_of(1, 2, 4);
    const tokens = 2 + random(14);
    const mechanism = one_of('multi_head_attention', 'multi_head_attention_wrapper', 'causal_attention', 'self_attention_v2');
    all.push([`random ${all.length - examples.length + 1}`, JSON.stringify({
      tokens: Array.from({length: tokens}, (each, i) => one_of('cat', 'Straße', 'naïve', 'ω', '“quoted”', 'a-longer-word') + i),
      inputs: Array.from({length: tokens}, () => Array.from({length: 4}, () => (random(2001) - 1000) / 500)),
      mechanism, d_out: 4,
      ...(mechanism === 'multi_head_attention' && {num_heads: heads}),
      seed: random(1000), dropout: one_of(0, 0.1, 0.5),
    })]);
  }
  return all;
}

function read_program(json, name) {
  const own = join(folder, name.replaceAll(/\W/g, '_'));
  mkdirSync(own);
  writeFileSync(join(own, 'shared.json'), json);
  writeFileSync(join(own, 'script.json'), JSON.stringify(
      {document: 'shared.json', size: [width, height], steps: [{hover: 'nothing'}, {read: 'read.json'}]}));
  writeFileSync(join(own, 'fonts.conf'), `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><cachedir>${own}</cachedir></fontconfig>`);
  execFileSync(program, ['drive', join(own, 'script.json'), '-o', own],
      {env: {...process.env, FONTCONFIG_FILE: join(own, 'fonts.conf'), ATTNSCOPE_ISA: 'portable'}});
  return JSON.parse(readFileSync(join(own, 'read.json'), 'utf8'));
}

const read_page = async (page) => page.value(`Module.ccall('page_read', 'string', [], [])`);

// How long something took is another in each run, and the file that was opened is in another folder.
const is_of_document = ({name, text}) => name !== 'status/message' && !/\d (µs|ms|s)\b|^Opened /.test(text ?? '');
const are_near = (a, b) => (a ?? []).length === (b ?? []).length && (a ?? []).every((each, i) => Math.abs(each - b[i]) <= most_apart);
// The last of a number's eight digits may differ, because the two add numbers in another order.
const rounded = (values) => JSON.stringify(values, (key, value) => typeof value === 'number' ? Math.round(value * 1e5) / 1e5 + 0 : value);
const shortened = (text) => typeof text === 'string' ? text.replace(/\d+\.\d{6,}/g, (number) => (+number).toFixed(5)) : text;

// Returns a sentence for each control, matrix or text that the two show in another way, and how many are compared.
function compare(native, page) {
  const problems = [];
  let count = 0;
  const check = (what, holds, a, b) => { if (!holds) problems.push(`${what}: ${JSON.stringify(a)} natively, ${JSON.stringify(b)} in the page`); };
  const compare_named = (kind, parts) => {
    const of_page = page[kind].filter(is_of_document);
    for (const each of native[kind].filter(is_of_document)) {
      const at = of_page.findIndex(({name}) => name === each.name);  // a name may be there twice, in one order
      count += 1;
      if (at < 0) problems.push(`${kind}: ${each.name} is not in the page`);
      else parts(each, ...of_page.splice(at, 1));
    }
    for (const {name} of of_page) problems.push(`${kind}: ${name} is in the page only`);
  };
  compare_named('widgets', (a, b) => {
    for (const part of ['label', 'text', 'enabled', 'reason', 'on', 'value']) check(`${a.name}, ${part}`, shortened(a[part]) === shortened(b[part]), a[part], b[part]);
    check(a.name, are_near(a.rect, b.rect), a.rect, b.rect);
  });
  compare_named('matrices', (a, b) => {
    for (const part of ['stage', 'head', 'title', 'rows', 'columns', 'row_labels', 'column_labels', 'shown', 'values', 'marks'])
      check(`${a.name}, ${part}`, rounded(a[part]) === rounded(b[part]), a[part], b[part]);
    check(a.name, are_near(a.rect, b.rect), a.rect, b.rect);
  });
  const left = page.texts.filter(is_of_document);
  for (const each of native.texts.filter(is_of_document)) {
    const at = left.findIndex((other) => shortened(other.text) === shortened(each.text) && are_near(other.rect, each.rect));
    count += 1;
    if (at >= 0) left.splice(at, 1);
    else problems.push(`text ${JSON.stringify(each.text)} at ${each.rect}: ${JSON.stringify(page.texts.filter(({text}) => text === each.text).map(({rect}) => rect))} in the page`);
  }
  for (const {text} of left) if (!native.texts.some((each) => shortened(each.text) === shortened(text))) problems.push(`text ${JSON.stringify(text)} is in the page only`);
  return {problems, count};
}

const browser = new Browser();
const address = pathToFileURL(page_file).href;
let same = 0;
let all = 0;
let worse = 0;
try {
  const page = await browser.open(address, width, height);
  // What only the first start shows is none of the document.
  await page.send('Page.addScriptToEvaluateOnNewDocument', {source: `if (location.protocol === 'file:') {
    localStorage.clear();
    localStorage['attnscope:/own/.config/attnscope/settings.json'] = '{}';
  }`});
  for (const [name, json] of documents()) {
    await page.send('Page.navigate', {url: 'about:blank'});
    await page.load(address);
    await page.value(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(json)}], 'shared.json'));
      dispatchEvent(new DragEvent('drop', {dataTransfer: data}));
    })()`);
    let before = '';
    const read = await until(`${name} is shown and at rest`, async () => {
      const now = await read_page(page);
      const is_current = await page.value('Module._page_is_current() !== 0');
      const is_at_rest = is_current && now === before && now.includes('shared');
      before = now;
      if (!is_at_rest) await pause(400);
      return is_at_rest && JSON.parse(now);
    });
    const {problems, count} = compare(read_program(json, name), read);
    console.log(`${problems.length ? 'DIFFERENT' : 'same'}: ${name}: ${problems.length} of ${count}`);
    for (const problem of problems.slice(0, 12)) console.log(`  ${problem.slice(0, 300)}`);
    all += count;
    same += count - problems.length;
    worse += problems.length ? 1 : 0;
  }
  console.log(`${same} of ${all} controls, matrices and texts are the same`);
  if (worse) process.exitCode = 1;
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}

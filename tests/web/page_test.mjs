// page_test.mjs PAGE [PICTURES]: opens the page in a headless browser and uses it as a person does.
import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {Browser, pause, until} from './browser.mjs';

const [page_file, pictures] = process.argv.slice(2);
const address = pathToFileURL(resolve(page_file)).href;
const browser = new Browser();
let page = null;
let passed = 0;
const control = 2;  // as the protocol numbers modifiers

async function step(what, act) {
  const begin = Date.now();
  try {
    await act();
    console.log(`passed: ${what} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    passed += 1;
  } catch (error) {
    console.log(`FAILED: ${what}: ${error.message}`);
    process.exitCode = 1;
  }
  if (pictures) {
    mkdirSync(pictures, {recursive: true});
    await page?.picture(join(pictures, `${what.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)).catch(() => {});
  }
}

async function widgets() {
  const lines = await page.value(`Module.ccall('page_widgets', 'string', [], [])`);
  return new Map(lines.trim().split('\n').map((line) => {
    const [name, left, top, width, height, isEnabled, label] = line.split('\t');
    return [name, {left: +left, top: +top, width: +width, height: +height, isEnabled: isEnabled === '1', label}];
  }));
}

// A dialog that opens takes its place only after a frame.
async function place(name, across = 0.5) {
  return until(`${name} is on the screen`, async () => {
    const before = (await widgets()).get(name);
    await pause(100);
    const found = (await widgets()).get(name);
    return before && found && before.left === found.left && before.top === found.top &&
        {x: found.left + across * found.width, y: found.top + found.height / 2};
  }, 15);
}

async function click(name) {
  const {x, y} = await place(name);
  await page.click(x, y);
}

const has = (name) => until(`${name} is on the screen`, async () => (await widgets()).has(name), 15);
const expect = (holds, otherwise) => { if (!holds) throw new Error(otherwise); };
const document_of = async () => page.value('document.title');

await step('the page opens from the disk', async () => {
  page = await browser.open(address, 1440, 900);
  expect((await widgets()).size > 20, 'There are hardly any controls.');
});

await step('a slider changes the title of the document', async () => {
  const before = await document_of();
  const from = await place('setup/dropout', 0.1);
  const to = await place('setup/dropout', 0.6);
  await page.mouse('mouseMoved', from.x, from.y);
  await pause(150);
  await page.press(from.x, from.y);
  for (let share = 0; share <= 1; share += 0.25) {
    await page.mouse('mouseMoved', from.x + share * (to.x - from.x), to.y, {button: 'left', buttons: 1});
    await pause(60);
  }
  await page.release(to.x, to.y);
  await until('the title says that the document has changed', async () => await document_of() !== before, 10);
});

const download = (ending, seconds = 60) => until(`there is a ${ending} among the downloads`, () => {
  const found = existsSync(browser.downloads) && readdirSync(browser.downloads).find((file) => file.endsWith(ending));
  return found && join(browser.downloads, found);
}, seconds);

async function drop(...files) {
  await page.value(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(files.map((file) => [basename(file), readFileSync(file).toString('base64')]))})
      data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
    dispatchEvent(new DragEvent('drop', {dataTransfer: data}));
  })()`);
}

// The words of the document, by the link that the page copies.
async function sentence() {
  await click('menu/edit');
  await click('menu/edit/copy');
  await click('menu/edit/copy/link');
  const packed = await until('the address holds a document', () => page.value(`location.hash.slice('#d='.length)`), 10);
  await page.value(`history.replaceState(null, '', location.pathname)`);
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url'))).tokens.join(' ');
}

async function command(words) {
  await page.key('k', 'KeyK', control);
  await has('palette/text');
  await page.type(words);
  await pause(400);
  await page.key('Enter', 'Enter');
}

await step('a sentence becomes the tokens', async () => {
  await click('tokens/sentence');
  await page.key('a', 'KeyA', control);
  await page.type('a page in class');
  await page.key('Enter', 'Enter');
  expect(await sentence() === 'a page in class', 'The document has other tokens.');
});

await step('the palette shows a film', async () => {
  await command('watch how');
  await has('film/play');
});

let screenshot = '';
await step('a screenshot is downloaded', async () => {
  await page.key('F12', 'F12');
  screenshot = await download('.png');
  expect(readFileSync(screenshot).length > 10000, 'The picture is small.');
});

let film = '';
await step('a film is downloaded as GIF', async () => {
  await click('menu/file');
  await click('menu/file/figure');
  await click('figure/film');
  await click('figure/format/gif');
  await click('dialog/accept');
  film = await download('.gif', 300);  // each picture is compressed in the page, beside whatever else the machine does
  expect(readFileSync(film).length > 10000, 'The film is short.');
  await click('dialog/cancel');
});

await step('unsaved changes are offered after a reload', async () => {
  await until('the changes are kept', () => page.value(`Object.keys(localStorage).some((key) => key.includes('/autosave/'))`));
  await page.reload();
  await click('restore/0/restore');
  expect(await sentence() === 'a page in class', 'Another document was restored.');
});

for (const [what, file] of [['picture', () => screenshot], ['film', () => film]]) {
  await step(`a dropped ${what} opens its document`, async () => {
    await click('menu/file');
    await click('menu/file/new');
    await pause(300);
    if ((await widgets()).has('dialog/discard')) await click('dialog/discard');
    await drop(file());
    await until(`the title names the ${what}`, async () => (await document_of()).includes(basename(file())), 20);
    expect(await sentence() === 'a page in class', 'It holds another document.');
  });
}

await step('dropped files of a model are one checkpoint', async () => {
  await drop(...['config.json', 'tokenizer.json', 'model.safetensors'].map((file) => `assets/models/stories/${file}`));
  await has('model/text');
});

await step('a lesson is taken to its end', async () => {
  await click('menu/learn');
  await click('menu/learn/lessons');
  await click([...(await widgets()).keys()].find((name) => /^menu.learn.lessons.(?!handouts|clear)/.test(name)));
  await has('lesson/next');
  const steps = [...(await widgets()).keys()].filter((name) => name.startsWith('lesson/step/'));
  await click(steps.at(-1));
  await click('lesson/next');
  await click('lesson/end/close');
});

await step('an address opens its document', async () => {
  const json = readFileSync('assets/documents/who_is_it.json');
  page = await browser.open(`${address}#d=${deflateRawSync(json).toString('base64url')}`, 1440, 900);
  await until('the document is there', async () => (await document_of()).includes('shared'), 20);
  expect(await sentence() === JSON.parse(json).tokens.join(' '), 'Another document is there.');
});

await step('a page with the document opens it', async () => {
  await click('menu/file');
  await click('menu/file/page');
  page = await browser.open(pathToFileURL(await download('.html')).href, 1440, 900);
  await until('the document is there', async () => (await document_of()).includes('.json'), 20);
  expect(await sentence() === 'the cat slept because it dreamed', 'Another document is there.');
});

await step('no message on the console', async () => {
  const messages = browser.pages.flatMap((each) => each.messages);
  expect(messages.length === 0, messages.join(' | '));
});

console.log(`${passed} passed`);
await browser.close();

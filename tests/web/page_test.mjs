// page_test.mjs PAGE [PICTURES]: opens the page in a headless browser and uses it as a person does.
import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {deflateSync, inflateSync} from 'node:zlib';
import {Browser, pause, until} from './browser.mjs';

const [page_file, pictures] = process.argv.slice(2);
const address = pathToFileURL(resolve(page_file)).href;
const browser = new Browser();
let page = null;
let passed = 0;
const alt = 1, control = 2;  // as the protocol numbers modifiers

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

const widgets = () => page.widgets();
const click = (name) => page.click_on(name);
const has = (name) => until(`${name} is on the screen`, async () => (await widgets()).has(name), 15);
const expect = (holds, otherwise) => { if (!holds) throw new Error(otherwise); };
const document_of = async () => page.value('document.title');

await step('the page opens from the disk', async () => {
  page = await browser.open(address, 1440, 900);
  expect((await widgets()).size > 20, 'There are hardly any controls.');
});

await step('a slider changes the title of the document', async () => {
  const before = await document_of();
  const from = await page.place('setup/dropout', 0.1);
  const to = await page.place('setup/dropout', 0.6);
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

// What the page puts into the link that it copies.
async function linked() {
  await click('menu/edit');
  await click('menu/edit/copy');
  await click('menu/edit/copy/link');
  const [key, packed] = (await until('the address holds something', () => page.value(`location.hash.slice(1)`), 10)).split('=');
  await page.value(`history.replaceState(null, '', location.pathname)`);
  return {key, json: JSON.parse(inflateSync(Buffer.from(packed, 'base64url')))};
}

const sentence = async () => (await linked()).json.tokens.join(' ');

// The page with what is open inside, as it is downloaded.
async function exported_page() {
  const downloads = () => existsSync(browser.downloads) ? readdirSync(browser.downloads) : [];
  const before = new Set(downloads());
  await click('menu/file');
  await click('menu/file/export');
  await click('menu/file/page');
  await click('dialog/accept');
  const file = await until('there is a new page among the downloads',
      () => downloads().find((each) => each.endsWith('.html') && !before.has(each)));
  return pathToFileURL(join(browser.downloads, file)).href;
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

await step('a screen reader finds what the canvas shows', async () => {
  const label = (name) => `document.querySelector('#mirror button[data-name="${name}"]')?.getAttribute('aria-label')`;
  await until('the menu is told', async () => await page.value(label('menu/file')) === 'File', 10);
  const table = await page.value(`[...document.querySelectorAll('#mirror table')].map((table) => [table.caption.textContent,
      ...[...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent).join(' '))])
      .find(([caption]) => caption.startsWith('attention weights, head'))`);
  expect(table?.[1]?.includes('page') && /page.*0\.\d\d/.test(table.join('\n')), `The weights are told as ${table}.`);
  await page.value(`document.querySelector('#mirror button[data-name="menu/file"]').click()`);
  await has('menu/file/new');
  await until('the item is told', () => page.value(label('menu/file/new')), 10);
  await page.key('Escape', 'Escape');
  await until('it is told that the menu is closed', async () => !await page.value(label('menu/file/new')), 10);
  const box = await page.value(`(({width, height}) => width * height)(document.getElementById('mirror').getBoundingClientRect())`);
  expect(box <= 1, 'What is told can be seen.');
});

await step('the palette shows a film', async () => {
  await command('watch how');
  await has('film/play');
});

let screenshot = '';
await step('a screenshot is downloaded', async () => {
  await page.key('s', 'KeyS', alt);
  screenshot = await download('.png');
  expect(readFileSync(screenshot).length > 10000, 'The picture is small.');
});

let vectors = '';
await step('a figure is downloaded as SVG', async () => {
  await click('menu/file');
  await click('menu/file/figure');
  await click('figure/format/svg');
  await click('dialog/accept');
  vectors = await download('.svg');
  const svg = readFileSync(vectors, 'utf8');
  expect(svg.includes('>page</text>') && !svg.includes('NaN') && !svg.includes('undefined'), 'The drawing is not whole.');
  const image = await page.value(`new Promise((done) => {
    const image = new Image();
    image.onload = () => done(image.width);
    image.onerror = () => done(0);
    image.src = 'data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}';
  })`);
  expect(image > 100, 'The browser does not draw it.');
  await click('dialog/cancel');
});

async function writeFilm() {
  for (const name of ['menu/file', 'menu/file/figure', 'figure/film', 'figure/format/gif', 'dialog/accept']) await click(name);
}

await step('a film that is written can be stopped', async () => {
  await writeFilm();
  await has('figure/progress');
  await click('dialog/cancel');
  await until('nothing is written any more', async () => !(await widgets()).has('figure/progress'), 10);
  expect(!readdirSync(browser.downloads).some((file) => file.endsWith('.gif')), 'The film was written all the same.');
  await click('dialog/cancel');
});

let film = '';
await step('a film is downloaded as GIF', async () => {
  await writeFilm();
  film = await download('.gif', 900);  // each picture is compressed in the page, beside whatever else the machine does
  expect(readFileSync(film).length > 10000, 'The film is short.');
  await click('dialog/cancel');
});

await step('unsaved changes are offered after a reload', async () => {
  await until('the changes are kept', () => page.value(`Object.keys(localStorage).some((key) => key.includes('/autosave/'))`));
  await page.reload();
  await click('restore/0/restore');
  expect(await sentence() === 'a page in class', 'Another document was restored.');
});

for (const [what, file] of [['picture', () => screenshot], ['drawing', () => vectors], ['film', () => film]]) {
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

let lesson_link = null;
let lesson_page = '';
await step('a lesson is taken to its end', async () => {
  await click('menu/learn');
  await click('menu/learn/lessons');
  await click([...(await widgets()).keys()].find((name) => /^menu.learn.lessons.(?!handouts|clear)/.test(name)));
  await has('lesson/next');
  lesson_link = await linked();
  lesson_page = await exported_page();
  const steps = [...(await widgets()).keys()].filter((name) => name.startsWith('lesson/step/'));
  await click(steps.at(-1));
  await click('lesson/next');
  await click('lesson/end/close');
});

await step('an address opens its document', async () => {
  const json = readFileSync('assets/documents/who_is_it.json');
  page = await browser.open(`${address}#d=${deflateSync(json).toString('base64url')}`, 1440, 900);
  await until('the document is there', async () => (await document_of()).includes('shared'), 20);
  expect(await sentence() === JSON.parse(json).tokens.join(' '), 'Another document is there.');
});

await step('a page with the document opens it', async () => {
  page = await browser.open(await exported_page(), 1440, 900);
  await until('the document is there', async () => (await document_of()).includes('.json'), 20);
  expect(await sentence() === 'the cat slept because it dreamed', 'Another document is there.');
});

await step('an address and a page with a lesson open it', async () => {
  expect(lesson_link.key === 'lesson' && lesson_link.json.steps.length > 2, 'The link holds no lesson.');
  const packed = deflateSync(JSON.stringify(lesson_link.json)).toString('base64url');
  for (const place of [`${address}#lesson=${packed}`, lesson_page]) {
    page = await browser.open(place, 1440, 900);
    await has('lesson/next');
    expect((await linked()).json.id === lesson_link.json.id, 'Another lesson is there.');
  }
});

await step('two tabs keep their unsaved documents apart', async () => {
  const unsaved = () => page.value(`Object.keys(localStorage).filter((key) => key.includes('/autosave/')).length`);
  for (const tab of browser.pages.splice(0)) await tab.close();
  page = await browser.open(address, 1440, 900);
  await page.value(`for (const key of Object.keys(localStorage)) if (key.includes('/autosave/')) delete localStorage[key]`);
  await page.reload();
  const words = ['left by one', 'left by another'];
  for (const [index, text] of words.entries()) {
    if (index > 0) page = await browser.open(address, 1440, 900);
    expect(!(await widgets()).has('restore/0/restore'), 'What an open tab has not saved is offered.');
    await click('tokens/sentence');
    await page.key('a', 'KeyA', control);
    await page.type(text);
    await page.key('Enter', 'Enter');
    await until('the document has changed', async () => (await document_of()).startsWith('•'), 10);
    // The second tab is closed before it would keep them by itself.
    if (index === 0) await until('the changes are kept', async () => await unsaved() === 1, 20);
  }
  for (const tab of browser.pages.splice(0)) await tab.close();
  page = await browser.open(address, 1440, 900);
  await has('restore/1/restore');
  await until('one of two is restored', async () => {
    await click('restore/1/restore');
    await pause(1000);
    return !(await widgets()).has('restore/1/restore');
  });
  expect(words.includes(await sentence()), 'Neither is there.');
});

await step('a page that comes slowly says how much has come', async () => {
  const bytes = readFileSync(page_file);
  const half = bytes.length >> 1;
  let send_rest = null;
  const server = createServer((request, answer) => {
    if (request.url !== '/') return answer.end();
    answer.writeHead(200, {'content-type': 'text/html'});
    answer.write(bytes.subarray(0, half));
    send_rest = () => answer.end(bytes.subarray(half));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  await page.send('Page.navigate', {url: `http://127.0.0.1:${server.address().port}/`});
  await until('half of it has come', async () => {
    const share = await page.value(`(({value, max}) => value / max)(document.querySelector('#said progress'))`).catch(() => 0);
    return share > 0.4 && share < 0.6;
  }, 20);
  send_rest();
  await page.wait_until_it_runs();
  server.close();
});

await step('no message on the console', async () => {
  expect(browser.messages.length === 0, browser.messages.join(' | '));
});

console.log(`${passed} passed`);
await browser.close();

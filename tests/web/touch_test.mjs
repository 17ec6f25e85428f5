// touch_test.mjs PAGE [PICTURES]: opens the page on the screens of a phone and of a tablet, and uses it by fingers.
import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser, pause, until} from './browser.mjs';

const [page_file, pictures] = process.argv.slice(2);
const address = pathToFileURL(resolve(page_file)).href;
const browser = new Browser();
const least_text = 11;  // units of CSS
let page = null;
let screen = {};
let passed = 0;

async function step(what, act) {
  try {
    await act();
    console.log(`passed: ${screen.name}: ${what}`);
    passed += 1;
  } catch (error) {
    console.log(`FAILED: ${screen.name}: ${what}: ${error.message}`);
    process.exitCode = 1;
  }
  if (!pictures) return;
  mkdirSync(pictures, {recursive: true});
  await page?.picture(join(pictures, `${screen.name}-${what.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)).catch(() => {});
}

const expect = (holds, otherwise) => { if (!holds) throw new Error(otherwise); };

// What the page shows, when it has come to rest.
async function read() {
  let before = '';
  return until('the page is at rest', async () => {
    const now = await page.value(`Module.ccall('page_read', 'string', [], [])`);
    const is_at_rest = now === before;
    before = now;
    if (!is_at_rest) await pause(250);
    return is_at_rest && JSON.parse(now);
  });
}

const middle = ([left, top, right, bottom], across = 0.5, down = 0.5) =>
    ({x: left + across * (right - left), y: top + down * (bottom - top)});
const widget = async (name) => until(`${name} is on the screen`, async () => (await read()).widgets.find((each) => each.name === name), 20);
const has = async (name) => (await read()).widgets.some((each) => each.name === name);
const matrix = async (stage) => until(`${stage} is on the screen`, async () => (await read()).matrices.find((each) => each.stage === stage), 20);
async function cell(stage, row, column) {
  const {rect, rows, columns} = await matrix(stage);
  return middle(rect, (column + 0.5) / columns, (row + 0.5) / rows);
}

const touch = (type, ...points) =>
    page.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(({x, y}, id) => ({x, y, id}))});
// A browser that is busy answers late, and a tap would become a long press: it is not waited for.
async function tap(point, milliseconds = 80) {
  const begun = touch('touchStart', point);
  await pause(milliseconds);
  await touch('touchEnd');
  await begun;
  await pause(400);
}
const tap_on = async (name) => tap(middle((await widget(name)).rect));
async function drag(from, to) {
  const begun = touch('touchStart', from);
  await pause(50);
  const moved = [];
  for (let share = 0.1; share <= 1.01; share += 0.1) {
    moved.push(touch('touchMove', {x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y)}));
    await pause(40);
  }
  await Promise.all([begun, ...moved]);
  await touch('touchEnd');
  await pause(400);
}
async function spread(around, from, to) {
  const at = (apart) => [{x: around.x - apart / 2, y: around.y}, {x: around.x + apart / 2, y: around.y}];
  await touch('touchStart', at(from)[0]);
  await pause(30);
  await touch('touchStart', ...at(from));
  for (let share = 0.1; share <= 1.01; share += 0.1) {
    await touch('touchMove', ...at(from + share * (to - from)));
    await pause(40);
  }
  await touch('touchEnd');
  await pause(400);
}

function check_sight({widgets, texts}) {
  const is_off = ({rect: [left, top, right, bottom]}) => left < -1 || top < -1 || right > screen.width + 1 || bottom > screen.height + 1;
  const off = widgets.filter(is_off).map(({name}) => name);
  expect(!off.length, `These are off the screen: ${off}.`);
  const small = texts.filter(({size}) => size < least_text - 0.01).map(({text, size}) => `${text} (${size})`);
  expect(texts.length && !small.length, `These are small: ${small}.`);
}

async function open(name, width, height) {
  screen = {name, width, height};
  page = await browser.open(address, width, height, 2);
  await page.send('Emulation.setTouchEmulationEnabled', {enabled: true, maxTouchPoints: 5});
}

const pinned = async (stage) => {
  const {marks} = await matrix(stage);
  return `${marks.row},${marks.column}`;
};

async function test_screen() {
  await step('everything is on the screen, in letters that can be read', async () => check_sight(await read()));
  await step('a tap pins a cell', async () => {
    await tap(await cell('weights', 3, 1));
    expect(await pinned('weights') === '3,1', `The marked cell is ${await pinned('weights')}.`);
    expect((await read()).inspector.join(' ').includes('0.2'), 'The card says nothing of its number.');
  });
  await step('a long press opens the menu of a cell', async () => {
    await tap(await cell('weights', 4, 2), 2000);
    expect((await read()).widgets.some(({name}) => name.startsWith('cell/')), 'There is no menu.');
    await tap(middle((await widget('tools')).rect, 0.98, 0.1));
  });
  await step('a finger drags a slider', async () => {
    await tap_on('setup');
    const before = (await widget('setup/dropout')).text;
    const {rect} = await widget('setup/dropout');
    await drag(middle(rect, 0.05), middle(rect, 0.5));
    expect((await widget('setup/dropout')).text !== before, `Dropout is ${before} still.`);
    await tap_on('setup');
  });
  await step('a finger drags a number', async () => {
    await tap_on('tokens');
    const {rect, text} = await widget('tokens/1/0');
    const from = middle(rect);
    await drag(from, {x: from.x + 60, y: from.y});
    expect((await widget('tokens/1/0')).text !== text, `The number is ${text} still.`);
    check_sight(await read());
    await page.key('Escape', 'Escape');
  });
  await step('fingers do not scroll or enlarge the page', async () => {
    await drag({x: screen.width / 2, y: screen.height - 60}, {x: screen.width / 2, y: 200});
    const moved = await page.value('[scrollX, scrollY, visualViewport.offsetTop, visualViewport.scale]');
    expect(`${moved}` === '0,0,0,1', `The page is at ${moved}.`);
  });
}

await open('phone', 390, 844);
await step('the main matrix is above the card', async () => {
  const weights = await matrix('weights');
  const [left, top, right] = (await widget('inspector')).rect;
  expect(weights.rect[3] < top, 'The card is beside the matrix.');
  expect(right - left > 300 && weights.rect[2] - weights.rect[0] > 150, 'They are narrow.');
});
await test_screen();
await step('two fingers enlarge the matrix', async () => {
  const before = (await matrix('weights')).row_labels.length;
  await spread(await cell('weights', 2, 2), 60, 200);
  const after = (await matrix('weights')).row_labels.length;
  expect(after < before, `${after} of ${before} rows are in sight.`);
});
await step('a finger scrolls a lesson', async () => {
  for (const name of ['menu/learn', 'menu/learn/lessons']) await tap_on(name);
  const first = await until('the lessons are on the screen',
      async () => (await read()).widgets.find(({name}) => /^menu.learn.lessons.(?!handouts|clear)/.test(name)), 20);
  await tap(middle(first.rect));
  await tap_on('dialog/discard');  // what a finger dragged is not saved
  await widget('lesson/next');
  check_sight(await read());
  const words = async () => (await read()).texts.map(({text}) => text).join('\n');
  const before = await words();
  const [left, , right] = (await widget('lesson/next')).rect;
  await drag({x: (left + right) / 2 + 60, y: 740}, {x: (left + right) / 2 + 60, y: 600});
  expect(await words() !== before, 'It stands still.');
});

await open('tablet', 820, 1180);
await test_screen();
await step('two fingers enlarge the diagram', async () => {
  await spread({x: 500, y: 330}, 60, 200);
  expect(/%/.test((await widget('view/fit')).text), 'It is as large as before.');
});

await step('no message on the console', async () => {
  const messages = browser.pages.flatMap((each) => each.messages);
  expect(messages.length === 0, messages.join(' | '));
});
console.log(`${passed} passed`);
await browser.close();

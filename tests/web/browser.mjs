// A headless Chromium, spoken to by the DevTools protocol over a pipe, and a page of the program in it.
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const flags = ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--remote-debugging-pipe', '--allow-file-access-from-files'];

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export async function until(what, holds, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await pause(50)) {
    const found = await holds();
    if (found) return found;
  }
  throw new Error(`Waited ${seconds} seconds in vain: ${what}.`);
}

export class Browser {
  constructor() {
    const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
    if (!program) throw new Error('There is no Chromium: install chromium.');
    this.folder = mkdtempSync(join(tmpdir(), 'attnscope-page-'));
    this.downloads = join(this.folder, 'downloads');
    this.process = spawn(program, [...flags, `--user-data-dir=${this.folder}/profile`, 'about:blank'],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.answers = new Map();
    this.listeners = [];
    this.pages = [];
    this.messages = [];
    this.last = 0;
    let rest = '';
    this.process.stdio[4].on('data', (data) => {
      const messages = (rest + data).split('\0');
      rest = messages.pop();
      for (const message of messages) this.hear(JSON.parse(message));
    });
  }

  hear(message) {
    const answer = this.answers.get(message.id);
    this.answers.delete(message.id);
    if (!answer) for (const listen of this.listeners) listen(message);
    else if (message.error) answer.fail(new Error(`${answer.method}: ${message.error.message}`));
    else answer.done(message.result);
  }

  send(method, params = {}, sessionId) {
    return new Promise((done, fail) => {
      this.answers.set(++this.last, {method, done, fail});
      this.process.stdio[3].write(`${JSON.stringify({id: this.last, method, params, sessionId})}\0`);
    });
  }

  async open(address, width, height, scale = 1) {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    this.pages.push(page);
    await this.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: this.downloads});
    for (const domain of ['Page', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile: false});
    await page.load(address);
    return page;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((done) => this.process.exitCode === null ? this.process.once('exit', done) : done());
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  }
}

class Page {
  constructor(browser, sessionId, targetId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.targetId = targetId;
    this.messages = browser.messages;  // on the console
    browser.listeners.push((message) => {
      const {method, params} = message;
      if (message.sessionId !== sessionId) return;
      if (method === 'Runtime.consoleAPICalled')
        this.messages.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
      if (method === 'Runtime.exceptionThrown')
        this.messages.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Log.entryAdded') this.messages.push(params.entry.text);
    });
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  async load(address) {
    await this.send('Page.navigate', {url: address});
    await this.wait_until_it_runs();
  }

  async reload() {
    await this.value('globalThis.isLeft = true');
    await this.send('Page.reload');
    await until('the page begins anew', () => this.value('!globalThis.isLeft').catch(() => false));
    await this.wait_until_it_runs();
  }

  async close() { await this.browser.send('Target.closeTarget', {targetId: this.targetId}); }

  wait_until_it_runs() {
    return until(`the page runs; it says: ${this.messages.join(' | ')}`,
        () => this.value('!!document.getElementById("said")?.hidden').catch(() => false), 120);
  }

  async value(expression) {
    const {result, exceptionDetails} =
        await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async mouse(type, x, y, more = {}) { await this.send('Input.dispatchMouseEvent', {type, x, y, ...more}); }

  async press(x, y) { await this.mouse('mousePressed', x, y, {button: 'left', buttons: 1, clickCount: 1}); }
  async release(x, y) { await this.mouse('mouseReleased', x, y, {button: 'left', clickCount: 1}); }

  async click(x, y) {
    await this.mouse('mouseMoved', x, y);
    await pause(100);
    await this.press(x, y);
    await pause(100);
    await this.release(x, y);
    await pause(100);
  }

  async widgets() {
    const lines = await this.value(`Module.ccall('page_widgets', 'string', [], [])`);
    return new Map(lines.trim().split('\n').map((line) => {
      const [name, left, top, width, height, isEnabled, label] = line.split('\t');
      return [name, {left: +left, top: +top, width: +width, height: +height, isEnabled: isEnabled === '1', label}];
    }));
  }

  // A dialog that opens takes its place only after a frame.
  async place(name, across = 0.5) {
    return until(`${name} is on the screen`, async () => {
      const before = (await this.widgets()).get(name);
      await pause(100);
      const found = (await this.widgets()).get(name);
      return before && found && before.left === found.left && before.top === found.top &&
          {x: found.left + across * found.width, y: found.top + found.height / 2};
    }, 15);
  }

  async click_on(name) {
    const {x, y} = await this.place(name);
    await this.click(x, y);
  }

  async key(key, code, modifiers = 0) {
    for (const type of ['rawKeyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent', {type, key, code, modifiers, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0)});
      await pause(100);
    }
  }

  async type(text) {
    for (const letter of text) {
      await this.send('Input.dispatchKeyEvent', {type: 'keyDown', key: letter, text: letter});
      await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key: letter});
      await pause(30);
    }
  }

  async picture(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
}

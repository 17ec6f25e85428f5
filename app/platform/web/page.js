'use strict';
// The part of the page that is no compiled program: it starts the program, passes input on to it, keeps its settings and
// unsaved documents in localStorage, and downloads the files that it saves.
const attnscopePage = (() => {
  const canvas = document.getElementById('canvas');
  const typed = document.getElementById('typed');
  const chosen = document.getElementById('files');
  const said = document.getElementById('said');
  const home = '/own';  // of settings and unsaved documents
  const files = '/Downloads';  // what comes from the reader, and what goes to them
  const kept = [`${home}/.config`, `${home}/.local`];  // outlives the page
  const keptPrefix = 'attnscope:';
  const leastWidth = 360;  // units that the program needs
  const lookMilliseconds = 200;
  const longPress = 550;   // milliseconds
  const moved = 8;         // units that are more than a tremble of a finger
  const utf8 = new TextEncoder();
  const storage = (() => {
    try {
      return localStorage;
    } catch (error) {
      return {};  // the browser is told to keep nothing: a reload forgets all
    }
  })();
  let units = 1;  // of the program for one of CSS
  let lookTimer = 0;
  let lastCursor = null;
  let isRunning = false;
  let source = '';  // this page, as it was read
  const seen = new Map();  // path: when it was written, as far as it was looked at

  const fs = () => Module.FS;

  function say(text) {
    said.hidden = false;
    said.style.display = 'grid';
    said.replaceChildren(Object.assign(document.createElement('span'), {textContent: text}));
  }

  // Files.

  function walk(folder, visit) {
    for (const name of fs().readdir(folder)) {
      if (name === '.' || name === '..') continue;
      const path = `${folder}/${name}`;
      const state = fs().stat(path);
      if (fs().isDir(state.mode)) walk(path, visit);
      else visit(path, state.mtime.getTime());
    }
  }

  function write(path, bytes) {
    fs().mkdirTree(path.slice(0, path.lastIndexOf('/')));
    fs().writeFile(path, bytes);
    seen.set(path, fs().stat(path).mtime.getTime());
  }

  // Pages in other tabs keep their unsaved documents under numbers of their own. What a page left that is gone is offered;
  // what one keeps that is open is its own. A page holds a lock of its number while it is open.
  const session = 1 + Math.floor(Math.random() * 2e9);
  const lockOf = (number) => `attnscope ${number}`;
  let others = new Set();  // locks of pages that were open when this one was
  const unsavedOf = (path) => /\/autosave\/(\d+)[^/]*$/.exec(path)?.[1];

  async function findOthers() {
    if (!navigator.locks) return;
    others = new Set((await navigator.locks.query()).held.map(({name}) => name));
    navigator.locks.request(lockOf(session), () => new Promise(() => {}));
  }

  function restoreKept() {
    for (const key of Object.keys(storage)) {
      const path = key.slice(keptPrefix.length);
      if (key.startsWith(keptPrefix) && !others.has(lockOf(unsavedOf(path)))) write(path, utf8.encode(storage[key]));
    }
    // Settings and the progress of lessons are those of all pages.
    addEventListener('storage', ({key, newValue}) => {
      const path = key?.startsWith(keptPrefix) ? key.slice(keptPrefix.length) : '';
      if (path && newValue !== null && !unsavedOf(path)) write(path, utf8.encode(newValue));
    });
  }

  function offer(path, content = new Blob([fs().readFile(path)])) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = path.slice(path.lastIndexOf('/') + 1);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const isKept = (path) => kept.some((folder) => path.startsWith(folder));

  // Keeps what is new in the kept folders, and offers what is new elsewhere.
  function look() {
    clearTimeout(lookTimer);
    lookTimer = 0;
    const there = new Set();
    const visit = (path, time) => {
      there.add(path);
      if (seen.get(path) === time || path.endsWith('.lock')) return;
      seen.set(path, time);
      if (!isKept(path)) return offer(path);
      try {
        storage[keptPrefix + path] = fs().readFile(path, {encoding: 'utf8'});
      } catch (error) { /* without room, a reload forgets it */ }
    };
    for (const folder of [home, files]) walk(folder, visit);
    for (const path of [...seen.keys()].filter((each) => !there.has(each))) {
      seen.delete(path);
      delete storage[keptPrefix + path];
    }
  }

  const named = (files) => [...files].map((file) => ({file, path: file.webkitRelativePath || file.name}));

  // Returns the files of dropped folders, too, with their paths.
  async function filesIn(entries) {
    const ask = (from, what) => new Promise((done, fail) => from[what](done, fail));
    const found = [];
    for (const entry of entries) {
      if (entry.isFile) found.push({file: await ask(entry, 'file'), path: entry.fullPath.slice(1)});
      const reader = entry.isDirectory && entry.createReader();
      for (let some = reader; some && some.length !== 0;) {
        some = await ask(reader, 'readEntries');
        found.push(...await filesIn(some));
      }
    }
    return found;
  }

  // A folder is opened as one, and so are the files of a model.
  async function open(given) {
    const folder = given.length > 1 && given.some(({path}) => path === 'config.json') ? 'model/' : '';
    const opened = new Set();
    for (const {file, path} of given) {
      write(`${files}/${folder}${path}`, new Uint8Array(await file.arrayBuffer()));
      opened.add(`${folder}${path}`.split('/')[0]);
    }
    for (const name of opened) openPath(`${files}/${name}`);
  }

  function drop(data) {
    const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
    if (entries.length) filesIn(entries).then(open);
    else open(named(data.files));
  }

  function openPath(path) { Module.ccall('page_dropped', null, ['string'], [path]); }

  // The address.

  const through = async (bytes, stream) =>
      new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  function toBase64(bytes) {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  function bytesOf(text) {  // as pack.mjs writes them
    const bytes = new Uint8Array(text.length * 7 >> 3);
    for (let i = 0, bits = 0, held = 0, count = 0; i < text.length; ++i) {
      held = held << 7 | text.charCodeAt(i) & 127;
      bits += 7;
      if (bits >= 8) bytes[count++] = held >> (bits -= 8);
    }
    return bytes;
  }

  const unpacked = (text) => through(fromBase64(text), new DecompressionStream('deflate'));

  // Writes files and opens the first of them.
  async function openPacked(given) {
    for (const {path, packed} of given) write(`${files}/${path}`, await unpacked(packed));
    openPath(`${files}/${given[0].path}`);
  }

  // Opens the files in the address, or else those inside this page.
  async function openGiven() {
    const inAddress = new URLSearchParams(location.hash.slice(1));
    const inPage = document.getElementById('given').textContent;
    const key = ['d', 'lesson'].find((each) => inAddress.has(each));
    try {
      if (key === 'lesson' && /^[\w-]+(\.[\w-]+)*\.json$/.test(inAddress.get(key))) await openBeside(inAddress.get(key));
      else if (key) await openPacked([{path: `shared${key === 'd' ? '' : '.lesson'}.json`, packed: inAddress.get(key)}]);
      else if (inPage) await openPacked(JSON.parse(inPage));
    } catch (error) {
      console.warn(`What the address of this page names cannot be read: ${error.message}`);
    }
  }

  // A lesson in a file beside the page, which browsers read only for a page from a server.
  async function openBeside(name) {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.statusText}`);
    const path = `${files}/${name.split('/').at(-1)}`;
    write(path, new Uint8Array(await answer.arrayBuffer()));
    openPath(path);
  }

  async function copyLink(key, json) {
    const packed = toBase64(await through(utf8.encode(json), new CompressionStream('deflate')));
    history.replaceState(null, '', `#${key}=${packed}`);
    copy(location.href);
  }

  // The clipboard.

  function copy(text) {
    const byCommand = () => {
      const before = document.activeElement;
      typed.value = text;
      typed.select();
      document.execCommand('copy');
      typed.value = '';
      before?.focus();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).catch(byCommand);
    else byCommand();
  }

  function copyPicture(png) {
    navigator.clipboard.write([new ClipboardItem({'image/png': new Blob([png], {type: 'image/png'})})])
        .catch((problem) => console.warn(`The picture was not copied: ${problem.message}`));
  }

  // The canvas.

  function measure() {
    const box = canvas.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return;
    units = Math.max(1, leastWidth / box.width);
    canvas.width = Math.round(box.width * devicePixelRatio);
    canvas.height = Math.round(box.height * devicePixelRatio);
    Module._page_resized(box.width * units, box.height * units, devicePixelRatio / units);
  }

  const cursors = ['default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize', 'pointer', 'not-allowed'];
  function showCursor(cursor) {
    if (cursor !== lastCursor) canvas.style.cursor = cursors[cursor] ?? 'none';
    lastCursor = cursor;
  }

  function wantText(isWanted) {
    const focus = isWanted ? typed : canvas;
    if (document.hasFocus() && document.activeElement !== focus) focus.focus({preventScroll: true});
  }

  function fillScreen(isFilling) {
    if (isFilling) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
  }

  // Input.

  const modifiers = (event) => Module._page_modifiers(event.ctrlKey || event.metaKey, event.shiftKey, event.altKey);
  const point = (event) => Module._page_pointer(event.clientX * units, event.clientY * units, event.pointerType === 'touch');
  // With Alt some keyboards type other characters.
  const letterOf = (event) => event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code[3] : event.key;
  const key = (event, isDown) => Module.ccall('page_key', 'number', ['string', 'string', 'number'], [event.code, letterOf(event), isDown]);
  const text = (given) => Module.ccall('page_text', null, ['string'], [given]);

  // Keys that are the browser's, or that it turns into events of their own. The table of actions has others for them.
  function isBrowsers(event) {
    const isControl = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    return event.isComposing || ['F5', 'F11', 'F12'].includes(event.key) ||
        (isControl && !event.altKey && (event.shiftKey ? 'ijnrtw' : 'rltnwq').includes(letter));
  }

  function pressKeys(event) {
    if (isBrowsers(event)) return;
    modifiers(event);
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && event.key.toLowerCase() === 'v') return;  // comes as paste
    const isLetter = [...event.key].length === 1 && !isControl && !event.altKey;
    const isKnown = key(event, true);
    if (isLetter) {
      if (document.activeElement === typed) return;  // comes as input
      text(event.key);
    }
    if (isKnown || isLetter) event.preventDefault();
  }

  function listenToKeys() {
    addEventListener('keydown', pressKeys);
    addEventListener('keyup', (event) => {
      modifiers(event);
      key(event, false);
    });
    typed.addEventListener('input', (event) => {
      if (event.isComposing) return;
      if (typed.value) text(typed.value);
      typed.value = '';
    });
    typed.addEventListener('compositionend', () => {
      if (typed.value) text(typed.value);
      typed.value = '';
    });
    addEventListener('paste', (event) => {
      event.preventDefault();
      if (event.clipboardData.files.length) return open(named(event.clipboardData.files));
      Module.ccall('page_pasted', null, ['string'], [event.clipboardData.getData('text/plain')]);
      Module._page_modifiers(true, false, false);
      for (const isDown of [true, false]) key({code: 'KeyV', key: 'v'}, isDown);
      Module._page_modifiers(false, false, false);
    });
    addEventListener('blur', () => Module._page_focus(false));
    addEventListener('focus', () => Module._page_focus(true));
  }

  const buttons = [0, 2, 1];  // left, middle, right as Dear ImGui counts them

  function listenToMouse() {
    canvas.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'touch') return;
      canvas.setPointerCapture(event.pointerId);
      modifiers(event);
      point(event);
      Module._page_button(buttons[event.button] ?? 0, true);
      event.preventDefault();
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.pointerType !== 'touch') point(event);
    });
    for (const kind of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(kind, (event) => {
        if (event.pointerType === 'touch') return;
        point(event);
        Module._page_button(buttons[event.button] ?? 0, false);
      });
    }
    canvas.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'touch' && event.buttons === 0) Module._page_pointer_left();
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      modifiers(event);
      const lines = event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1;
      Module._page_wheel(-event.deltaX / lines, -event.deltaY / lines);
    }, {passive: false});
  }

  // One finger is the left button, held long it is the right one; two fingers scroll and zoom.
  function listenToFingers() {
    const fingers = new Map();
    let isPressed = false;
    let timer = 0;
    let begin = null;
    let between = 0;
    let middle = null;
    let gesture = '';  // what two fingers do, until both are lifted
    const release = () => {
      clearTimeout(timer);
      if (isPressed) Module._page_button(0, false);
      isPressed = false;
    };
    const cancel = () => {  // let go beside what was pressed, a button is not pressed
      if (isPressed) Module._page_pointer_left();
      release();
    };
    const measureFingers = () => {
      const [a, b] = [...fingers.values()];
      return [Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
              {pointerType: 'touch', clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2}];
    };
    const on = (kind, act) => canvas.addEventListener(kind, (event) => {
      if (event.pointerType === 'touch') act(event);
    });
    on('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      if (fingers.size === 2) {
        cancel();
        [between, middle] = measureFingers();
        point(middle);
      }
      if (fingers.size > 1) return;
      Module._page_modifiers(false, false, false);
      Module._page_finger(event.clientX * units, event.clientY * units);
      point(begin = event);
      Module._page_button(0, true);
      isPressed = true;
      const press = () => {
        cancel();
        point(begin);
        Module._page_button(1, true);
        Module._page_button(1, false);
      };
      // After a long frame the finger may be lifted, and that has not been told yet: the second wait lets it be.
      timer = setTimeout(() => timer = setTimeout(press, 50), longPress - 50);
    });
    on('pointermove', (event) => {
      if (!fingers.has(event.pointerId)) return;
      fingers.set(event.pointerId, event);
      if (fingers.size === 1) {
        if (Math.hypot(event.clientX - begin.clientX, event.clientY - begin.clientY) > moved) clearTimeout(timer);
        if (isPressed) Module._page_finger_moved(event.clientX * units, event.clientY * units);
        return point(event);
      }
      const [now, at] = measureFingers();
      const [across, down] = [at.clientX - middle.clientX, at.clientY - middle.clientY];
      if (!gesture && Math.abs(now - between) > moved) {
        gesture = 'zoom';
        Module._page_modifiers(true, false, false);
      } else if (!gesture && Math.hypot(across, down) > moved) {
        gesture = 'scroll';
      }
      if (gesture === 'scroll') {
        Module._page_wheel(across / 60, down / 60);
        middle = at;
      } else if (gesture === 'zoom' && Math.abs(now - between) > moved) {
        Module._page_wheel(0, Math.sign(now - between) * 0.5);
        between = now;
      }
    });
    for (const kind of ['pointerup', 'pointercancel']) {
      on(kind, (event) => {
        fingers.delete(event.pointerId);
        if (fingers.size) return;
        release();
        gesture = '';
        Module._page_modifiers(false, false, false);
        setTimeout(() => { if (!fingers.size) Module._page_pointer_left(); }, lookMilliseconds);
      });
    }
  }

  function listen() {
    listenToKeys();
    listenToMouse();
    listenToFingers();
    new ResizeObserver(measure).observe(canvas);
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      drop(event.dataTransfer);
    });
    chosen.addEventListener('change', () => {
      open(named(chosen.files));
      chosen.value = '';
    });
    addEventListener('hashchange', openGiven);
    const leave = () => {
      Module._page_left();
      look();
    };
    addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) leave();
      else Module._page_redraw();
    });
  }

  // Figures: canvases by their numbers, and the fonts of their texts.

  const canvases = new Map();
  let lastCanvas = 0;
  function makeCanvas(width, height) {
    const made = Object.assign(document.createElement('canvas'), {width, height});
    const context = made.getContext('2d', {willReadFrequently: true});
    if (!context) return 0;
    canvases.set(++lastCanvas, context);
    return lastCanvas;
  }

  function makeSvg(width, height) {
    canvases.set(++lastCanvas, new AttnscopeSvg(width, height, measuring));
    return lastCanvas;
  }

  // Pixels as Cairo has them: alpha, red, green, blue in a number, colours times alpha.
  function readCanvas(canvas, numbers, first) {
    const context = canvases.get(canvas);
    const {data} = context.getImageData(0, 0, context.canvas.width, context.canvas.height);
    const pixels = new Uint32Array(data.buffer);  // alpha, blue, green, red
    for (let i = 0; i < pixels.length; ++i) {
      const pixel = pixels[i];
      const alpha = pixel >>> 24;
      if (alpha === 255) {
        numbers[first + i] = pixel & 0xff00ff00 | (pixel & 255) << 16 | pixel >>> 16 & 255;
        continue;
      }
      const times = (shift) => Math.round((pixel >>> shift & 255) * alpha / 255);
      numbers[first + i] = alpha << 24 | times(0) << 16 | times(8) << 8 | times(16);
    }
  }
  function writeCanvas(canvas, numbers, first) {
    const context = canvases.get(canvas);
    const image = context.createImageData(context.canvas.width, context.canvas.height);
    for (let i = 0; i < image.data.length; i += 4) {
      const pixel = numbers[first + i / 4];
      const alpha = pixel >>> 24;
      for (let channel = 0; channel < 3; ++channel)
        image.data[i + channel] = alpha ? Math.round((pixel >>> (16 - 8 * channel) & 255) * 255 / alpha) : 0;
      image.data[i + 3] = alpha;
    }
    context.putImageData(image, 0, 0);
  }
  let measuringContext = null;
  const measuring = () => measuringContext ??= document.createElement('canvas').getContext('2d');
  const font = (em, isBold) => `${isBold ? 600 : 400} ${em}px Inter, 'Noto Sans', 'DejaVu Sans', sans-serif`;
  const ink = (...of) => `rgba(${of.map((part, i) => i < 3 ? part * 255 : part).join()})`;
  const addFont = (bytes, weight) => document.fonts.add(new FontFace('Inter', bytes, {weight}));

  // Classes of characters and normal forms, by the browser's regular expressions and String.normalize().

  const classes = [
    /^[\p{Z}\t\n\r\f]$/u, /^[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]$/u, /^\p{Mn}$/u, /^\p{M}$/u, /^[\p{Cc}\p{Cf}\p{Co}\p{Cn}]$/u];
  const isOfClass = (of, character) => character < 0x110000 && classes[of].test(String.fromCodePoint(character));

  function smallLetter(capital) {
    const small = String.fromCodePoint(capital).toLowerCase();
    return [...small].length === 1 ? small.codePointAt(0) : capital;
  }

  // The start.

  async function start() {
    clearInterval(loading);
    said.querySelector('progress').removeAttribute('value');  // the rest is not counted
    if (!document.createElement('canvas').getContext('webgl2'))
      return say('attnscope draws with WebGL 2, which this browser does not have or has switched off. Firefox, Chrome, Edge and Safari of the last years have it.');
    source = `<!doctype html>\n${document.documentElement.outerHTML}`;
    const code = document.getElementById('code');
    const packed = bytesOf(code.textContent);
    code.remove();
    Module.wasmBinary = await through(packed, new DecompressionStream('gzip'));
    await findOthers().catch(() => {});  // an old browser has no locks: what an open page keeps is offered, too
    const program = document.getElementById('program');
    document.body.append(Object.assign(document.createElement('script'), {textContent: program.textContent}));
  }

  function started() {
    isRunning = true;
    said.hidden = true;
    said.style.display = 'none';
    listen();
    canvas.focus({preventScroll: true});
    openGiven();
  }

  function turned() {
    if (!isRunning) started();
    lookTimer ||= setTimeout(look, lookMilliseconds);
    attnscopeMirror.follow(() => Module.ccall('page_read', 'string', [], []), press);
  }

  // A click of a screen reader; a frame passes between its parts.
  function press(x, y) {
    const parts = [() => Module._page_pointer(x, y, false), () => {}, () => Module._page_button(0, true),
                   () => Module._page_button(0, false), () => Module._page_pointer_left()];
    const next = () => {
      if (!parts.length) return;
      parts.shift()();
      Module._page_redraw();
      requestAnimationFrame(next);
    };
    next();
  }

  function failed(sentence) {
    say(`${sentence} Reload the page to go on; it offers unsaved changes.`);
  }

  return {canvases, makeCanvas, makeSvg, readCanvas, writeCanvas, measuring, font, ink, addFont, isOfClass, smallLetter, copy, copyPicture, copyLink, measure, showCursor, wantText,
          fillScreen, turned, failed, start, chooseFiles: () => chosen.click(), restoreKept, home, files, session,
          putPage: () => fs().writeFile('/attnscope.html', source)};
})();

var Module = {
  canvas: document.getElementById('canvas'),
  onAbort: () => attnscopePage.failed('The program has stopped: the browser gave it no more memory, or it has a fault.'),
  preRun: [() => {
    Module.ENV.HOME = attnscopePage.home;
    Module.FS.mkdirTree(attnscopePage.home);
    attnscopePage.restoreKept();
    attnscopePage.putPage();
    Module.FS.mkdirTree(attnscopePage.files);
    Module.FS.chdir(attnscopePage.files);
  }],
};
attnscopePage.start();

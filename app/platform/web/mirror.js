'use strict';
// Tells screen readers what the canvas shows: hidden elements repeat its messages, texts, controls and matrices, as
// `attnscope drive` reads them. A click on such an element clicks the canvas.
const attnscopeMirror = (() => {
  const quiet = 300, longest = 1500;  // milliseconds from a frame to what is told of it; and while frames follow
  const most_cells = 4096;            // of a matrix that is told in numbers
  const root = document.getElementById('mirror');
  let last = '';
  let timer = 0;
  let due = 0;
  let press = () => {};
  const kept = new Map();  // by the names of what they tell, so that a reader's place in them stays

  function element(key, tag, parent) {
    let made = kept.get(key);
    if (made?.localName !== tag) {
      made?.remove();
      kept.set(key, made = document.createElement(tag));
    }
    made.isWanted = true;
    if (parent.told !== made.previousSibling || made.parentNode !== parent) parent.insertBefore(made, parent.told?.nextSibling ?? parent.firstChild);
    parent.told = made;
    made.told = null;
    return made;
  }

  function say(to, text) {
    if (to.textContent !== text) to.textContent = text;
  }

  function set(to, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === '') to.removeAttribute(name);
      else if (to.getAttribute(name) !== String(value)) to.setAttribute(name, value);
    }
  }

  const isWithin = ([left, top, right, bottom], [x0, y0, x1, y1]) =>
      (x0 + x1) / 2 >= left && (x0 + x1) / 2 <= right && (y0 + y1) / 2 >= top && (y0 + y1) / 2 <= bottom;

  function tellControl(widget, parent) {
    const name = [widget.label, widget.text].filter((part) => part).join(' ') || widget.help || widget.name.replaceAll('/', ' ');
    const made = element(`control ${widget.name}`, 'button', parent);
    const isSlider = widget.value !== undefined;
    set(made, {
      'role': isSlider ? 'slider' : widget.on === undefined ? null : 'switch',
      'aria-label': name,
      'aria-description': widget.reason ?? widget.help,
      'aria-disabled': widget.enabled ? null : 'true',
      'aria-checked': widget.on,
      'aria-expanded': widget.open,
      'aria-haspopup': widget.open === undefined ? null : 'true',
      'aria-valuenow': widget.value,
      'aria-current': widget.focused ? 'true' : null,
      'data-name': widget.name,
      'tabindex': '-1',
    });
    const [left, top, right, bottom] = widget.rect;
    made.onclick = () => { if (widget.enabled) press((left + right) / 2, (top + bottom) / 2); };
  }

  function tellMatrix(matrix, parent) {
    const columns = matrix.column_labels.length;
    const rows = matrix.row_labels.length;
    const numbers = matrix.shown ?? matrix.values;
    const table = element(`matrix ${matrix.name}`, 'table', parent);
    const caption = `${matrix.title}${matrix.head === null ? '' : `, head ${matrix.head + 1}`}: ${matrix.rows} by ${matrix.columns}` +
        (rows < matrix.rows || columns < matrix.columns ? `, shown are ${rows} by ${columns}` : '');
    const body = numbers && rows * columns <= most_cells ? [['', ...matrix.column_labels], ...numbers.map((line, row) => [matrix.row_labels[row], ...line.map((each) => each ?? 'covered')])] : [];
    const now = JSON.stringify([caption, body]);
    if (table.now === now) return;
    table.now = now;
    const parts = body.map((line, row) => {
      const made = document.createElement('tr');
      made.append(...line.map((text, column) => {
        const cell = document.createElement(row && column ? 'td' : 'th');
        if (!(row && column)) cell.scope = row ? 'row' : 'col';
        cell.textContent = text;
        return cell;
      }));
      return made;
    });
    table.replaceChildren(Object.assign(document.createElement('caption'), {textContent: caption}), ...parts);
  }

  // Texts of one line that are in no control and no matrix, in the order in which they were drawn.
  function linesOf({texts, widgets, matrices}) {
    const taken = [...widgets.filter(({text}) => text).map(({rect}) => rect), ...matrices.map(({card}) => card)];
    const lines = [];
    let before = null;
    for (const {text, rect} of texts) {
      if (taken.some((each) => isWithin(each, rect))) continue;
      if (before && Math.abs(before[1] - rect[1]) < 3 && rect[0] >= before[0]) lines.push(`${lines.pop()} ${text}`);
      else lines.push(text);
      before = rect;
    }
    return lines;
  }

  function tell(json) {
    last = json;
    const read = JSON.parse(json);
    for (const made of kept.values()) made.isWanted = false;
    root.told = null;
    const messages = element('messages', 'div', root);
    set(messages, {'role': 'status'});
    say(messages, read.messages.map(({text}) => text).join(' '));
    const part = (name) => {
      const made = element(`part ${name}`, 'section', root);
      set(made, {'aria-label': name});
      return made;
    };
    const controls = part('Controls');
    const isMatrix = new Set(read.matrices.map(({name}) => name));
    for (const widget of read.widgets) if (!widget.covered && !isMatrix.has(widget.name)) tellControl(widget, controls);
    const matrices = part('Matrices');
    for (const matrix of read.matrices) tellMatrix(matrix, matrices);
    const texts = part('Texts');
    for (const [index, line] of linesOf(read).entries()) say(element(`text ${index}`, 'p', texts), line);
    for (const [key, made] of kept) {
      if (made.isWanted) continue;
      made.remove();
      kept.delete(key);
    }
  }

  return {
    // Tells what `read` returns, once the frames that follow each other have ended.
    follow(read, pressAt) {
      press = pressAt;
      const now = performance.now();
      due ||= now + longest;
      clearTimeout(timer);
      timer = setTimeout(() => {
        due = 0;
        const json = read();
        if (json !== last) tell(json);
      }, Math.max(0, Math.min(quiet, due - now)));
    },
  };
})();

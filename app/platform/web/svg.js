'use strict';
// Writes an SVG by the functions of a canvas's context, as far as figures call them. Points are those of the page at
// once; what is clipped is a group until it is restored.
class AttnscopeSvg {
  static shortly(number) { return +number.toFixed(3); }
  static escaped(text) { return text.replace(/[&<>]/g, (letter) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[letter]); }
  constructor(width, height, measuring) {
    this.measuring = measuring;
    this.canvas = {width, height};
    this.parts = [];
    this.before = [];
    this.matrix = new DOMMatrix();
    this.groups = this.clips = 0;
    this.path = '';
  }
  save() {
    this.before.push([this.matrix, this.groups]);
    this.groups = 0;
  }
  restore() {
    this.parts.push('</g>'.repeat(this.groups));
    [this.matrix, this.groups] = this.before.pop();
  }
  setTransform() { this.matrix = new DOMMatrix(); }
  scale(x, y) { this.matrix = this.matrix.scale(x, y); }
  translate(x, y) { this.matrix = this.matrix.translate(x, y); }
  rotate(angle) { this.matrix = this.matrix.rotate(angle * 180 / Math.PI); }
  add(letter, ...numbers) {
    for (let i = 0; i < numbers.length; i += 2) {
      const {x, y} = this.matrix.transformPoint({x: numbers[i], y: numbers[i + 1]});
      letter += `${i ? ' ' : ''}${AttnscopeSvg.shortly(x)} ${AttnscopeSvg.shortly(y)}`;
    }
    this.path += letter;
  }
  beginPath() { this.path = ''; }
  closePath() { this.path += 'Z'; }
  moveTo(x, y) { this.add('M', x, y); }
  lineTo(x, y) { this.add(this.path ? 'L' : 'M', x, y); }
  bezierCurveTo(...numbers) { this.add('C', ...numbers.slice(0, 6)); }
  rect(x, y, width, height) {
    this.add('M', x, y, x + width, y, x + width, y + height, x, y + height);
    this.closePath();
  }
  arc(x, y, radius, first, last) {
    this.lineTo(x + radius * Math.cos(first), y + radius * Math.sin(first));
    this.path += `A${AttnscopeSvg.shortly(radius)} ${AttnscopeSvg.shortly(radius)} 0 ${+(last - first > Math.PI)} 1 `;
    this.add('', x + radius * Math.cos(last), y + radius * Math.sin(last));
  }
  ink(of) {
    const [red, green, blue, alpha] = /\((.*)\)/.exec(this.fillStyle)[1].split(',').map(Number);
    return `${of}="rgb(${[red, green, blue].map(Math.round)})"${alpha < 1 ? ` ${of}-opacity="${AttnscopeSvg.shortly(alpha)}"` : ''}`;
  }
  fill() { this.parts.push(`<path d="${this.path}" ${this.ink('fill')}/>`); }
  stroke() { this.parts.push(`<path d="${this.path}" fill="none" ${this.ink('stroke')} stroke-width="${AttnscopeSvg.shortly(this.lineWidth)}"/>`); }
  clip() {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    this.groups += 1;
  }
  fillRect(x, y, width, height) { this.parts.push(`<rect width="${width}" height="${height}" ${this.ink('fill')}/>`); }
  placed() {
    const {a, b, c, d, e, f} = this.matrix;
    return `transform="matrix(${[a, b, c, d, e, f].map(AttnscopeSvg.shortly).join(' ')})"`;
  }
  drawImage(image) {
    this.parts.push(`<image ${this.placed()} width="${image.width}" height="${image.height}" preserveAspectRatio="none" ` +
        `style="image-rendering:pixelated" href="${image.toDataURL()}"/>`);
  }
  fillText(text, x, y) {
    const context = this.measuring();
    context.font = this.font;
    this.parts.push(`<text ${this.placed()} x="${AttnscopeSvg.shortly(x)}" y="${AttnscopeSvg.shortly(y)}" style="font:${this.font};white-space:pre" ` +
        `${this.ink('fill')} textLength="${AttnscopeSvg.shortly(context.measureText(text).width)}" lengthAdjust="spacingAndGlyphs">${AttnscopeSvg.escaped(text)}</text>`);
  }
  text(title) {
    const {width, height} = this.canvas;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
        `viewBox="0 0 ${width} ${height}">\n<title>${AttnscopeSvg.escaped(title)}</title>\n${this.parts.join('\n')}\n</svg>\n`;
  }
}

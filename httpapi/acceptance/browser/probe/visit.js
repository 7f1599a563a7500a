// Uses the explorer as a visitor does. It tells the path /said each step, what is wrong, and at last "done".
(() => {
  const say = (text) => fetch('/said', { method: 'POST', body: text });
  addEventListener('error', ({ message }) => say(`wrong: ${message}`), true);
  addEventListener('unhandledrejection', ({ reason }) => say(`wrong: ${reason}`));
  addEventListener('securitypolicyviolation', ({ blockedURI }) => say(`wrong: the policy blocks ${blockedURI}`));

  // A picture can be read only if its buffer is kept.
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, preserveDrawingBuffer: true });
  };
  const colours = () => {
    const gl = document.querySelector('#map canvas').getContext('webgl2');
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const pixels = new Uint32Array(width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
    return new Set(pixels).size;
  };

  const find = (selector) => document.querySelector(selector);
  const until = async (what, holds) => {
    await say(what);
    while (!holds()) await new Promise((done) => { setTimeout(done, 50); });
  };
  const search = (name) => new URLSearchParams(location.search).get(name);
  addEventListener('load', async () => {
    await until('the hits of the address', () => find('#results li') && find('#count').textContent.includes('pubs'));
    await until('a map of all hits', () => Number(find('#map').dataset.hits) > 100 && find('#map').dataset.settled === 'yes');
    await until('a picture of the map', () => colours() > 3);
    find('#search').select();
    document.execCommand('insertText', false, 'wheatsheaf el');
    await until('completions', () => find('#suggestions [role=option]'));
    await until('the hits of what was typed', () => [...document.querySelectorAll('#results li')].length && search('search') === 'wheatsheaf el');
    find('#search').blur();
    find('#results li a').click();
    await until('a pub', () => find('#pub h2') && search('pub'));
    history.back();
    await until('the list', () => !find('#pub h2') && !search('pub') && search('search') === 'wheatsheaf el');
    history.forward();
    await until('the pub again', () => find('#pub h2') && search('pub'));
    await say('done');
  });
})();

// Measures, for each key, the time from the key's event to the frame that shows a given number of pubs in #count.
// expect(total) says which number the next key brings; durations are in milliseconds.
window.keystrokes = (() => {
  const durations = [];
  let total = null;
  let pressed = 0;
  const shown = () => Number((document.querySelector('#count').textContent.match(/[\d,]+/) || ['-1'])[0].replaceAll(',', ''));
  const look = () => {
    if (total === null || pressed === 0 || shown() !== total) return;
    const began = pressed;
    total = null;
    pressed = 0;
    // A message that is sent while a frame is made is delivered after that frame.
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => durations.push(performance.now() - began);
      channel.port2.postMessage(null);
    });
  };
  document.addEventListener('keydown', (event) => { pressed = event.timeStamp; }, true);
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  return { durations, expect(number) { total = number; pressed = 0; } };
})();
true;

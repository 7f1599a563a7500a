// Collects the times between frames, in milliseconds, until stop().
window.frameTimes = (() => {
  const times = [];
  let last = 0;
  let going = true;
  const tick = (now) => {
    if (last) times.push(now - last);
    last = now;
    if (going) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  return { stop() { going = false; return times; } };
})();
true;

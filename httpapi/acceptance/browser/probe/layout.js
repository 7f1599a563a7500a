// Returns what is wrong with the layout for a thumb: what overflows sideways, and what can be tapped but is smaller than
// 44 px in width or height. Links inside a line of text may be as low as the line.
(() => {
  const name = (element) => `${element.tagName.toLowerCase()}#${element.id}.${element.className} ${(element.textContent || '').trim().slice(0, 30)}`;
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    wrong.push(`the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth} px`);
    for (const element of document.body.querySelectorAll('*')) {
      const place = element.getBoundingClientRect();
      if (place.right > root.clientWidth + 1 && element.checkVisibility()) wrong.push(`${name(element)} reaches to ${place.right} px`);
    }
  }
  for (const element of document.querySelectorAll('a[href], button, input, select, summary, [role=option]')) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.disabled) continue;
    // A box that is ticked can be tapped on its label as well.
    const places = [element, ...(element.labels || [])].map((target) => target.getBoundingClientRect());
    const width = Math.max(...places.map((place) => place.width));
    const height = Math.max(...places.map((place) => place.height));
    if (width === 0 || height === 0) continue;
    if (width < 44 || height < 44) wrong.push(`${name(element)} is ${width.toFixed(0)} by ${height.toFixed(0)} px`);
  }
  return wrong.slice(0, 20);
})();

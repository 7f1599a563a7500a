// Returns the name of what has the focus when the focus cannot be seen, else nothing. It is seen in the window as an outline or
// a shadow, of the element or of what is closely around it.
(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return 'nothing has the focus';
  const place = element.getBoundingClientRect();
  const name = `${element.tagName.toLowerCase()}#${element.id} ${(element.textContent || '').trim().slice(0, 30)}`;
  if (!element.matches(':focus-visible')) return `${name} is not :focus-visible`;
  if (place.bottom <= 0 || place.top >= innerHeight || place.right <= 0 || place.left >= innerWidth) return `${name} is outside of the window`;
  const ringed = [element, element.parentElement].some((one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  });
  return ringed ? '' : `${name} has neither outline nor shadow`;
})();

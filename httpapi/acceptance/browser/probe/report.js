// Returns which name in a report was not displayed as text, else nothing. The text that must be seen is filled in.
(() => {
	document.querySelectorAll('details').forEach(d => d.open = true)
	if ('owned' in window) return 'a name has run'
	if (document.querySelector('img, b b, s, u, iframe, [onerror], [onload], [onmouseover]')) return 'a name is an element'
	if (document.scripts.length !== 1) return document.scripts.length + ' scripts'
	if (!document.body.innerText.includes(%q)) return 'no name to be seen'
	return ''
})()

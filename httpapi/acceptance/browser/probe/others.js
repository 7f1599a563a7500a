// Sends requests with a key until the page says that it retries.
(() => {
	const notice = document.querySelector('#notice')
	const look = () => { if (notice.textContent.includes('Retrying…')) window.retried = true }
	new MutationObserver(look).observe(notice, { childList: true, subtree: true, characterData: true })
	const others = async () => {
		while (!window.retried) await Promise.all(Array.from({ length: 20 }, () => fetch('/api/v1/stats', { headers: { 'x-api-key': %q } })))
	}
	others()
	return true
})()

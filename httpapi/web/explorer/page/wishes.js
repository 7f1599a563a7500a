// What pubs can be asked for beside their name and place, as the search knows it: what they offer, and that they are open.
import vocabulary from '../../../../index/features/features.txt'
import { known } from './directory.js'
import { fold } from './understood.js'
import { feature, openAt } from './wording.js'

const least = 3 // letters of a wish
const most = 2

// The phrases of each feature, English ones first.
const phrases = vocabulary.replace(/^#.*\n/gm, '').replace(/\n +/g, ' ').trim().split('\n').map(line => line.split(': ')).map(([name, list]) => [name, list.split(', ')])

/** What the last words of a text may begin, as [{text, of}], the whole text and the wish in the words of the page. */
export function wishes(text) {
  const words = text.trim().split(/\s+/)
  for (const at of words.keys()) {
    const typed = fold(words.slice(at).join(' '))
    const found = typed.length < least ? [] : phrases.flatMap(([name, all]) => {
      const phrase = all.find(phrase => fold(phrase).startsWith(typed)), isOpen = name.startsWith('open_')
      return phrase && fold(phrase) !== typed && (isOpen ? known.hours : known.features) ? { text: [...words.slice(0, at), phrase].join(' '), of: isOpen ? openAt(name.slice(5)) : feature(name) } : []
    })
    if (found.length) return found.slice(0, most)
  }
  return []
}

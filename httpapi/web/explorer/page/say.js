// The texts of the page with values in them, and numbers as people write them in its language.
import * as texts from './texts.js' // the table of the language, as a module that New makes

const whole = new Intl.NumberFormat(texts.locale)
const tenths = new Intl.NumberFormat(texts.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const plural = new Intl.PluralRules(texts.locale)
const ordinal = new Intl.PluralRules(texts.locale, { type: 'ordinal' })

/** 22,127 */
export const number = n => whole.format(n)

/** 7.0 */
export const decimal = n => tenths.format(n)

/** A text as a list, in which values, texts or elements or lists of these, stand in place of their names in braces. */
export const pieces = (text, values) => text.split(/\{(\w+)\}/).flatMap((part, i) => i % 2 ? values[part] : part).filter(part => part !== '')

/** A text with values in place of their names in braces. */
export const say = (text, values) => pieces(text, values).join('')

/** A text in the form for a whole number, which is its value n: 1 pub, 562 pubs. */
export const count = (n, forms, values = {}) => say(forms[plural.select(n)] ?? forms.other, { n: number(n), ...values })

/** 12th */
export const rank = n => say(texts.nth[ordinal.select(n)], { n: number(n) })

const statuses = new Map([['open', texts.in_business], ['closed', texts.status_closed], ['temporarily_closed', texts.status_temporarily_closed]])

/** temporarily_closed as people say it, and other texts with underscores, such as the names of columns. */
export const status = text => statuses.get(text) ?? text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ')

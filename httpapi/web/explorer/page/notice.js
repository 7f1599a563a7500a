// The notice that the server is unreachable. Its text must not change meanwhile: screen readers repeat an alert that changes.
import { find, tell } from './element.js'

export const say = text => tell(find('notice'), text)
export const clear = () => tell(find('notice'), '')

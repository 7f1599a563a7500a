// The notice that the server is away. Its text stays the same while it is: an alert that changes is read out again.
import { find, tell } from './element.js'

export const say = text => tell(find('notice'), text)
export const clear = () => tell(find('notice'), '')

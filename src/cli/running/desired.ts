import { type DesiredAccess, readAccess } from 'claviger'
import { readJson } from './read-file.js'
import { unwrap } from './unwrap.js'

/** The desired state in a file. @throws Failed */
export const readDesired = async (file: string): Promise<DesiredAccess> =>
  unwrap(readAccess(await readJson(file)))

import { type DesiredAccess, readAccess } from 'claviger'
import { readJson } from '../../running/read-file.js'
import { unwrap } from '../../running/unwrap.js'

/** The desired state in a file. @throws Failed */
export const readDesired = async (file: string): Promise<DesiredAccess> =>
  unwrap(readAccess(await readJson(file)))

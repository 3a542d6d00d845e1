// Loaded before the example: TXT records come from a server of the test.
import { promises } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

const resolveTxt = async (name: string): Promise<string[][]> => {
  const answer = await fetch(`${process.env['TXT_RECORDS']}${name}`)
  return [[await answer.text()]]
}
Object.assign(promises, { resolveTxt })
syncBuiltinESMExports()
